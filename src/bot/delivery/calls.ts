// The calls of a platform that are under way: each comes to an end, and all of them when no more are to be made.
import type { Clock } from '../../base/index.js';
import type { CourierParts } from './carrier.js';
import type { PostResult } from './outgoing-message.js';

export type Call = (signal: AbortSignal) => Promise<PostResult>;

/** What a call may still take when all is to end. */
const closeLimitMs = 2_000;

export class Calls {
  readonly #parts: Pick<CourierParts, 'clock' | 'onError'>;
  /** With all that follows from what came of them. */
  readonly #begun = new Map<Promise<void>, AbortController>();
  /** Beside the line. */
  readonly #asides = new Map<Promise<PostResult>, AbortController>();

  constructor(parts: Pick<CourierParts, 'clock' | 'onError'>) {
    this.#parts = parts;
  }

  /** Without those beside the line. */
  get size(): number {
    return this.#begun.size;
  }

  /** `act` makes its call and settles what came of it; `end`: it is over, whatever came. */
  begin(act: (make: (call: Call) => Promise<PostResult>) => Promise<void>, end: () => void): void {
    const controller = new AbortController();
    const begun = act((call) => this.#made(call, controller))
      .catch(this.#parts.onError)
      .finally(() => {
        this.#begun.delete(begun);
        end();
      });
    this.#begun.set(begun, controller);
  }

  async aside(call: Call): Promise<PostResult> {
    const controller = new AbortController();
    const made = this.#made(call, controller);
    this.#asides.set(made, controller);
    const posted = await made;
    this.#asides.delete(made);
    return posted;
  }

  async close(): Promise<void> {
    const stop = this.#parts.clock.after(closeLimitMs, () => {
      for (const controller of [...this.#begun.values(), ...this.#asides.values()]) controller.abort();
    });
    await Promise.all([...this.#begun.keys(), ...this.#asides.keys()]);
    stop();
  }

  #made(call: Call, controller: AbortController): Promise<PostResult> {
    return limited(call, { ...this.#parts, controller });
  }
}

// A call always comes to an end: a platform that accepts one and never answers is not waited for.
const callLimitMs = 90_000;

export interface Limited {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly controller: AbortController;
}

/** What fails here is a bug, and its parcel must not stop the others. */
export async function limited(
  call: (signal: AbortSignal) => Promise<PostResult>,
  { clock, onError, controller }: Limited,
): Promise<PostResult> {
  const { signal } = controller;
  const lost = new Promise<PostResult>((resolve) => {
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
