// What workers in other processes tell, on its way to those who listen: their checkpoints are put on record, and what a
// dead one left behind on this machine is ended before somebody else gets its checkout.
import type { AttemptNotes, Before } from './attempt-notes.js';
import type { QueueEvents } from './queue/index.js';

export interface AfarParts {
  readonly events: QueueEvents;
  readonly notes: AttemptNotes;
  readonly beforeOf: (attempt: string) => Before;
  readonly setCheckpoint: (attempt: string, checkpoint: string) => void;
  /** Ends every process of this attempt on this machine. */
  readonly endProcesses: (attempt: string) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/** How workers in Bosun's own process are called: they die with it. */
export const ownWorker = 'local-';

export function hearAfar({ events, notes, ...parts }: AfarParts): QueueEvents {
  const noted = new Set<string>();

  function note(id: string): void {
    if (noted.has(id)) return;
    const checkpoint = notes.readCheckpoint(id);
    if (checkpoint === null) return;
    parts.setCheckpoint(id, JSON.stringify(checkpoint));
    noted.add(id);
  }

  function over(id: string): void {
    noted.delete(id);
    notes.forget(id);
  }

  /** Without its files it is measured from its own beginning alone: no reason to let it fail. */
  function safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      parts.onError(error);
    }
  }

  return {
    async started(id, worker) {
      if (!worker.startsWith(ownWorker)) safely(() => notes.writeBefore(id, parts.beforeOf(id)));
      return events.started(id, worker);
    },
    progress(id, progress) {
      if (progress.type === 'started') safely(() => note(id));
      events.progress(id, progress);
    },
    async finished(id, envelope) {
      safely(() => note(id));
      await events.finished(id, envelope);
      safely(() => over(id));
    },
    async lost(id, worker) {
      safely(() => note(id));
      await parts.endProcesses(id);
      await events.lost(id, worker);
      safely(() => over(id));
    },
  };
}
