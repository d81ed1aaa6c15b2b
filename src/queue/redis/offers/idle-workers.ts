// Workers with a free slot get jobs directly, without BullMQ and without a question.
export interface IdleWorker {
  readonly session: string;
  readonly name: string;
}

export interface GrantTaker extends IdleWorker {
  readonly slots: number;
  readonly isAway: boolean;
}

export interface IdleWorkers {
  /** There are workers that take jobs directly, and none has a free slot. */
  readonly areBusy: boolean;
  /** Uses up a slot of the worker with the most free ones. */
  take(needsDisk: boolean): IdleWorker | null;
}

export function idleWorkers(takers: readonly GrantTaker[], heldBy: ReadonlyMap<string, number>): IdleWorkers {
  const free = takers.map((taker) => ({ taker, slots: taker.slots - (heldBy.get(taker.session) ?? 0) }));
  return {
    get areBusy() {
      return free.length > 0 && free.every(({ slots }) => slots <= 0);
    },
    take(needsDisk) {
      const able = free.filter(({ taker, slots }) => slots > 0 && !(needsDisk && taker.isAway));
      const [first] = able.sort((a, b) => b.slots - a.slots);
      if (first === undefined) return null;
      first.slots -= 1;
      return first.taker;
    },
  };
}
