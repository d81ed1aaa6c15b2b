// "typing …" counts against limits and must not delay a quick answer, so it waits a moment.
import type { Thread } from '../../../../store/index.js';

export interface TypingParts {
  readonly show: (thread: Thread) => void;
  readonly laneOf: (thread: Thread) => string;
  readonly after: (ms: number, act: () => void) => () => void;
}

/** Quick answers are sent by then. */
const firstMs = 1_000;
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
