// Drops every field that Bosun does not use.
import { z } from 'zod';

const maxTextChars = 50_000;
const label = z.string().max(1_000);
const id = z.string().regex(/^[A-Z0-9]{2,40}$/);
const ts = z.string().regex(/^\d{1,12}\.\d{1,8}$/);
const text = z.string().max(maxTextChars);
const nothing = z.null().transform(() => undefined);

const file = z.object({
  id: label,
  name: label.nullish(),
  size: z.number().min(0).optional(),
  mimetype: label.nullish(),
  subtype: label.optional(),
  mode: label.optional(),
  url_private_download: z.string().max(4_000).optional(),
});

const edited = z.object({ ts });
const message = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: label.optional(),
  channel: id.optional(),
  user: id.optional(),
  bot_id: label.nullish(),
  ts,
  thread_ts: ts.optional(),
  text: text.nullish(),
  user_team: id.nullish(),
  edited: edited.optional().or(nothing),
  files: z.array(file).max(50).optional(),
});
const changed = z.object({
  type: z.literal('message'),
  subtype: z.literal('message_changed'),
  channel: id,
  message: message.omit({ channel: true, type: true }),
});
const opened = z.object({ type: z.literal('app_home_opened'), user: id, tab: label.optional() });
const joined = z.object({ type: z.literal('member_joined_channel'), user: id, channel: id, inviter: id.optional() });
const named = z.object({ type: label });

const event = z.object({
  type: z.literal('event_callback'),
  api_app_id: label,
  team_id: label.nullish(),
  authorizations: z
    .array(z.object({ team_id: label.nullish() }))
    .max(100)
    .nullish(),
  event_id: label,
  is_ext_shared_channel: z.boolean().nullish(),
  event: named.loose(),
});

const person = z.object({ id, team_id: label.nullish() });
const whose = { api_app_id: label.nullish(), team: z.object({ id: label }).nullish(), user: person };
const value = z.string().max(2_000);
/** A button's value, or a menu's picked entry. */
const action = z
  .object({
    action_id: label,
    action_ts: label.optional(),
    value: value.optional(),
    selected_option: z.object({ value: value.optional() }).nullish(),
  })
  .transform(({ selected_option: picked, ...own }) => ({ ...own, value: own.value ?? picked?.value }));
const press = z.object({
  type: z.literal('block_actions'),
  ...whose,
  trigger_id: label.optional(),
  container: z.object({
    type: label,
    message_ts: ts.optional(),
    channel_id: id.optional(),
    thread_ts: ts.optional(),
    view_id: label.optional(),
  }),
  channel: z.object({ id }).nullish(),
  message: z.object({ ts, thread_ts: ts.optional() }).nullish(),
  view: z.object({ id: label, type: label }).nullish(),
  actions: z.array(action).min(1).max(25),
});
const submission = z.object({
  type: z.literal('view_submission'),
  ...whose,
  view: z.object({
    id: label,
    callback_id: label,
    private_metadata: z.string().max(3_000),
    state: z.object({ values: z.record(label, z.record(label, z.object({ value: text.nullish() }))) }),
  }),
});
const command = z.object({
  command: label,
  text: text.optional(),
  user_id: id,
  channel_id: id,
  team_id: label,
  trigger_id: label,
});

export type InboundSlackMessage = z.output<typeof message>;
export type InboundSlackFile = z.output<typeof file>;
export type SlackPress = z.output<typeof press>;
export type Submission = z.output<typeof submission>;
export type SlashCommand = z.output<typeof command>;
export type BotJoined = z.output<typeof joined>;

export interface SlackPayload {
  /** App, workspace and event id: the same for redeliveries. */
  readonly key: string;
  readonly team: string | null;
  /** Shared with another company; null: not told. */
  readonly isShared: boolean | null;
}

export type SlackAction =
  | {
      readonly kind: 'message';
      readonly told: SlackPayload;
      readonly message: InboundSlackMessage;
      readonly isEdit: boolean;
    }
  | { readonly kind: 'home'; readonly told: SlackPayload; readonly user: string }
  | { readonly kind: 'joined'; readonly told: SlackPayload; readonly joined: BotJoined }
  | { readonly kind: 'press'; readonly press: SlackPress }
  | { readonly kind: 'submission'; readonly submission: Submission }
  | { readonly kind: 'slash'; readonly slash: SlashCommand };

export type Body =
  | SlackAction
  | { readonly kind: 'changed'; readonly told: SlackPayload; readonly what: 'groups' | 'people' | 'channels' }
  | { readonly kind: 'gone'; readonly told: SlackPayload; readonly why: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable'; readonly where: string };

export function bodyOf(raw: unknown): Body {
  const type = named.safeParse(raw).data?.type;
  if (type === 'event_callback') return read(event, raw, eventOf);
  if (type === 'block_actions') return read(press, raw, (it) => ({ kind: 'press', press: it }));
  if (type === 'view_submission') return read(submission, raw, (it) => ({ kind: 'submission', submission: it }));
  if (type !== undefined) return { kind: 'other' };
  return read(command, raw, (it) => ({ kind: 'slash', slash: it }));
}

const changes: Readonly<Record<string, Extract<Body, { kind: 'changed' }>['what']>> = {
  subteam_members_changed: 'groups',
  subteam_updated: 'groups',
  user_change: 'people',
  channel_shared: 'channels',
  channel_unshared: 'channels',
};
const ends: Readonly<Record<string, string>> = {
  app_uninstalled: 'the app was taken out of the workspace: install it again ("bosun init slack")',
  tokens_revoked: 'the app’s tokens were revoked: install it again ("bosun init slack")',
};

function eventOf({
  api_app_id: app,
  team_id,
  authorizations,
  event_id,
  is_ext_shared_channel,
  event: it,
}: Event): Body {
  const team = authorizations?.[0]?.team_id ?? team_id ?? null;
  const told = { key: `${app}:${team ?? ''}:${event_id}`, team, isShared: is_ext_shared_channel ?? null };
  const { type } = it;
  const what = changes[type];
  if (what !== undefined) return { kind: 'changed', told, what };
  const why = ends[type];
  if (why !== undefined) return { kind: 'gone', told, why };
  if (type === 'app_home_opened') {
    return read(opened, it, ({ user, tab }) => (tab === 'messages' ? { kind: 'other' } : { kind: 'home', told, user }));
  }
  if (type === 'member_joined_channel') return read(joined, it, (one) => ({ kind: 'joined', told, joined: one }));
  if (type !== 'message' && type !== 'app_mention') return { kind: 'other' };
  if (it['subtype'] === 'message_changed') {
    return read(changed, it, ({ channel, message: now }) =>
      // Link previews are changes without `edited`.
      now.edited === undefined
        ? { kind: 'other' }
        : { kind: 'message', told, message: { ...now, channel, type: 'message' }, isEdit: true },
    );
  }
  if (!said.has(it['subtype'])) return { kind: 'other' };
  return read(message, it, (one) => ({ kind: 'message', told, message: one, isEdit: one.edited !== undefined }));
}

type Event = z.output<typeof event>;

/** People send these; others come from Slack or an app. */
const said: ReadonlySet<unknown> = new Set([undefined, 'file_share', 'thread_broadcast', 'me_message']);

function read<T>(schema: z.ZodType<T>, raw: unknown, make: (it: T) => Body): Body {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return make(parsed.data);
  return { kind: 'unreadable', where: parsed.error.issues[0]?.path.join('.') ?? '' };
}
