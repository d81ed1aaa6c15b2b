// The calls of a platform that are under way: each comes to an end, and all of them when no more are to be made.
import type { CourierParts } from './carrier.js';
import type { Posted } from './outgoing-message.js';
import { limited } from './time-limit.js';

export type Call = (signal: AbortSignal) => Promise<Posted>;

/** What a call may still take when all is to end. */
const closeLimitMs = 2_000;

export class Calls {
  readonly #parts: Pick<CourierParts, 'clock' | 'onError'>;
  /** With all that follows from what came of them. */
  readonly #begun = new Map<Promise<void>, AbortController>();
  /** Beside the line. */
  readonly #asides = new Map<Promise<Posted>, AbortController>();

  constructor(parts: Pick<CourierParts, 'clock' | 'onError'>) {
    this.#parts = parts;
  }

  /** Without those beside the line. */
  get size(): number {
    return this.#begun.size;
  }

  /** `act` makes its call and settles what came of it; `end`: it is over, whatever came. */
  begin(act: (make: (call: Call) => Promise<Posted>) => Promise<void>, end: () => void): void {
    const controller = new AbortController();
    const begun = act((call) => this.#made(call, controller))
      .catch(this.#parts.onError)
      .finally(() => {
        this.#begun.delete(begun);
        end();
      });
    this.#begun.set(begun, controller);
  }

  async aside(call: Call): Promise<Posted> {
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

  #made(call: Call, controller: AbortController): Promise<Posted> {
    return limited(call, { ...this.#parts, controller });
  }
}
