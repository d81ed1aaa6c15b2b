// Refusals of several chats within seconds mean the bot as a whole.

interface Refusal {
  readonly lane: string;
  readonly at: number;
  readonly until: number;
}

const windowMs = 5_000;
const lanesThatMeanAll = 3;

export class Floods {
  #recent: readonly Refusal[] = [];

  /** Until when everybody waits; null: it is that chat alone. */
  note(refusal: Refusal): number | null {
    const others = this.#recent.filter(({ lane, at }) => lane !== refusal.lane && at > refusal.at - windowMs);
    this.#recent = [...others, refusal];
    // Each waits for its own; all wait for what they have in common.
    return this.#recent.length < lanesThatMeanAll ? null : Math.min(...this.#recent.map(({ until }) => until));
  }
}
