import { type Envelope, emptyEnvelope } from '../engine/index.js';
import type { AttemptSpec, BosunConnection, JobControl, Progress, RunAttempt } from '../jobs/index.js';

export type AbortReason = 'cancel' | 'interrupted';

export interface ClaimedJob {
  readonly id: string;
  readonly worker: string;
  /** The job was settled elsewhere, so the handler's result no longer counts. */
  readonly isLost: boolean;
  readonly signal: AbortSignal;
  abort(reason: AbortReason): void;
  lose(): void;
  extend(byMs: number): void;
  wait(isWaiting: boolean): void;
  /** Never rejects: a handler's error becomes a fault. Does not start after an abort. */
  attempt(
    body: string,
    run: RunAttempt,
    report: (progress: Progress) => void,
    connection?: BosunConnection,
  ): Promise<Envelope>;
}

export function hold(id: string, worker: string): ClaimedJob {
  const aborting = new AbortController();
  const listeners: ((byMs: number) => void)[] = [];
  const waitListeners: ((isWaiting: boolean) => void)[] = [];
  let isLost = false;
  let extendedMs = 0;
  let isWaiting = false;

  function control(report: (progress: Progress) => void, connection?: BosunConnection): JobControl {
    return {
      signal: aborting.signal,
      onExtend(listen) {
        listeners.push(listen);
        if (extendedMs > 0) listen(extendedMs);
      },
      onWait(listen) {
        waitListeners.push(listen);
        if (isWaiting) listen(true);
      },
      report: (progress) => {
        if (!isLost) report(progress);
      },
      ...(connection !== undefined && { connection }),
    };
  }

  return {
    id,
    worker,
    get isLost() {
      return isLost;
    },
    signal: aborting.signal,
    abort: (reason) => aborting.abort(reason),
    lose() {
      isLost = true;
      aborting.abort('interrupted' satisfies AbortReason);
    },
    extend(byMs) {
      extendedMs += byMs;
      for (const listen of listeners) listen(byMs);
    },
    wait(waits) {
      if (waits === isWaiting) return;
      isWaiting = waits;
      for (const listen of waitListeners) listen(waits);
    },
    async attempt(body, run, report, connection) {
      if (aborting.signal.aborted) return aborted(aborting.signal);
      try {
        return await run(JSON.parse(body) as AttemptSpec, control(report, connection));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { ...aborted(aborting.signal), fault: { code: 'worker', message } };
      }
    },
  };
}

function aborted(signal: AbortSignal): Envelope {
  const killed = signal.reason === 'cancel' || signal.reason === 'interrupted' ? signal.reason : null;
  return { ...emptyEnvelope, killed };
}
