// A call always comes to an end: a platform that accepts one and never answers is not waited for.
import type { Clock } from '../../base/index.js';
import type { Posted } from './outgoing-message.js';

const callLimitMs = 90_000;

export interface Limited {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly controller: AbortController;
}

/** What fails here is a bug, and its parcel must not stop the others. */
export async function limited(
  call: (signal: AbortSignal) => Promise<Posted>,
  { clock, onError, controller }: Limited,
): Promise<Posted> {
  const { signal } = controller;
  const lost = new Promise<Posted>((resolve) => {
    const giveUp = (why: string) => resolve({ kind: 'lost', mayHaveArrived: true, why });
    signal.addEventListener('abort', () => giveUp(`no answer within ${callLimitMs / 1_000} s`));
    if (signal.aborted) giveUp('it was given up');
  });
  const stop = clock.after(callLimitMs, () => controller.abort());
  try {
    return await Promise.race([call(signal), lost]);
  } catch (error) {
    onError(error);
    return { kind: 'refused', why: 'an error inside Bosun; its log tells more', of: 'message' };
  } finally {
    stop();
  }
}
