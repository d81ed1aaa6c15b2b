// Calls such as opening a topic, each with a deadline.
import type { Clock } from '../../base/index.js';
import { type PostResult, urgency } from './outgoing-message.js';

export interface QueuedCall {
  /** `lane`: the chat's present id. */
  readonly call: (lane: string, signal: AbortSignal) => Promise<PostResult>;
  readonly until: number;
  /** Cosmetic calls come after all messages. */
  readonly urgency: number;
  readonly isCosmetic: boolean;
  readonly end: (posted: PostResult) => void;
  /** Null: in flight or finished. */
  waitsIn: QueuedCalls | null;
}

export interface NewQueuedCall extends Pick<QueuedCall, 'call'> {
  readonly waitMs: number;
  readonly isCosmetic: boolean;
  readonly clock: Clock;
}

const cosmetic = urgency.progress + 1;
const maxErrands = 20;

export class QueuedCalls {
  #waiting: readonly QueuedCall[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  add({ call, waitMs, isCosmetic, clock }: NewQueuedCall): Promise<PostResult> {
    if (this.size >= maxErrands) return Promise.resolve({ kind: 'wait', ms: waitMs });
    return new Promise((resolve) => {
      const late = clock.after(waitMs, () => {
        if (errand.waitsIn === null) return;
        errand.waitsIn.#drop(errand);
        resolve({ kind: 'wait', ms: waitMs });
      });
      const end = (posted: PostResult) => {
        late();
        resolve(posted);
      };
      const rank = isCosmetic ? cosmetic : urgency.answer;
      const errand: QueuedCall = { call, until: clock.now() + waitMs, urgency: rank, isCosmetic, end, waitsIn: this };
      this.#waiting = [...this.#waiting, errand];
    });
  }

  peek(): QueuedCall | null {
    const [first = null, ...others] = this.#waiting;
    return others.reduce((best, one) => (best !== null && one.urgency < best.urgency ? one : best), first);
  }

  take(): QueuedCall | null {
    const first = this.peek();
    if (first !== null) this.#drop(first);
    return first;
  }

  putBack(errand: QueuedCall): void {
    errand.waitsIn = this;
    this.#waiting = [errand, ...this.#waiting];
  }

  moveTo(other: QueuedCalls): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (const errand of all.toReversed()) other.putBack(errand);
  }

  endAll(): void {
    for (let errand = this.take(); errand !== null; errand = this.take()) errand.end({ kind: 'wait', ms: 0 });
  }

  #drop(errand: QueuedCall): void {
    errand.waitsIn = null;
    this.#waiting = this.#waiting.filter((one) => one !== errand);
  }
}
