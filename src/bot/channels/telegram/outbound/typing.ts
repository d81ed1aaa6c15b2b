// "typing …" where words are long in coming, until they come, so that nobody wonders whether anything happens. Worth
// nothing in itself, and yet the platform counts it: right before words it would only hold them up.
import type { Thread } from '../../../../store/index.js';

export interface TypingParts {
  readonly show: (thread: Thread) => void;
  readonly laneOf: (thread: Thread) => string;
  readonly after: (ms: number, act: () => void) => () => void;
}

/** What can be said at once was said by then. */
const firstMs = 1_000;
/** The platform shows it for five seconds. */
const refreshMs = 4_500;
const maxShown = 5;
const maxChats = 100;

export class Typing {
  readonly #parts: TypingParts;
  readonly #stops = new Map<string, () => void>();

  constructor(parts: TypingParts) {
    this.#parts = parts;
  }

  begin(thread: Thread): void {
    const lane = this.#parts.laneOf(thread);
    this.end(thread);
    if (this.#stops.size < maxChats) this.#later(thread, lane, { ms: firstMs, times: 1 });
  }

  /** Words are there, or under way. */
  end(thread: Thread): void {
    const lane = this.#parts.laneOf(thread);
    this.#stops.get(lane)?.();
    this.#stops.delete(lane);
  }

  close(): void {
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }

  #later(thread: Thread, lane: string, { ms, times }: { readonly ms: number; readonly times: number }): void {
    const act = () => {
      this.#stops.delete(lane);
      this.#parts.show(thread);
      if (times < maxShown) this.#later(thread, lane, { ms: refreshMs, times: times + 1 });
    };
    this.#stops.set(lane, this.#parts.after(ms, act));
  }
}
