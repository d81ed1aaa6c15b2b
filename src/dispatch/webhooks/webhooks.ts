// At least once: a call is a row committed with its change, kept until delivered or given up. One at a time per
// address, so a slow receiver delays only itself.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Config, Home, WebhookConfig } from '../../config/index.js';
import { homeRedaction, projectWithName, type Redaction } from '../../config/index.js';
import type { State } from '../../engine/index.js';
import type { Call, CallRows, NewCall } from '../../store/index.js';
import { callBackoffMs, judge, type WebhookResponse } from './delivery-verdict.js';
import { type Posted, post, signatureOf } from './post-webhook.js';
import { bodyOf } from './webhook-body.js';
import { newsOf } from './webhook-events.js';

export interface WebhookParts {
  readonly calls: CallRows;
  readonly home: Pick<Home, 'secret' | 'apiToken'>;
  readonly config: () => Config;
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly backoffMs: (tries: number) => number;
  readonly timeoutMs: number;
}

export const usualCallTiming = { timeoutMs: 10_000, backoffMs: callBackoffMs };
const lastMs = 1_500;
const maxInFlight = 32;
const heldMs = 60_000;
/** Bounds a timer; then the queue is checked again. */
const maxSleepMs = 24 * 3_600_000;
const kept = { done: 500, failed: 500, waiting: 5_000 };
const pruneEvery = 100;

interface Change {
  readonly before: State | null;
  readonly after: State;
}

export class Webhooks {
  readonly #parts: WebhookParts;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #redaction: Redaction;
  readonly #ending = new AbortController();
  /** Paused: their last result could not be stored. */
  readonly #held = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #isStarted = false;
  #isFresh = false;
  #sinceThinned = 0;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#redaction = homeRedaction(parts.config, parts.home, process.env);
  }

  callsOf(changes: readonly Change[], at: number): readonly NewCall[] {
    try {
      const calls = changes.flatMap((change) => this.#callsOf(change, at));
      if (calls.length > 0) this.#isFresh = true;
      return calls;
    } catch (error) {
      // A webhook must never block a run.
      this.#parts.log(`webhooks: ${String(error)}`);
      return [];
    }
  }

  start(): void {
    this.#isStarted = true;
    this.#clearAway();
    this.#look();
  }

  wake(): void {
    if (!this.#isFresh) return;
    this.#isFresh = false;
    this.#look();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#isStarted = false;
    const cut = setTimeout(() => this.#ending.abort(), lastMs);
    await Promise.allSettled(this.#inFlight.values());
    clearTimeout(cut);
  }

  #callsOf(change: Change, at: number): readonly NewCall[] {
    const { project } = change.after.run;
    const hooks = projectWithName(this.#parts.config(), project)?.webhooks ?? [];
    if (hooks.length === 0) return [];
    return newsOf(change).flatMap((news) => {
      const body = bodyOf({ ...news, id: randomUUID(), at, redact: this.#redaction.redact });
      return addressesFor(hooks, news.type).map((url) => ({ project, url, at, body }));
    });
  }

  #look(): void {
    if (!this.#isStarted) return;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    try {
      const next = this.#sendDue();
      if (next === null) return;
      const sleepMs = Math.max(0, Math.min(next - this.#parts.now(), maxSleepMs));
      this.#timer = setTimeout(() => this.#look(), sleepMs).unref();
    } catch (error) {
      this.#parts.log(`webhooks: ${String(error)}`);
    }
  }

  /** The next due time that the end of a call does not trigger. */
  #sendDue(): number | null {
    const now = this.#parts.now();
    let next: number | null = null;
    for (const call of this.#parts.calls.heads()) {
      if (this.#inFlight.has(call.url)) continue;
      const hook = this.#hookOf(call);
      const dueAt = Math.max(call.nextAt, this.#held.get(call.url) ?? 0);
      if (hook === null) {
        this.#parts.calls.drop(call.project, call.url);
        // The next call may belong to another project.
        next = now;
      } else if (dueAt > now) next = Math.min(next ?? dueAt, dueAt);
      else if (this.#inFlight.size < maxInFlight) this.#send(call, hook);
    }
    return next;
  }

  #send(call: Call, hook: WebhookConfig): void {
    const sending = this.#try(call, hook)
      .then(() => void this.#held.delete(call.url))
      .catch((error: unknown) => {
        // Without a pause an unstored result would resend in a loop.
        this.#held.set(call.url, this.#parts.now() + heldMs);
        this.#parts.log(`webhooks: ${String(error)}`);
      })
      .finally(() => {
        this.#inFlight.delete(call.url);
        this.#look();
      });
    this.#inFlight.set(call.url, sending);
  }

  async #try(call: Call, hook: WebhookConfig): Promise<void> {
    const { now, timeoutMs } = this.#parts;
    const { url, body } = call;
    const headers = headersOf(body, hook.secret, now());
    const answer = await post({ url, body, headers, timeoutMs, signal: this.#ending.signal } satisfies Posted);
    // A shutdown is not a try: sent again at the next start.
    if (this.#ending.signal.aborted && answer.status === null) return;
    this.#settle(call, answer);
  }

  #settle(call: Call, answer: WebhookResponse): void {
    const { calls, log, now, backoffMs } = this.#parts;
    const tries = call.tries + 1;
    const verdict = judge(answer, { tries, at: call.at, now: now(), backoffMs });
    if (verdict.kind === 'arrived') calls.arrived(call.n);
    else if (verdict.kind === 'later') calls.retry(call.n, now() + verdict.afterMs, verdict.problem);
    else {
      calls.giveUp(call.n, verdict.problem);
      log(`webhooks: gave up a call of ${call.project} to ${originOf(call.url)}: ${verdict.problem}`);
    }
    this.#sinceThinned += 1;
    // Calls pile up at a receiver that rejects.
    if (verdict.kind !== 'arrived' || this.#sinceThinned >= pruneEvery) this.#prune();
  }

  #prune(): void {
    this.#sinceThinned = 0;
    this.#parts.calls.prune(kept);
  }

  #clearAway(): void {
    const { calls, log } = this.#parts;
    try {
      for (const address of calls.addresses()) {
        if (this.#hookOf(address) === null) calls.drop(address.project, address.url);
      }
      this.#prune();
    } catch (error) {
      log(`webhooks: ${String(error)}`);
    }
  }

  #hookOf({ project, url }: { readonly project: string; readonly url: string }): WebhookConfig | null {
    return projectWithName(this.#parts.config(), project)?.webhooks.find((hook) => hook.url === url) ?? null;
  }
}

function addressesFor(hooks: readonly WebhookConfig[], type: string): readonly string[] {
  const wanted = hooks.filter(({ events }) => events.some((event) => type.startsWith(`${event}.`)));
  return [...new Set(wanted.map(({ url }) => url))];
}

function headersOf(body: string, secret: string | null, now: number): Readonly<Record<string, string>> {
  const { id, type } = headSchema.parse(JSON.parse(body));
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Bosun',
    'x-bosun-delivery': id,
    'x-bosun-event': type,
    ...(secret === null ? {} : { 'x-bosun-signature': signatureOf(secret, body, now) }),
  };
}

const headSchema = z.object({ id: z.string(), type: z.string() });

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an invalid address';
}
