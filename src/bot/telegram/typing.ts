// "typing …" from the moment a message was heard until the first words about it come, so that nobody wonders whether
// anything happens. Worth nothing in itself: whatever else is due in the chat goes before it.
import type { Thread } from '../../dispatch/index.js';

export interface TypingParts {
  readonly show: (thread: Thread) => void;
  readonly laneOf: (thread: Thread) => string;
  readonly after: (ms: number, act: () => void) => () => void;
}

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
    if (this.#stops.size < maxChats) this.#show(thread, lane, 1);
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

  #show(thread: Thread, lane: string, times: number): void {
    this.#stops.delete(lane);
    this.#parts.show(thread);
    if (times >= maxShown) return;
    this.#stops.set(
      lane,
      this.#parts.after(refreshMs, () => this.#show(thread, lane, times + 1)),
    );
  }
}
