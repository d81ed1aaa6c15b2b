// Heartbeats go to Bosun and to a key for other tools. A cut-off is reported at two thirds of the lease, before Bosun
// reassigns jobs.
import type { Redis } from 'ioredis';
import type { QueueClock } from '../../../base/index.js';
import { leaseIn } from '../connection/home-heartbeat.js';
import type { ShownWorker } from '../connection/inspect.js';
import { isFull, type Problems } from '../connection/problems.js';
import type { WorkerMessage } from '../protocol/messages.js';
import type { Names } from '../protocol/redis-keys.js';

type Beat = Extract<WorkerMessage, { type: 'beat' }>;

export interface WorkerHeartbeatOptions {
  readonly redis: Redis;
  readonly names: Names;
  readonly session: string;
  readonly clock: QueueClock;
  readonly leaseMs: number;
  readonly problems: Problems;
  readonly state: () => Beat;
  readonly say: (up: WorkerMessage) => Promise<void>;
  readonly onCutOff: () => void;
}

const downKeptMs = 3_600_000;
const mostShown = 200;

export class WorkerHeartbeat {
  readonly #options: WorkerHeartbeatOptions;
  /** By both clocks: the wall clock can be set, the steady one stops during sleep. */
  #contact: Moment;
  #leaseMs: number;
  #stop: () => void = () => undefined;
  #isOver = false;

  constructor(options: WorkerHeartbeatOptions) {
    this.#options = options;
    this.#contact = momentOf(options.clock);
    this.#leaseMs = options.leaseMs;
    this.#schedule();
  }

  async now(): Promise<void> {
    const { redis, names, session, clock, problems, say, state } = this.#options;
    const sent = momentOf(clock);
    try {
      await say(state());
      this.#follow(leaseIn(await redis.get(names.alive)));
      await redis.pexpire(names.down(session), downKeptMs);
      await redis.set(names.worker(session), JSON.stringify(shown(state())), 'PX', this.#leaseMs * 8);
      problems.clear();
      this.#contact = sent;
    } catch (error) {
      problems.note(error);
      // A full Redis still counts as reached: Bosun finds it full as well.
      if (isFull(error)) this.#contact = sent;
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#stop();
  }

  /** Bosun decides how long a silent worker counts as alive. */
  #follow(leaseMs: number | null): void {
    if (leaseMs === null || leaseMs === this.#leaseMs) return;
    this.#leaseMs = leaseMs;
    this.#stop();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isOver) return;
    this.#stop = this.#options.clock.after(this.#leaseMs / 6, () => {
      this.#fence();
      void this.now();
      this.#schedule();
    });
  }

  #fence(): void {
    const { clock, onCutOff } = this.#options;
    const { now, steady } = momentOf(clock);
    const silentMs = Math.max(now - this.#contact.now, steady - this.#contact.steady);
    if (silentMs >= (this.#leaseMs * 2) / 3) onCutOff();
  }
}

interface Moment {
  readonly now: number;
  readonly steady: number;
}

function momentOf(clock: QueueClock): Moment {
  return { now: clock.now(), steady: clock.steady() };
}

function shown({ name, slots, runs, host, isAway, can, bosun, version, isDraining }: Beat): ShownWorker {
  const ids = runs.slice(0, mostShown);
  return { name, slots, runs: runs.length, at: Date.now(), ids, host, isAway, can, bosun, version, isDraining };
}
