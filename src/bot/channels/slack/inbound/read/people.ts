import type { webApi } from '@slack/bolt';
import { z } from 'zod';
import { BosunError, type Clock, pause } from '../../../../../base/index.js';
import type { Config } from '../../../../../config/index.js';
import { whyOf } from '../../client.js';
import { errorOf } from '../connection/call-failure.js';
import type { SlackBot } from './read-context.js';

export interface SlackStanding {
  readonly name: string;
  readonly isBot: boolean;
  readonly isGuest: boolean;
  readonly isForeign: boolean;
}

export type AskSlack =
  | { readonly of: 'user'; readonly id: string }
  | { readonly of: 'channel'; readonly id: string }
  | { readonly of: 'groups' };

export interface PeopleParts {
  readonly api: webApi.WebClient;
  readonly config: () => Config;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

interface ChannelStanding {
  readonly isShared: boolean;
  readonly isIn: boolean;
}

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

const keepUserMs = 60 * 60_000;
const keepChannelMs = 10 * 60_000;
const maxKept = 5_000;
/** Slack waits 3 s for an acknowledgement. */
const maxAskMs = 1_000;
const groupsEveryMs = 5 * 60_000;
/** Older lists do not count. */
const maxGroupsAgeMs = 60 * 60_000;

const userSchema = z.object({
  team_id: z.string().nullish(),
  name: z.string().nullish(),
  real_name: z.string().nullish(),
  deleted: z.boolean().nullish(),
  is_bot: z.boolean().nullish(),
  is_restricted: z.boolean().nullish(),
  is_ultra_restricted: z.boolean().nullish(),
  is_stranger: z.boolean().nullish(),
  enterprise_user: z.object({ enterprise_id: z.string().nullish() }).nullish(),
});

export class People {
  readonly #parts: PeopleParts;
  readonly #users = new Map<string, Kept<SlackStanding>>();
  readonly #channels = new Map<string, Kept<ChannelStanding>>();
  readonly #groups = new Map<string, Kept<ReadonlySet<string>>>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #end = new AbortController();
  #me: SlackBot | null = null;
  #cancelLook: (() => void) | null = null;
  readonly #lacks = new Map<AskSlack['of'], string>();

  constructor(parts: PeopleParts) {
    this.#parts = parts;
  }

  get problem(): string | null {
    const [first = null] = this.#lacks.values();
    return first;
  }

  start(me: SlackBot): void {
    this.#me = me;
    this.#look();
  }

  close(): void {
    this.#end.abort();
    this.#cancelLook?.();
  }

  standing(user: string): SlackStanding | null {
    return this.#fresh(this.#users.get(user));
  }

  isSharedOutside(channel: string): boolean | null {
    return this.#fresh(this.#channels.get(channel))?.isShared ?? null;
  }

  isIn(channel: string): boolean | null {
    return this.#fresh(this.#channels.get(channel))?.isIn ?? null;
  }

  groupOf(user: string): string | null | undefined {
    let isUnknown = false;
    for (const { name, id: slackGroup } of groupsIn(this.#parts.config())) {
      const members = this.#fresh(this.#groups.get(slackGroup));
      if (members?.has(user)) return name;
      isUnknown ||= members === null;
    }
    return isUnknown ? undefined : null;
  }

  forget(what: 'groups' | 'people' | 'channels'): void {
    if (what === 'people') this.#users.clear();
    if (what === 'channels') this.#channels.clear();
    if (what === 'groups') this.#look();
  }

  /** Rejects if Slack is too slow. Concurrent lookups of a key share a call. */
  async know(ask: AskSlack): Promise<void> {
    const key = ask.of === 'groups' ? ask.of : `${ask.of} ${ask.id}`;
    const known = this.#asking.get(key);
    if (known !== undefined) return known;
    const asked = this.#inTime(this.#ask(ask), key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asked);
    return asked;
  }

  async #inTime(answer: Promise<void>, what: string): Promise<void> {
    const { clock } = this.#parts;
    const late = new AbortController();
    const limit = pause(maxAskMs, AbortSignal.any([late.signal, this.#end.signal]), clock).then(() => {
      if (!late.signal.aborted) throw new BosunError('not_now', `Slack does not tell of ${what} in time`);
    });
    try {
      await Promise.race([answer, limit]);
    } finally {
      late.abort();
    }
  }

  async #ask(ask: AskSlack): Promise<void> {
    if (ask.of === 'groups') return this.#askGroups();
    if (ask.of === 'user') return this.#askUser(ask.id);
    return this.#askChannel(ask.id);
  }

