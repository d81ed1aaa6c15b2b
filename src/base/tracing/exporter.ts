// Batches; retries with backoff and drops the oldest spans beyond a limit.
import { backoffMs } from '../async/backoff.js';
import type { Log } from '../logging/index.js';
import { otlpBody, type Sender } from './otlp.js';
import type { Span } from './span.js';

export interface ExporterParts {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sender: Sender;
  readonly log: Log;
  readonly sendEveryMs: number;
  readonly retryMs: number;
  readonly timeoutMs: number;
  readonly maxWaiting: number;
}

export const usualExport = { sendEveryMs: 5_000, retryMs: 2_000, timeoutMs: 10_000, maxWaiting: 2_048 };

const maxBatch = 256;
const longestRetryMs = 60_000;

export class Exporter {
  readonly #parts: ExporterParts;
  #waiting: Span[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #failures = 0;
  #dropped = 0;
  #isClosed = false;
  readonly #ending = new AbortController();

  constructor(parts: ExporterParts) {
    this.#parts = parts;
  }

  add(spans: readonly Span[]): void {
    if (this.#isClosed || spans.length === 0) return;
    this.#waiting.push(...spans);
    this.#shed();
    this.#schedule(this.#parts.sendEveryMs);
  }

  /** Flushes until the first failure or the time limit. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    const timer = setTimeout(() => this.#ending.abort(), withinMs);
    await this.#sending;
    while (this.#waiting.length > 0 && this.#failures === 0 && !this.#ending.signal.aborted) await this.#send();
    clearTimeout(timer);
  }

  #schedule(inMs: number): void {
    if (this.#isClosed || this.#timer !== null || this.#sending !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#sending = this.#send().finally(() => {
        this.#sending = null;
        if (this.#waiting.length > 0) this.#schedule(this.#failures > 0 ? this.#retryDelayMs() : 0);
      });
    }, inMs).unref();
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.splice(0, maxBatch);
    const why = await this.#post(batch);
    if (why === null) {
      this.#arrived();
      return;
    }
    this.#failures += 1;
    this.#waiting.unshift(...batch);
    this.#shed();
    if (this.#failures === 1) this.#parts.log(`traces: cannot send to ${this.#place}: ${why}`, { level: 'warn' });
  }

  /** Null: accepted, or refused for good. */
  async #post(batch: readonly Span[]): Promise<string | null> {
    const { url, headers, sender, log, timeoutMs } = this.#parts;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: otlpBody(sender, batch),
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#ending.signal]),
      });
      await answer.body?.cancel();
      if (answer.ok) return null;
      const isPassing = answer.status === 408 || answer.status === 429 || answer.status >= 500;
      if (isPassing) return `HTTP ${answer.status}`;
      this.#dropped += batch.length;
      log(`traces: ${this.#place} rejected a batch with HTTP ${answer.status}: dropped ${batch.length}`, {
        level: 'warn',
      });
      return null;
    } catch (error) {
      return error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : 'unknown';
    }
  }

  #arrived(): void {
    if (this.#failures > 0) {
      this.#parts.log(`traces: ${this.#place} accepts them again; ${this.#dropped} were dropped during the outage`);
      this.#dropped = 0;
    }
    this.#failures = 0;
  }

  #shed(): void {
    const tooMany = this.#waiting.length - this.#parts.maxWaiting;
    if (tooMany <= 0) return;
    this.#waiting.splice(0, tooMany);
    this.#dropped += tooMany;
  }

  #retryDelayMs(): number {
    return backoffMs(this.#failures, { firstMs: this.#parts.retryMs, mostMs: longestRetryMs });
  }

  /** The host only: the URL may hold secrets. */
  get #place(): string {
    return new URL(this.#parts.url).host;
  }
}
