// Explains why an attempt waits. If no worker can take it, its followers are told once.

import { homeDisk, type NeedsOf } from '../../jobs/index.js';
import type { RuntimeQueue } from '../../queue/index.js';
import type { SqliteStore, Store } from '../../store/index.js';
import { isTaking, lackingOf, type WorkerStatus } from '../attempts/worker-status.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';
import type { MissingCapability, MissingCapabilityText, Presenter } from '../plans/presenter.js';

export interface QueueDiagnosticsParts {
  readonly store: Pick<Store, 'attempt'> & Pick<SqliteStore, 'jobs'>;
  readonly queue: Pick<RuntimeQueue, 'onOffer' | 'problem'>;
  readonly workers: () => readonly WorkerStatus[];
  readonly needsOf: () => NeedsOf;
  readonly leaseMs: number;
  readonly present: Pick<Presenter, 'untaken'>;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  readonly tellAfterMs: number;
}

const mostLookedAt = 1_000;

export class QueueDiagnostics {
  readonly #parts: QueueDiagnosticsParts;
  readonly #tellAfterMs: number;
  readonly #told = new Map<string, ReadonlySet<string>>();
  /** After the start workers need a lease to show up. */
  readonly #openedAt: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: QueueDiagnosticsParts) {
    this.#parts = parts;
    // A worker counts as missing only after a lease.
    this.#tellAfterMs = Math.max(parts.tellAfterMs, parts.leaseMs);
    this.#openedAt = parts.now();
  }

  of(attempt: string): string | null {
    const { store, queue, needsOf } = this.#parts;
    const row = store.attempt(attempt);
    const spec = row?.attempt.state === 'queued' ? store.jobs.payload(attempt) : null;
    if (!row || spec === null) return null;
    if ((row.attempt.notBefore ?? 0) > this.#parts.now()) return 'its time';
    if (queue.problem) return `Redis: ${queue.problem.replace(/\.$/, '')}`;
    const lack = this.#lackOf(queue.onOffer === undefined ? [] : needsOf()(spec));
    if (lack !== null) return `${lack.what}: ${lack.why}`;
    if (queue.onOffer?.().has(attempt)) return 'a worker with a free slot';
    return this.#isCheckoutTaken(attempt, spec.workdir)
      ? 'its checkout: another attempt is running there'
      : 'its turn: other jobs go first';
  }

  /** Checks after a delay if a worker took the new jobs. */
  more(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.look().catch(this.#parts.onError);
    }, this.#tellAfterMs + 1).unref();
  }

  async look(): Promise<void> {
    const lacks = this.#lacks();
    if (lacks.length === 0) this.#told.clear();
    if (lacks.length === 0) return;
    await this.#parts.submit((now) => {
      const byThread = new Map<string, MissingCapability[]>();
      for (const lack of lacks) {
        for (const thread of now.followers(lack.run)) byThread.set(thread, [...(byThread.get(thread) ?? []), lack]);
      }
      const before = new Map(this.#told);
      this.#told.clear();
      const messages = [...byThread].flatMap(([thread, own]) => {
        this.#told.set(thread, new Set(own.map(keyOf)));
        const news = own.filter((lack) => before.get(thread)?.has(keyOf(lack)) !== true);
        return [...grouped(news)].map(([, some]) => this.#parts.present.untaken(some, thread, now.at));
      });
      return { ...emptyPlan, messages: messages.flat() };
    });
  }

  close(): void {
    clearTimeout(this.#timer ?? undefined);
  }

  #lacks(): readonly MissingCapability[] {
    const { store, queue, needsOf, now } = this.#parts;
    // Problems of Redis are told elsewhere.
    if (queue.problem) return [];
    const mayBeTold = (id: string) => {
      const row = store.attempt(id);
      if (row?.attempt.state !== 'queued') return null;
      const since = Math.max(row.attempt.dispatchedAt, row.attempt.notBefore ?? 0, this.#openedAt);
      return now() - since >= this.#tellAfterMs ? row : null;
    };
    return store.jobs.waitingNeeds(mostLookedAt).flatMap(({ id, project, checkout, needs }) => {
      const row = mayBeTold(id);
      if (row === null) return [];
      const all = queue.onOffer === undefined ? [] : needsOf()({ project, workdir: checkout ?? '', needs });
      const words = this.#lackOf(all);
      return words === null ? [] : [{ run: row.run, project, words }];
    });
  }

  #lackOf(needs: readonly string[]): MissingCapabilityText | null {
    const { workers, queue, leaseMs, now } = this.#parts;
    const watch = { at: now(), leaseMs };
    const taking = workers().filter(({ seenAt, self }) => isTaking(seenAt, self, watch));
    return lackWords(lackingOf(taking, needs), queue.onOffer !== undefined);
  }

  #isCheckoutTaken(attempt: string, workdir: string): boolean {
    return this.#parts.store.jobs.leased().some(({ id, checkout }) => id !== attempt && checkout === workdir);
  }
}

function keyOf({ project, words }: MissingCapability): string {
  return `${project}\n${words.what}`;
}

function grouped(lacks: readonly MissingCapability[]): ReadonlyMap<string, readonly MissingCapability[]> {
  const groups = new Map<string, MissingCapability[]>();
  for (const lack of lacks) groups.set(keyOf(lack), [...(groups.get(keyOf(lack)) ?? []), lack]);
  return groups;
}

/** `lacking` null: no workers. Returns null if nothing is lacking. */
export function lackWords(lacking: readonly string[] | null, isElsewhere: boolean): MissingCapabilityText | null {
  if (lacking === null) return isElsewhere ? nobody : nobodyHere;
  if (lacking.length === 0) return null;
  const others = lacking.filter((need) => need !== homeDisk);
  const parts = [
    others.length === lacking.length ? '' : "has Bosun's disk",
    others.length === 0 ? '' : `can do ${others.join(' and ')}`,
  ].filter((part) => part !== '');
  return {
    what: `a worker that ${parts.join(' and ')}`,
    why: 'no active worker does',
    start: ['bosun worker', ...others.map((need) => `--can ${need}`)].join(' '),
  };
}

const nobody: MissingCapabilityText = { what: 'a worker', why: 'no worker is active', start: 'bosun worker' };

const nobodyHere: MissingCapabilityText = {
  what: 'a worker',
  why: 'this Bosun runs no worker',
  start: 'bosun up without --no-worker',
};
