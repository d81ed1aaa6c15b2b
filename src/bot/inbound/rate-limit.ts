// Counts by sending time, so that a backlog is no flood.

export type RateVerdict = 'fine' | 'warn' | 'silent';

const windowMs = 60_000;
const maxInWindow = 20;
const maxKept = 64;

interface Sender {
  times: number[];
  wasWarned: boolean;
}

export class RateLimit {
  readonly #senders = new Map<string, Sender>();

  /** Refused messages count: the sender must slow down. */
  note(person: string, at: number): RateVerdict {
    const sender = this.#senders.get(person) ?? { times: [], wasWarned: false };
    this.#senders.set(person, sender);
    sender.times = [...sender.times.slice(1 - maxKept), at];
    const within = sender.times.filter((one) => one > at - windowMs && one <= at).length;
    if (within <= maxInWindow) {
      sender.wasWarned = false;
      return 'fine';
    }
    if (sender.wasWarned) return 'silent';
    sender.wasWarned = true;
    return 'warn';
  }
}
