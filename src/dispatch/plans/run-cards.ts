// A run's newest cards as the transaction sees them.
import type { Interaction, Run } from '../../engine/index.js';
import type { NewMessage } from '../../store/index.js';
import type { PlanContext } from './plan.js';
import type { RunCards } from './presenter.js';

/** An older one was not answered just now. */
const cardsLookedAt = 5;

/** An abort closes open cards before it asks about left-over files. */
const cardsNearEnd = 50;

export function recentCards(
  now: Pick<PlanContext, 'interaction'>,
  { number, counters }: Pick<Run, 'number' | 'counters'>,
  most = cardsLookedAt,
): readonly Interaction[] {
  const count = Math.min(counters.interactions, most);
  return Array.from({ length: count }, (_, back) => `i${number}-${counters.interactions - back}`).flatMap(
    (id) => now.interaction(id)?.interaction ?? [],
  );
}

export class CardsOfRun implements RunCards {
  readonly #now: PlanContext;
  readonly #run: Run;

  constructor(now: PlanContext, run: Run) {
    this.#now = now;
    this.#run = run;
  }

  cardIn(thread: string, card: string): NewMessage | null {
    return this.#now.cardIn(thread, card);
  }

  isInChat(thread: string): boolean {
    return this.#now.isInChat(thread);
  }

  newestSettled(): Interaction | null {
    return recentCards(this.#now, this.#run).find(({ state }) => state !== 'open') ?? null;
  }

  proposal(): Interaction | null {
    const { number, counters } = this.#run;
    for (let nth = 1; nth <= Math.min(counters.interactions, cardsLookedAt); nth += 1) {
      const first = this.#now.interaction(`i${number}-${nth}`)?.interaction ?? null;
      if (first?.subject.type === 'proposal') return first;
    }
    return null;
  }

  ending(): Interaction | null {
    const { status, endedAt } = this.#run;
    if (status !== 'cancelled') return null;
    return recentCards(this.#now, this.#run, cardsNearEnd).find(({ answer }) => answer?.at === endedAt) ?? null;
  }
}