  async #askUser(id: string): Promise<void> {
    const { api, clock } = this.#parts;
    const answer = await this.#answered('user', () => api.users.info({ user: id }));
    const user = userSchema.safeParse(answer?.user).data;
    // Slack withholds the user: an outsider.
    const standing = user === undefined ? nobody : standingOf(user, this.#me);
    put(this.#users, id, { value: standing, until: clock.now() + keepUserMs });
  }

  async #askChannel(id: string): Promise<void> {
    const { api, clock } = this.#parts;
    const answer = await this.#answered('channel', () => api.conversations.info({ channel: id }));
    const isShared = answer?.channel?.is_ext_shared ?? answer === null;
    const isIn = answer?.channel?.is_member ?? answer !== null;
    put(this.#channels, id, { value: { isShared, isIn }, until: clock.now() + keepChannelMs });
  }

  async #askGroups(): Promise<void> {
    const { api, config, clock } = this.#parts;
    for (const { id: slackGroup } of groupsIn(config())) {
      const answer = await this.#answered('groups', () => api.usergroups.users.list({ usergroup: slackGroup }));
      const until = clock.now() + maxGroupsAgeMs;
      put(this.#groups, slackGroup, { value: new Set(answer?.users ?? []), until });
    }
  }

  /** Null: refused. Transient failures throw, for a retry. */
  async #answered<T>(of: AskSlack['of'], call: () => Promise<T>): Promise<T | null> {
    try {
      const answer = await call();
      this.#lacks.delete(of);
      return answer;
    } catch (error) {
      const code = errorOf(error);
      if (code === null) throw error;
      const problem = `Slack tells less than is needed: ${whyOf(error)}`;
      if (code === 'missing_scope' && !this.#lacks.has(of)) this.#parts.log(`slack: ${problem}`);
      if (code === 'missing_scope') this.#lacks.set(of, problem);
      return null;
    }
  }

  #look(): void {
    const { config, clock, log } = this.#parts;
    this.#cancelLook?.();
    if (this.#end.signal.aborted) return;
    this.#cancelLook = clock.after(groupsEveryMs, () => this.#look());
    if (groupsIn(config()).length === 0) return;
    this.know({ of: 'groups' }).catch((error: unknown) => {
      if (!this.#end.signal.aborted) log(`slack: who is in the user groups is asked again later: ${whyOf(error)}`);
    });
  }

  #fresh<T>(kept: Kept<T> | undefined): T | null {
    return kept !== undefined && kept.until > this.#parts.clock.now() ? kept.value : null;
  }
}

const nobody: SlackStanding = { name: 'somebody', isBot: false, isGuest: true, isForeign: true };

function standingOf(user: z.output<typeof userSchema>, me: SlackBot | null): SlackStanding {
  const isOfEnterprise = me?.enterprise != null && user.enterprise_user?.enterprise_id === me.enterprise;
  const isElsewhere = user.team_id != null && user.team_id !== me?.team && !isOfEnterprise;
  return {
    name: user.real_name ?? user.name ?? 'somebody',
    isBot: user.is_bot === true || user.deleted === true,
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isForeign: user.is_stranger === true || isElsewhere,
  };
}

function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxKept && oldest !== undefined) map.delete(oldest);
}

export function groupsIn({ people }: Config): readonly { readonly name: string; readonly id: string }[] {
  return people.flatMap(({ name, group }) => (group?.channel === 'slack' ? [{ name, id: String(group.id) }] : []));
}
