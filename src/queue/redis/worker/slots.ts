// Queues share all free slots. BullMQ gives a freed slot to the queue whose job ended, so once a second the others go
// first.
import type { Worker } from 'bullmq';

export interface Slots {
  add(worker: Worker): void;
  take(worker: Worker): boolean;
  give(worker: Worker): void;
  /** For a job from elsewhere, even if no slot is free. Call the result when it ends. */
  occupy(): () => void;
  stop(): void;
}

/** By then the freeing queue has no use for the slot. */
const openAfterMs = 20;
const turnEveryMs = 1_000;

export function sharedSlots(count: number, onError: (error: unknown) => void): Slots {
  const busyOf = new Map<Worker, number>();
  let busy = 0;
  let isStopped = false;
  let turnAt = 0;
  let opening: NodeJS.Timeout | null = null;

  const pause = (worker: Worker) => {
    if (!worker.isPaused()) worker.pause(true).catch(onError);
  };
  const open = (worker: Worker) => {
    if (!isStopped && worker.isPaused()) worker.resume().catch(onError);
  };

  function share(): void {
    const free = Math.max(0, count - busy);
    for (const [worker, own] of busyOf) {
      worker.concurrency = Math.max(1, own + free);
      if (free === 0 && own === 0) pause(worker);
    }
  }

  function openAll(): void {
    opening = null;
    if (busy >= count) return;
    for (const [worker, own] of busyOf) {
      // BullMQ notices a greater concurrency only when one of its own jobs ends, or when it resumes.
      if (own > 0 && own < worker.concurrency) pause(worker);
      open(worker);
    }
  }

  function openSoon(): void {
    opening ??= setTimeout(openAll, openAfterMs).unref();
  }

  /** The queue that had the slot looks a moment later. */
  function giveTurn(last: Worker): void {
    turnAt = performance.now();
    pause(last);
    for (const worker of busyOf.keys()) if (worker !== last) open(worker);
  }

  return {
    add(worker) {
      busyOf.set(worker, 0);
      share();
    },
    take(worker) {
      if (busy >= count) return false;
      busy += 1;
      busyOf.set(worker, (busyOf.get(worker) ?? 0) + 1);
      share();
      return true;
    },
    give(worker) {
      const wasFull = busy >= count;
      busy -= 1;
      busyOf.set(worker, (busyOf.get(worker) ?? 1) - 1);
      if (isStopped) return;
      share();
      if (busyOf.size > 1 && wasFull && performance.now() - turnAt > turnEveryMs) giveTurn(worker);
      if (busyOf.size > 1) openSoon();
    },
    occupy() {
      busy += 1;
      share();
      return () => {
        busy -= 1;
        if (isStopped) return;
        share();
        openSoon();
      };
    },
    stop() {
      isStopped = true;
      if (opening !== null) clearTimeout(opening);
      for (const worker of busyOf.keys()) pause(worker);
    },
  };
}
