import type { QueueClock } from '../../base/index.js';
import type { JobRows, LeasedJob } from '../../jobs/index.js';

export interface LeaseOptions {
  readonly jobs: JobRows;
  readonly clock: QueueClock;
  readonly leaseMs: number;
  readonly instance: string;
  /** Another process took over a job that runs here. */
  taken(id: string): void;
  /** A watched lease expired. If this rejects, it is watched again. */
  lost(job: LeasedJob): Promise<void>;
  gone(id: string): void;
  report(error: unknown): void;
}

export interface Leases {
  until(): number;
  keep(id: string): void;
  drop(id: string): void;
  watch(job: LeasedJob): void;
  unwatch(id: string): boolean;
  watched(): readonly LeasedJob[];
  start(): void;
  close(): void;
}

export function leases(options: LeaseOptions): Leases {
  const { jobs, clock, leaseMs, instance } = options;
  const kept = new Set<string>();
  const watching = new Map<string, LeasedJob>();
  let isStarted = false;
  let stopBeat: (() => void) | null = null;
  let alarm: { readonly at: number; readonly stop: () => void } | null = null;

  const until = () => clock.now() + leaseMs;

  function scheduleBeat(): void {
    if (stopBeat === null && kept.size > 0) stopBeat = clock.after(leaseMs / 3, beat);
  }

  function beat(): void {
    stopBeat = null;
    try {
      for (const id of jobs.renew([...kept], instance, until())) {
        kept.delete(id);
        options.taken(id);
      }
    } catch (error) {
      options.report(error);
    }
    scheduleBeat();
  }

  function setAlarm(): void {
    if (!isStarted || watching.size === 0) return;
    let at = Number.POSITIVE_INFINITY;
    for (const job of watching.values()) at = Math.min(at, job.leaseUntil);
    if (alarm !== null && alarm.at <= at) return;
    alarm?.stop();
    alarm = { at, stop: clock.after(Math.max(0, at - clock.now()), look) };
  }

  function look(): void {
    alarm = null;
    for (const job of [...watching.values()]) {
      if (job.leaseUntil <= clock.now()) void settle(job);
    }
    setAlarm();
  }

  async function settle(job: LeasedJob): Promise<void> {
    watching.delete(job.id);
    try {
      const lease = jobs.takeOver(job.id, instance, clock.now(), until());
      if (lease === 'taken') await options.lost(job);
      else if (lease === 'ended') options.gone(job.id);
      else watch({ ...job, leaseUntil: lease.leaseUntil });
    } catch (error) {
      options.report(error);
      watch({ ...job, leaseUntil: until() });
    }
  }

  function watch(job: LeasedJob): void {
    watching.set(job.id, job);
    setAlarm();
  }

  return {
    until,
    watch,
    keep(id) {
      kept.add(id);
      scheduleBeat();
    },
    drop: (id) => {
      kept.delete(id);
    },
    unwatch: (id) => watching.delete(id),
    watched: () => [...watching.values()],
    start() {
      isStarted = true;
      setAlarm();
    },
    close() {
      isStarted = false;
      stopBeat?.();
      alarm?.stop();
      kept.clear();
      watching.clear();
    },
  };
}
