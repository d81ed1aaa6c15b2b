// Identifies the sender first, by the same rules for every payload.
import { personWith } from '../../../../../config/index.js';
import type { AskSlack, SlackStanding } from './people.js';
import type { SlackReadContext } from './read-context.js';
import { isDirect } from './thread-keys.js';

export type Speaker =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'stranger'; readonly name: string }
  /** A person is told each rule, `what`, once. */
  | { readonly kind: 'refused'; readonly what: 'guest' | 'foreign' | 'shared'; readonly why: string }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'unknown'; readonly asks: AskSlack };

export interface KnownSpeaker {
  readonly user: string;
  /** Null: unknown. Members are of the bot's workspace. */
  readonly team: string | null;
  /** Null: the home tab. */
  readonly channel: string | null;
  /** Shared with another company; null: not told. */
  readonly isShared: boolean | null;
}

/** Null: a stranger; undefined: ask Slack first. */
export function nameOf(user: string, { config, groupOf }: SlackReadContext): string | null | undefined {
  const who = personWith(config, 'slack', user);
  if (who?.kind === 'person') return who.name;
  const group = groupOf(user);
  return typeof group === 'string' ? `${group}/${user}` : group;
}

export function speakerOf(spoken: KnownSpeaker, context: SlackReadContext): Speaker {
  const { user } = spoken;
  if (user === context.me.user) return { kind: 'nobody' };
  const standing = context.standing(user);
  if (standing === null) return { kind: 'unknown', asks: { of: 'user', id: user } };
  if (standing.isBot) return { kind: 'nobody' };
  const against = ruleAgainst(spoken, standing, context);
  if (against !== null) return against;
  const name = nameOf(user, context);
  if (name === undefined) return { kind: 'unknown', asks: { of: 'groups' } };
  return name === null ? { kind: 'stranger', name: standing.name } : { kind: 'member', name };
}

function ruleAgainst(
  { team, channel, isShared }: KnownSpeaker,
  standing: SlackStanding,
  context: SlackReadContext,
): Speaker | null {
  const { allowGuests = false, allowSharedChannels = false } = context.config.channels.slack ?? {};
  const isElsewhere = team !== null && team !== context.me.team && context.me.enterprise === null;
  if ((standing.isForeign || isElsewhere) && !allowSharedChannels) return refused.foreign;
  if (standing.isGuest && !allowGuests) return refused.guest;
  if (allowSharedChannels || channel === null) return null;
  const isOutside = isShared ?? (isDirect(channel) ? false : context.isSharedOutside(channel));
  if (isOutside === null) return { kind: 'unknown', asks: { of: 'channel', id: channel } };
  return isOutside ? refused.shared : null;
}

const refused = {
  guest: {
    kind: 'refused',
    what: 'guest',
    why: "I don't work with guests of this workspace. Bosun's owner can allow it: channels.slack.allow_guests.",
  },
  foreign: {
    kind: 'refused',
    what: 'foreign',
    why: "I don't work with people from other workspaces. Bosun's owner can allow it: channels.slack.allow_shared_channels.",
  },
  shared: {
    kind: 'refused',
    what: 'shared',
    why: "I do nothing in channels that are shared with other companies or that I can't look up. Write to me in another channel, or Bosun's owner can allow it: channels.slack.allow_shared_channels.",
  },
} as const satisfies Readonly<Record<string, Speaker>>;
