// What Slack tells the app: each thing once in mind, tried as often as Slack tries, by socket or by signed request.
import type { Clock } from '../../fixture/clock.js';
import type { Json } from './world.js';

export type DeliveryKind = 'events_api' | 'interactive' | 'slash_commands';

export interface Attempt {
  readonly at: number;
  /** Of the sockets, from 1; null: by a request, or there was nobody. */
  readonly socket: number | null;
  readonly retry: number;
  ackedAt: number | null;
  /** What a request was answered with. */
  status: number | null;
  failure: string | null;
}

export interface Delivery {
  /** Of the envelope; of an event it stays the same over all tries. */
  readonly id: string;
  readonly kind: DeliveryKind;
  readonly payload: Json;
  readonly attempts: Attempt[];
  /** The first time that it was acknowledged. */
  ackedAt: number | null;
  /** What the acknowledgement carried. */
  answer: unknown;
  /** No more tries come. */
  isOver: boolean;
}

/** How one try reaches the app; `settle` is called once: null when it was acknowledged, else why not. */
export interface Way {
  send(delivery: Delivery, attempt: Attempt, settle: (failure: string | null, answer?: unknown) => void): Stop;
}

type Stop = () => void;

export interface Patience {
  readonly ackWithinMs: number;
  /** After a failure: the waits before the first try again, the second and so on. */
  readonly retriesAfterMs: readonly number[];
}

export const slackPatience: Patience = { ackWithinMs: 3_000, retriesAfterMs: [0, 60_000, 300_000] };

export class Outbox {
  readonly all: Delivery[] = [];
  readonly #clock: Clock;
  readonly #patience: Patience;
  readonly #stops = new Set<Stop>();
  #ids = 0;
  #isClosed = false;
  way: Way;

  constructor({ clock, patience, way }: { clock: Clock; patience: Patience; way: Way }) {
    this.#clock = clock;
    this.#patience = patience;
    this.way = way;
  }

  push(kind: DeliveryKind, payload: Json): Delivery {
    this.#ids += 1;
    const id = `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`;
    const delivery: Delivery = { id, kind, payload, attempts: [], ackedAt: null, answer: null, isOver: false };
    this.all.push(delivery);
    this.#attempt(delivery, 0);
    return delivery;
  }

  /** Once more, whatever came of it before: repeated envelopes. */
  repeat(delivery: Delivery): void {
    this.#attempt(delivery, delivery.attempts.length);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#stops.clear();
  }

  #attempt(delivery: Delivery, retry: number): void {
    const attempt: Attempt = { at: this.#clock.now(), socket: null, retry, ackedAt: null, status: null, failure: null };
    delivery.attempts.push(attempt);
    let isSettled = false;
    const stops: Stop[] = [];
    const end = (failure: string | null, answer?: unknown) => {
      // An acknowledgement after the time is seen, but comes too late to stop the next try.
      if (failure === null) acknowledged(delivery, attempt, this.#clock.now(), answer);
      if (isSettled || this.#isClosed) return;
      isSettled = true;
      attempt.failure = failure;
      for (const stop of stops) this.#stops.delete(stop);
      stops[0]?.();
      this.#settled(delivery, retry, failure);
    };
    stops.push(this.#later(this.#patience.ackWithinMs, () => end('timeout')));
    const stop = this.way.send(delivery, attempt, end);
    if (isSettled) return;
    stops.push(stop);
    this.#stops.add(stop);
  }

  #settled(delivery: Delivery, retry: number, failure: string | null): void {
    // Only events are tried again: of a press or a command the person is told that it failed.
    const waitMs = delivery.kind === 'events_api' ? this.#patience.retriesAfterMs[retry] : undefined;
    if (failure === null || failure === 'no_retry' || waitMs === undefined) {
      delivery.isOver = true;
      return;
    }
    this.#later(waitMs, () => this.#attempt(delivery, retry + 1));
  }

  #later(delayMs: number, act: () => void): Stop {
    if (this.#isClosed) return () => undefined;
    const stop = this.#clock.after(delayMs, () => {
      this.#stops.delete(stop);
      act();
    });
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }
}

function acknowledged(delivery: Delivery, attempt: Attempt, at: number, answer: unknown): void {
  attempt.ackedAt ??= at;
  if (delivery.ackedAt !== null) return;
  delivery.ackedAt = at;
  delivery.answer = answer ?? null;
}
