import type { QueueClock } from '../../base/index.js';

interface Timed {
  readonly id: string;
  readonly notBefore: number | null;
}

export interface DelayedJobs<J extends Timed> {
  add(job: J): void;
  remove(id: string): void;
  close(): void;
}

/** Timers stop during sleep, and one that is too long fires at once. */
const longestMs = 3_600_000;

export function later<J extends Timed>(clock: QueueClock, letIn: (due: readonly J[]) => void): DelayedJobs<J> {
  const waiting = new Map<string, J>();
  let alarm: { readonly at: number; readonly stop: () => void } | null = null;

  function setAlarm(): void {
    const at = Math.min(...[...waiting.values()].map(timeOf));
    if (!Number.isFinite(at) || (alarm !== null && alarm.at <= at)) return;
    alarm?.stop();
    alarm = { at, stop: clock.after(Math.min(Math.max(0, at - clock.now()), longestMs), look) };
  }

  function look(): void {
    alarm = null;
    const now = clock.now();
    const due = [...waiting.values()].filter((job) => timeOf(job) <= now);
    for (const { id } of due) waiting.delete(id);
    if (due.length > 0) letIn(due);
    setAlarm();
  }

  return {
    add(job) {
      waiting.set(job.id, job);
      setAlarm();
    },
    remove: (id) => {
      waiting.delete(id);
    },
    close() {
      waiting.clear();
      alarm?.stop();
    },
  };
}

function timeOf({ notBefore }: Timed): number {
  return notBefore ?? 0;
}
