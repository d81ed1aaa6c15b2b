import type { Clock } from '../../base/index.js';
import type { CourierParts } from './carrier.js';
import type { PostResult } from './outgoing-message.js';

export type Call = (signal: AbortSignal) => Promise<PostResult>;

/** Calls get this long at shutdown before they are aborted. */
const closeLimitMs = 2_000;

export class Calls {
  readonly #parts: Pick<CourierParts, 'clock' | 'onError'>;
  readonly #begun = new Map<Promise<void>, AbortController>();
  readonly #asides = new Map<Promise<PostResult>, AbortController>();

  constructor(parts: Pick<CourierParts, 'clock' | 'onError'>) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#begun.size;
  }

  /** `act` records the result; `end` always runs. */
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

/** A platform may accept a connection and never answer. */
const callLimitMs = 90_000;

export interface Limited {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly controller: AbortController;
}

/** A bug is logged and refuses only this message. */
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
