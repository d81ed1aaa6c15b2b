// Tells addresses outside what happens. What is to be told is a row, written together with what it tells; it is sent once
// that is on disk, and stays until it arrived or was given up. One at a time for each address, in order; a slow or broken
// one holds up nothing but itself.
import { randomUUID } from 'node:crypto';
import type { Config, Home, WebhookConfig } from '../../config/index.js';
import { homeRedaction, type Redaction } from '../../config/index.js';
import type { State } from '../../engine/index.js';
import type { Call, CallRows, NewCall } from '../../store/index.js';
import { backoffMs, judge, type WebhookResponse } from './delivery-verdict.js';
import { type Posted, post, signatureOf } from './post-webhook.js';
import { bodyOf } from './webhook-body.js';
import { newsOf } from './webhook-events.js';

export interface WebhookParts {
  readonly calls: CallRows;
  readonly home: Pick<Home, 'secret' | 'apiToken'>;
  readonly config: () => Config;
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly backoffMs?: (tries: number) => number;
  readonly timeoutMs?: number;
}

const callTimeoutMs = 10_000;
/** What is under way when Bosun ends gets this long. */
const lastMs = 1_500;
const maxInFlight = 32;
const heldMs = 60_000;
/** Longer than this no timer sleeps; then it looks and sleeps on. */
const maxSleepMs = 24 * 3_600_000;
const kept = { done: 500, failed: 500, waiting: 5_000 };
/** Arrived calls between two times of clearing away. */
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
  /** Addresses whose last try could not even be written down; until when they are left alone. */
  readonly #held = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #isStarted = false;
  #isFresh = false;
  #sinceThinned = 0;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#redaction = homeRedaction(parts.config, parts.home, process.env);
  }

  /** What the addresses of a project are to be told of these changes; to be written with them. */
  callsOf(changes: readonly Change[], at: number): readonly NewCall[] {
    try {
      const calls = changes.flatMap((change) => this.#callsOf(change, at));
      if (calls.length > 0) this.#isFresh = true;
      return calls;
    } catch (error) {
      // Whoever wants to be told of a run must not be able to stop it.
      this.#parts.log(`webhooks: ${String(error)}`);
      return [];
    }
  }

  /** Takes up what an earlier process left. */
  start(): void {
    this.#isStarted = true;
    this.#clearAway();
    this.#look();
  }

  /** To be called after each commit. */
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
    const hooks = this.#parts.config().projects.find(({ name }) => name === project)?.webhooks ?? [];
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
      // The rows stay, and the next commit or the next start looks again.
      this.#parts.log(`webhooks: ${String(error)}`);
    }
  }

  /** Gives when the next one is due that nothing else leads to. */
  #sendDue(): number | null {
    const now = this.#parts.now();
    let next: number | null = null;
    for (const call of this.#parts.calls.heads()) {
      if (this.#inFlight.has(call.url)) continue;
      const hook = this.#hookOf(call);
      const dueAt = Math.max(call.nextAt, this.#held.get(call.url) ?? 0);
      if (hook === null) {
        this.#parts.calls.drop(call.project, call.url);
        // What is behind it, of another project, is looked at next.
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
        // What came of it is not on disk: without a pause it would be sent again and again.
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
    const { now, timeoutMs = callTimeoutMs } = this.#parts;
    const { url, body } = call;
    const headers = headersOf(body, hook.secret, now());
    const answer = await post({ url, body, headers, timeoutMs, signal: this.#ending.signal } satisfies Posted);
    // Cut off because Bosun ends: nobody's fault, and it is sent again at the next start.
    if (this.#ending.signal.aborted && answer.status === null) return;
    this.#settle(call, answer);
  }

  #settle(call: Call, answer: WebhookResponse): void {
    const { calls, log, now } = this.#parts;
    const tries = call.tries + 1;
    const verdict = judge(answer, { tries, at: call.at, now: now(), backoffMs: this.#parts.backoffMs ?? backoffMs });
    if (verdict.kind === 'arrived') calls.arrived(call.n);
    else if (verdict.kind === 'later') calls.retry(call.n, now() + verdict.afterMs, verdict.problem);
    else {
      calls.giveUp(call.n, verdict.problem);
      log(`webhooks: a call of ${call.project} to ${originOf(call.url)} is given up: ${verdict.problem}`);
    }
    this.#sinceThinned += 1;
    // Whoever does not take calls lets them pile up.
    if (verdict.kind !== 'arrived' || this.#sinceThinned >= pruneEvery) this.#prune();
  }

  #prune(): void {
    this.#sinceThinned = 0;
    this.#parts.calls.prune(kept);
  }

  /** Calls to addresses that config.yaml does not name any more are not wanted any more. */
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
    const found = this.#parts.config().projects.find(({ name }) => name === project);
    return found?.webhooks.find((hook) => hook.url === url) ?? null;
  }
}

/** Each address once, however often it is listed. */
function addressesFor(hooks: readonly WebhookConfig[], type: string): readonly string[] {
  const wanted = hooks.filter(({ events }) => events.some((event) => type.startsWith(`${event}.`)));
  return [...new Set(wanted.map(({ url }) => url))];
}

function headersOf(body: string, secret: string | null, now: number): Readonly<Record<string, string>> {
  const { id, type } = headOf(body);
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Bosun',
    'x-bosun-delivery': id,
    'x-bosun-event': type,
    ...(secret === null ? {} : { 'x-bosun-signature': signatureOf(secret, body, now) }),
  };
}

/** As `bodyOf` wrote it. */
function headOf(body: string): { readonly id: string; readonly type: string } {
  return JSON.parse(body) as { readonly id: string; readonly type: string };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an address that is none';
}
