// The next poll confirms a batch, so updates that were not stored come again.
import { type Api, GrammyError } from 'grammy';
import type { Clock } from '../../../../base/index.js';
import { type Signal, signalOf, whyOf } from '../client.js';
import { troubleOf } from './poll-failure.js';
import { allowedUpdates, type TelegramBot } from './read/update-schema.js';

export interface PollerParts {
  /** Its timeout must exceed the poll's. */
  readonly openApi: () => Api;
  readonly me: TelegramBot | null;
  /** Throws if not stored. */
  readonly take: (update: unknown, me: TelegramBot) => void;
  /** Resolves once there is room for more. */
  readonly taken: () => Promise<void>;
  readonly onMe: (me: TelegramBot, api: Api) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: (message: string) => void;
}

export interface PollerHealth {
  readonly state: 'starting' | 'polling' | 'waiting' | 'stopped' | 'closed';
  readonly problem: string | null;
  readonly lastPollAt: number | null;
  readonly me: TelegramBot | null;
}

export const pollS = 30;
export const pollLimitS = pollS + 15;
/** Watchdog: a call silent for this long is abandoned and the connection renewed. */
const deafMs = 120_000;

class Deaf extends Error {}
class NotWritten extends Error {}

export class Poller {
  readonly #parts: PollerParts;
  #api: Api;
  #me: TelegramBot | null;
  #offset = 0;
  #failures = 0;
  #hasRival = false;
  #said = '';
  #state: PollerHealth['state'] = 'starting';
  #problem: string | null = null;
  #lastPollAt: number | null = null;
  #running: Promise<void> | null = null;
  #call = new AbortController();
  #endWait: (() => void) | null = null;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#api = parts.openApi();
    this.#me = parts.me;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#call.abort();
    this.#endWait?.();
    await this.#running;
  }

  get health(): PollerHealth {
    return { state: this.#state, problem: this.#problem, lastPollAt: this.#lastPollAt, me: this.#me };
  }

  async #run(): Promise<void> {
    while (!this.#isOver()) {
      try {
        this.#fine(await this.#turn());
      } catch (error) {
        if (!this.#isOver()) await this.#waitOut(error);
      }
    }
  }

  #isOver(): boolean {
    return this.#state === 'closed' || this.#state === 'stopped';
  }

  async #turn(): Promise<boolean> {
    const me = this.#me ?? (await this.#introduce());
    // The first poll does not wait, to learn at once that polling works.
    const timeout = this.#state === 'polling' ? pollS : 0;
    const updates = await this.#answered((signal) =>
      this.#api.getUpdates({ offset: this.#offset, timeout, limit: 100, allowed_updates: [...allowedUpdates] }, signal),
    );
    this.#lastPollAt = this.#parts.clock.now();
    // Nothing is unconfirmed, so resetting is safe: after an idle week Telegram restarts ids at a random number.
    if (updates.length === 0) this.#offset = 0;
    try {
      for (const update of updates) {
        if (this.#isOver()) return true;
        this.#write(update, me);
        if (Number.isSafeInteger(update.update_id)) this.#offset = Math.max(this.#offset, update.update_id + 1);
      }
    } finally {
      await this.#parts.taken();
    }
    return timeout > 0;
  }

  #write(update: unknown, me: TelegramBot): void {
    try {
      this.#parts.take(update, me);
    } catch (error) {
      throw new NotWritten(whyOf(error));
    }
  }

  async #introduce(): Promise<TelegramBot> {
    const { id, username } = await this.#answered((signal) => this.#api.getMe(signal));
    this.#me = { id, username };
    this.#parts.onMe(this.#me, this.#api);
    return this.#me;
  }

  /** Rejects even if the call never ends. */
  async #answered<T>(call: (signal: Signal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#call = controller;
    let cancel: () => void = () => undefined;
    const deaf = new Promise<never>((_, reject) => {
      cancel = this.#parts.clock.after(deafMs, () => reject(new Deaf('no answer')));
      controller.signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
    });
    try {
      return await Promise.race([call(signalOf(controller)), deaf]);
    } catch (error) {
      if (error instanceof Deaf) controller.abort();
      throw error;
    } finally {
      cancel();
    }
  }

  /** Rivals interrupt only long polls, so only a completed one proves them gone. */
  #fine(wasLong: boolean): void {
    if (!this.#isOver()) this.#state = 'polling';
    if (this.#hasRival && !wasLong) return;
    if (this.#problem !== null) this.#parts.log('telegram: it goes on');
    this.#hasRival = false;
    this.#failures = 0;
    this.#said = '';
    this.#problem = null;
  }

  async #waitOut(error: unknown): Promise<void> {
    this.#failures += 1;
    if (error instanceof Deaf) {
      this.#say('no poll came back for two minutes: the connection is made anew');
      this.#api = this.#parts.openApi();
      return;
    }
    const told = troubleOf(error, this.#failures, this.#parts.random());
    const isOwn = error instanceof NotWritten;
    const trouble = isOwn ? { ...told, problem: `what comes in cannot be written down: ${error.message}` } : told;
    this.#say(trouble.problem);
    if (trouble.kind === 'stop') {
      this.#state = 'stopped';
      return;
    }
    this.#state = 'waiting';
    this.#hasRival = error instanceof GrammyError && error.error_code === 409;
    if (trouble.kind === 'webhook') await this.#removeWebhook();
    await this.#wait(trouble.ms);
  }

  async #removeWebhook(): Promise<void> {
    try {
      await this.#answered((signal) => this.#api.deleteWebhook({ drop_pending_updates: false }, signal));
    } catch (error) {
      this.#say(`the webhook of this bot cannot be removed: ${whyOf(error)}`);
    }
  }

  #wait(ms: number): Promise<void> {
    if (this.#isOver()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#endWait = null;
        resolve();
      };
      const cancel = this.#parts.clock.after(ms, end);
      this.#endWait = end;
    });
  }

  #say(problem: string): void {
    this.#problem = problem;
    if (problem === this.#said) return;
    this.#said = problem;
    this.#parts.log(`telegram: ${problem}`);
  }
}
