import type { webApi } from '@slack/bolt';
import { type Clock, pause } from '../../../../base/index.js';
import type { Config } from '../../../../config/index.js';
import { signalled } from '../client.js';
import { neededScopes, optionalScopes } from '../setup/manifest.js';
import { otherTeam } from '../setup/other-team.js';
import { type CallFailure, troubleOf } from './connection/call-failure.js';
import { groupsIn } from './read/people.js';
import type { SlackBot } from './read/read-context.js';

export interface KeptTeam {
  read(): string | null;
  write(team: string): void;
}

export interface LoginParts {
  readonly api: webApi.WebClient;
  readonly config: () => Config;
  readonly clock: Clock;
  readonly random: () => number;
  readonly keptTeam: KeptTeam;
  readonly tell: (problem: string | null) => void;
}

const otherTeamWaitMs = 5 * 60_000;
const maxNameChars = 100;

export class Login {
  readonly #parts: LoginParts;
  readonly #end = new AbortController();
  #scopes: readonly string[] | null = null;
  #me: SlackBot | null = null;

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  get me(): SlackBot | null {
    return this.#me;
  }

  /** Missing scopes with their consequences. */
  get lacks(): string | null {
    const scopes = this.#scopes;
    if (scopes === null) return null;
    const isGrouped = groupsIn(this.#parts.config()).length > 0;
    const wanted = Object.entries({ ...neededScopes, ...(isGrouped ? optionalScopes : {}) });
    const missing = wanted.filter(([scope]) => !scopes.includes(scope)).map(([scope, what]) => `${scope} (${what})`);
    if (missing.length === 0) return null;
    return `the bot token lacks ${missing.join(', ')}: add it at api.slack.com and install the app again`;
  }

  close(): void {
    this.#end.abort();
  }

  /** Null: closed before Slack answered. */
  async run(): Promise<SlackBot | null> {
    for (let failures = 1; !this.#end.signal.aborted; failures += 1) {
      const trouble = await this.#try(failures);
      if (trouble === null || this.#end.signal.aborted) return this.#me;
      this.#parts.tell(trouble.problem);
      await pause(trouble.ms, this.#end.signal, this.#parts.clock);
    }
    return null;
  }

  async #try(failures: number): Promise<CallFailure | null> {
    const { api, keptTeam, random } = this.#parts;
    try {
      const told = await signalled(this.#end.signal, () => api.auth.test());
      const me = {
        user: told.user_id ?? '',
        bot: told.bot_id ?? '',
        team: told.team_id ?? '',
        teamName: (told.team ?? '').slice(0, maxNameChars),
        enterprise: told.enterprise_id ?? null,
      };
      const kept = keptTeam.read();
      const problem = otherTeam(kept, { id: me.team, name: me.teamName });
      if (problem !== null) return { ms: otherTeamWaitMs, problem };
      if (kept === null) keptTeam.write(`${me.team} ${me.teamName}`);
      const { scopes = [] } = told.response_metadata ?? {};
      this.#scopes = scopes.length === 0 ? null : scopes;
      this.#me = me;
      return null;
    } catch (error) {
      return troubleOf(error, 'bot', failures, random);
    }
  }
}
