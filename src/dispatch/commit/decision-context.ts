import type { NoticeContext } from '../plans/presenter.js';

type Parts = Required<Omit<NoticeContext, 'followers'>> & { readonly readFollowers: () => readonly string[] };

/** A class: an object literal with a getter costs 5 µs per decision. */
export class DecisionContext implements NoticeContext {
  readonly state: Parts['state'];
  readonly event: Parts['event'];
  readonly origin: Parts['origin'];
  readonly cards: Parts['cards'];
  readonly asking: Parts['asking'];
  readonly session: Parts['session'];
  readonly workersAtWork: Parts['workersAtWork'];
  readonly audience: Parts['audience'];
  readonly lastAnswer: Parts['lastAnswer'];
  readonly pastRuns: Parts['pastRuns'];
  readonly ahead: Parts['ahead'];
  readonly publicUrl: Parts['publicUrl'];
  readonly #readFollowers: Parts['readFollowers'];
  #followers: readonly string[] | null = null;

  constructor(parts: Parts) {
    this.state = parts.state;
    this.event = parts.event;
    this.origin = parts.origin;
    this.cards = parts.cards;
    this.asking = parts.asking;
    this.session = parts.session;
    this.workersAtWork = parts.workersAtWork;
    this.audience = parts.audience;
    this.lastAnswer = parts.lastAnswer;
    this.pastRuns = parts.pastRuns;
    this.ahead = parts.ahead;
    this.publicUrl = parts.publicUrl;
    this.#readFollowers = parts.readFollowers;
  }

  /** Lazy: costs a query, and most notices go nowhere. */
  get followers(): readonly string[] {
    this.#followers ??= this.#readFollowers();
    return this.#followers;
  }
}
