// Who it is that speaks, and whether that one is heard at all: asked at every entrance alike.
import { personWith } from '../../../../../config/index.js';
import type { AskSlack, SlackStanding } from './people.js';
import type { SlackReadContext } from './read-context.js';
import { isDirect } from './thread-keys.js';

export type Speaker =
  | { readonly kind: 'member'; readonly name: string }
  /** Nobody of the configuration; `name` is of the own choice. */
  | { readonly kind: 'stranger'; readonly name: string }
  /** Heard under no circumstances. `what`: the rule, told once to whom it meets. */
  | { readonly kind: 'refused'; readonly what: 'guest' | 'foreign' | 'shared'; readonly why: string }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'unknown'; readonly asks: AskSlack };

export interface KnownSpeaker {
  readonly user: string;
  /** Where the platform tells: another workspace than the bot's makes no member. */
  readonly team: string | null;
  /** null: in no channel, as on the home tab. */
  readonly channel: string | null;
  /** With another company; null: the platform did not say. */
  readonly isShared: boolean | null;
}

/** The name that the configuration has for this account; null for a stranger, undefined where Slack has to be asked. */
export function nameOf(user: string, { config, groupOf }: SlackReadContext): string | null | undefined {
  const who = personWith(config, 'slack', user);
  if (who?.kind === 'person') return who.name;
  const group = groupOf(user);
  return typeof group === 'string' ? `${group}/${user}` : group;
}

export function speakerOf(spoken: KnownSpeaker, around: SlackReadContext): Speaker {
  const { user } = spoken;
  if (user === around.me.user) return { kind: 'nobody' };
  const standing = around.standing(user);
  if (standing === null) return { kind: 'unknown', asks: { of: 'user', id: user } };
  if (standing.isBot) return { kind: 'nobody' };
  const against = ruleAgainst(spoken, standing, around);
  if (against !== null) return against;
  const name = nameOf(user, around);
  if (name === undefined) return { kind: 'unknown', asks: { of: 'groups' } };
  return name === null ? { kind: 'stranger', name: standing.name } : { kind: 'member', name };
}

function ruleAgainst(
  { team, channel, isShared }: KnownSpeaker,
  standing: SlackStanding,
  around: SlackReadContext,
): Speaker | null {
  const { allowGuests = false, allowSharedChannels = false } = around.config.channels.slack ?? {};
  const isElsewhere = team !== null && team !== around.me.team && around.me.enterprise === null;
  if ((standing.isForeign || isElsewhere) && !allowSharedChannels) return refused.foreign;
  if (standing.isGuest && !allowGuests) return refused.guest;
  if (allowSharedChannels || channel === null) return null;
  const isOutside = isShared ?? (isDirect(channel) ? false : around.isSharedOutside(channel));
  if (isOutside === null) return { kind: 'unknown', asks: { of: 'channel', id: channel } };
  return isOutside ? refused.shared : null;
}

const refused = {
  guest: {
    kind: 'refused',
    what: 'guest',
    why: 'I do not hear guests of this workspace. Its owner may allow it: channels.slack.allow_guests.',
  },
  foreign: {
    kind: 'refused',
    what: 'foreign',
    why: 'I do not hear people of other workspaces. The owner may allow it: channels.slack.allow_shared_channels.',
  },
  shared: {
    kind: 'refused',
    what: 'shared',
    why: 'I do nothing in channels that are shared with other companies, or that I cannot look into. Write to me elsewhere, or the owner allows it: channels.slack.allow_shared_channels.',
  },
} as const satisfies Readonly<Record<string, Speaker>>;
