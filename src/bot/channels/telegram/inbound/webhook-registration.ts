// Registers the webhook and checks that it still works.
import type { Api } from 'grammy';
import { type Clock, pause } from '../../../../base/index.js';
import { signalOf } from '../client.js';
import { troubleOf } from './poll-failure.js';
import type { PollerHealth } from './poller.js';
import { allowedUpdates, type TelegramBot } from './read/update-schema.js';

export interface WebhookAddress {
  readonly url: string;
  readonly secret: string;
}

/** `busy`: Telegram must post it again. */
export type Receipt = 'taken' | 'busy';

export interface ReceiverParts {
  readonly api: Api;
  readonly me: TelegramBot | null;
  readonly webhook: WebhookAddress;
  readonly take: (update: unknown, me: TelegramBot) => void;
  readonly taken: () => void;
  readonly hasRoom: () => boolean;
  readonly onMe: (me: TelegramBot) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: (message: string) => void;
}

const lookAgainMs = 5 * 60_000;

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #end = new AbortController();
  #me: TelegramBot | null;
  #isSet = false;
  #failures = 0;
  #state: PollerHealth['state'] = 'starting';
  #problem: string | null = null;
  #lastAt: number | null = null;
  #running: Promise<void> | null = null;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#me = parts.me;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stays registered: Telegram keeps updates until the next start. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#end.abort();
    await this.#running;
  }

  get health(): PollerHealth {
    return { state: this.#state, problem: this.#problem, lastPollAt: this.#lastAt, me: this.#me };
  }

  receive(update: unknown): Receipt {
    const { take, taken, hasRoom, clock } = this.#parts;
    if (this.#state === 'closed' || this.#me === null || !hasRoom()) return 'busy';
    take(update, this.#me);
    this.#lastAt = clock.now();
    taken();
    return 'taken';
  }

  async #run(): Promise<void> {
    while (this.#state !== 'closed' && this.#state !== 'stopped') {
      const waitMs = await this.#turn().catch((error: unknown) => this.#waitFor(error));
      await pause(waitMs, this.#end.signal, this.#parts.clock);
    }
  }

  /** Returns the time until the next check. */
  async #turn(): Promise<number> {
    const { api, webhook } = this.#parts;
    const signal = signalOf(this.#end);
    if (this.#me === null) {
      const { id, username } = await api.getMe(signal);
      this.#me = { id, username };
      this.#parts.onMe(this.#me);
    }
    const found = this.#isSet ? await api.getWebhookInfo(signal) : null;
    if (found?.url !== webhook.url) await this.#set(signal);
    this.#failures = 0;
    if (this.#state !== 'closed') this.#state = 'polling';
    const isUnheard = found !== null && found.pending_update_count > 0 && found.last_error_message !== undefined;
    this.#say(isUnheard ? `Telegram cannot post to ${webhook.url}: ${found.last_error_message}` : null);
    return lookAgainMs;
  }

  async #set(signal: ReturnType<typeof signalOf>): Promise<void> {
    const { url, secret } = this.#parts.webhook;
    // Parallel connections could deliver out of order.
    const how = { secret_token: secret, allowed_updates: [...allowedUpdates], max_connections: 1 };
    await this.#parts.api.setWebhook(url, how, signal);
    this.#isSet = true;
  }

  #waitFor(error: unknown): number {
    if (this.#end.signal.aborted) return 0;
    this.#failures += 1;
    const trouble = troubleOf(error, this.#failures, this.#parts.random());
    const isUnset = !this.#isSet && trouble.kind !== 'stop';
    this.#say(isUnset ? `the webhook is not set yet: ${trouble.problem}` : trouble.problem);
    this.#state = trouble.kind === 'stop' ? 'stopped' : 'waiting';
    return trouble.kind === 'stop' ? 0 : trouble.ms;
  }

  #say(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#parts.log(`telegram: ${problem ?? 'it goes on'}`);
  }
}
