// Decides plans in order on in-memory states, for one commit.
import {
  type Attempt,
  type Chain,
  decideNext,
  type Effect,
  type Event,
  type Interaction,
  isRunOver,
  type Record,
  type RecordedAnswer,
  type Reply,
  type Run,
  type Spending,
  type State,
  type Workflow,
} from '../../engine/index.js';
import type { Job } from '../../jobs/index.js';
import {
  type Batch,
  type ChannelRequestRows,
  type DeliveryRows,
  type HomeReader,
  isCarried,
  type NewMessage,
  type Store,
} from '../../store/index.js';
import { remoteWorkersOf } from '../attempts/abort-completion.js';
import { type SessionFile, sessionOf } from '../exports/index.js';
import type { Origin, Plan, PlanContext } from '../plans/plan.js';
import type { NoticeContext, Presenter, ProjectAudience } from '../plans/presenter.js';
import { CardsOfRun, recentCards } from '../plans/run-cards.js';
import { type LimitsOf, mustReadLimits, spendingOf, withSpending } from '../spending/spending-limits.js';
import { DecisionContext } from './decision-context.js';
import { outgoing, withoutQuietProgress } from './outgoing-messages.js';
import { ProjectRuns } from './project-runs.js';
import type { RunCache } from './run-cache.js';
import { type AfterCommitWork, TransactionChanges } from './transaction-changes.js';

export interface TransactionParts {
  readonly store: Store;
  readonly cache: RunCache;
  readonly present: Presenter;
  readonly jobOf: (state: State, node: string, attempt: string) => Job;
  readonly now: () => number;
  readonly followersOf: (run: Run, following: readonly string[]) => readonly string[];
  readonly limitsOf: LimitsOf;
  readonly lastSign: PlanContext['lastSign'];
  readonly waitsFor: PlanContext['waitsFor'];
  readonly hears: PlanContext['hears'];
  /** Null: members unknown. */
  readonly audienceOf: (project: string, at: number) => ProjectAudience | null;
  readonly publicUrl: () => string | null;
  readonly redact: (text: string) => string;
  readonly callsOf: (changes: Batch['states'], at: number) => Batch['calls'];
}

type Bill = Pick<Attempt, 'costUsd' | 'tokensIn' | 'tokensOut'>;

/** More would be an endless loop. */
const maxEventsPerPlan = 2_000;

export class Transaction implements PlanContext {
  readonly at: number;
  readonly reader: HomeReader;
  readonly deliveries: DeliveryRows;
  readonly wants: ChannelRequestRows;
  readonly #store: Store;
  readonly #parts: TransactionParts;
  readonly #gathered = new TransactionChanges();
  readonly #runs: ProjectRuns;
  readonly #stored = new Map<string, readonly string[]>();

  constructor(parts: TransactionParts) {
    this.#parts = parts;
    this.#store = parts.store;
    this.#runs = new ProjectRuns(parts.store, this.#gathered.states);
    this.reader = parts.store;
    this.deliveries = parts.store.deliveries;
    this.wants = parts.store.wants;
    this.at = parts.now();
  }

  get homeId(): string {
    return this.#store.homeId;
  }

  get after(): AfterCommitWork {
    return this.#gathered;
  }

  get messageCount(): number {
    return this.#gathered.messages.length;
  }

  spine(run: string) {
    return this.#parts.cache.spine(run);
  }

  chain(run: string, key: string): Chain | null {
    return this.#parts.cache.chain(run, key);
  }

  liveRun(project: string): Run | null {
    return this.#runs.live(project);
  }

  holder(project: string): Run | null {
    return this.#runs.holder(project);
  }

  besideRuns(project: string): readonly Run[] {
    return this.#runs.beside(project);
  }

  drafts(project: string): readonly Run[] {
    return this.#runs.drafts(project);
  }

  interaction(id: string): { run: string; interaction: Interaction } | null {
    const stored = this.#store.interaction(id);
    const run =
      stored?.run ??
      this.#gathered.states.find(({ after }) => after.interactions.some((one) => one.id === id))?.after.run.id;
    if (!run) return null;
    const isIt = (one: Interaction) => one.id === id;
    // A settled interaction leaves the spine before the commit.
    const left = this.#gathered.states
      .findLast(({ after }) => after.interactions.some(isIt))
      ?.after.interactions.find(isIt);
    const newest = this.spine(run)?.interactions.find(isIt) ?? left;
    return newest ? { run, interaction: newest } : stored;
  }

  lastSign(attempt: string) {
    return this.#parts.lastSign(attempt);
  }

  waitsFor(attempt: string) {
    return this.#parts.waitsFor(attempt);
  }

  hears(attempt: string) {
    return this.#parts.hears(attempt);
  }

  knowsLimits(run: string): boolean {
    return this.#limitsRead({ type: 'chain_resumed', run, chain: '', at: this.at, retryFailed: false }) === null;
  }

  nextRunNumber(): number {
    return this.#store.nextRunNumber();
  }

  /** Includes events that these raise. */
  take(plan: Plan): { readonly ignored: readonly (string | null)[]; readonly replies: readonly Reply[] } {
    const ignored: (string | null)[] = [];
    const replies: Reply[] = [];
    const workflows = new Map<string, Workflow>();
    const { messages } = this.#gathered;
    const first = messages.length;
    for (const effect of plan.effects) {
      this.#gathered.add(effect);
      if (effect.type === 'snapshot') workflows.set(effect.hash, effect.workflow);
    }
    const waiting = [...plan.events];
    for (let count = 0; waiting.length > 0; count++) {
      if (count > maxEventsPerPlan)
        throw new Error(`${plan.events[0]?.type} raised more than ${maxEventsPerPlan} events`);
      const event = waiting.shift();
      if (!event) break;
      const limits = this.#limitsRead(event);
      const read = limits && this.#decide(limits, workflows, null);
      const decided = this.#decide(event, workflows, plan.origin);
      ignored.push(decided.ignored);
      replies.push(...decided.replies);
      waiting.unshift(...decided.raised, ...(read?.raised ?? []));
    }
    // The plan's messages follow the engine's.
    messages.push(...plan.messages);
    const isRefused = plan.exit === 3 || replies.some(({ type }) => type === 'refused');
    if (!isRefused) messages.splice(first, 0, ...plan.opening);
    return { ignored, replies };
  }

  mark(): () => void {
    const { states } = this.#gathered;
    const known = states.length;
    const undo = this.#gathered.mark();
    return () => {
      for (const { after } of states.slice(known)) this.#parts.cache.forget(after.run.id);
      undo();
    };
  }

  tell(messages: readonly NewMessage[]): void {
    this.#gathered.messages.push(...messages);
  }

  finishInbox(id: number): void {
    this.#gathered.inboxDone.push(id);
  }

  followers(run: string): readonly string[] {
    // Safe to cache: only this transaction's plans add followers.
    const stored = this.#stored.get(run) ?? this.#store.followers(run);
    this.#stored.set(run, stored);
    const added = this.#gathered.follows.filter((one) => one.run === run).map((one) => one.thread);
    const spine = this.spine(run);
    const following = [...new Set([...stored, ...added])];
    return spine === null ? following : this.#parts.followersOf(spine.run, following);
  }

  batch(): Batch {
    const batch = this.#gathered.batch(this.#parts.callsOf(this.#gathered.states, this.at));
    const { redact } = this.#parts;
    return { ...batch, messages: outgoing(batch.messages, redact) };
  }

  get isEmpty(): boolean {
    return this.#gathered.isEmpty;
  }

  #decide(said: Event, workflows: ReadonlyMap<string, Workflow>, origin: Origin | null) {
    const { cache } = this.#parts;
    const before = cache.state(said.run, said.chain);
    const event = withSpending(said, before?.run ?? null, (project) => this.#purse(project, said.at));
    const workflow = before?.workflow ?? (event.type === 'run_created' ? workflows.get(event.snapshot) : undefined);
    if (!workflow) throw new Error(`${event.type} names an unknown run ${event.run}`);
    const decision = decideNext(before, event, workflow);
    // Recorded without a step change, but its cost counts.
    if (decision.ignored !== null) {
      if (event.type !== 'attempt_settled') return { ignored: decision.ignored, raised: [], replies: [] };
      this.#gathered.events.push(event);
      return { ignored: decision.ignored, raised: this.#paidLate(event), replies: [] };
    }
    const { state } = decision;
    cache.put(state);
    const spentBefore = this.#gathered.spent.length;
    this.#gathered.decided(event, before, state, this.#limits(state.run.project)?.zone ?? null);
    const performed = this.#perform(decision.effects, state, event, origin);
    const hasPaid = this.#gathered.spent.length > spentBefore;
    const isShared = isRunOver(state.run.status) || state.run.purse !== null;
    const told = hasPaid && isShared ? this.#tellOthers(state.run, event.at) : [];
    return { ignored: null, ...performed, raised: [...performed.raised, ...told] };
  }

  #limits(project: string) {
    return this.#parts.limitsOf(project);
  }

  #purse(project: string, at: number): Spending | null {
    const limits = this.#limits(project);
    return limits && spendingOf(this.#store, project, limits, at, this.#gathered.spent);
  }

  /** Limits changed by an edit or a new day are read first. */
  #limitsRead(event: Event): Event | null {
    const spine = this.spine(event.run);
    const limits = spine && this.#limits(spine.run.project);
    if (!spine || limits === null || !mustReadLimits(event, spine.run, spine.workflow, limits)) return null;
    return this.#limitsEvent(spine.run, event.at);
  }

  #limitsEvent({ id, project }: Run, at: number): Event {
    const runUsd = this.#limits(project)?.runUsd ?? null;
    return { type: 'limits_read', run: id, chain: '', at, runUsd, purse: this.#purse(project, at) };
  }

  /** Books a late cost once. */
  #paidLate({ run, chain, at, attempt, envelope }: Extract<Event, { type: 'attempt_settled' }>): readonly Event[] {
    const { costUsd, tokensIn, tokensOut } = envelope;
    const isTold = (bill: Bill) => bill.costUsd !== null || bill.tokensIn !== null || bill.tokensOut !== null;
    const known = this.#attempt(attempt);
    if (known?.state !== 'settled' || isTold(known) || !isTold(envelope)) return [];
    // Already booked in this transaction.
    if (this.#gathered.spent.some(({ late }) => late?.attempt === attempt)) return [];
    const wasUnpriced = known.isUnpriced === true;
    return [{ type: 'paid_late', run, chain, at, attempt, costUsd, tokensIn, tokensOut, wasUnpriced }];
  }

  #attempt(id: string): Attempt | null {
    for (const { after } of [...this.#gathered.states].reverse()) {
      for (const { live, last } of after.chain.nodes) {
        if (live?.id === id) return live;
        if (last?.id === id) return last;
      }
    }
    return this.#store.attempt(id)?.attempt ?? null;
  }

  /** The project's other live runs spend the same money. */
  #tellOthers({ id, project }: Run, at: number): readonly Event[] {
    return this.#runs
      .underWay(project)
      .flatMap((run) => (run.id !== id && run.purse ? [this.#limitsEvent(run, at)] : []));
  }

  #session(state: State): SessionFile {
    const { run, chain } = state;
    const chainOf = (key: string) => (key === chain.key ? chain : this.chain(run.id, key));
    return sessionOf(this.#store, state, chainOf).file;
  }

  #perform(effects: readonly Effect[], state: State, event: Event, origin: Origin | null) {
    const raised: Event[] = [];
    const replies: Reply[] = [];
    let told: NoticeContext | null = null;
    // Lazy: most events send no message, and followers cost a query.
    const context = (): NoticeContext => {
      told ??= this.#noticeContext(state, event, origin);
      return told;
    };
    for (const effect of effects) {
      if (effect.type === 'raise') raised.push(effect.event);
      else if (effect.type === 'dispatch')
        this.#gathered.jobs.push(this.#parts.jobOf(state, effect.node, effect.attempt));
      else if (effect.type === 'record') this.#keep(effect.record, event);
      else if (effect.type === 'cancel') this.#gathered.cancels.push(effect.attempt);
      else if (effect.type === 'workspace') this.#gathered.ops.push({ run: state.run.id, op: effect.op });
      else if (effect.type === 'tell_agent') this.#gathered.answers.push(effect);
      else if (effect.type === 'notice')
        this.#gathered.messages.push(
          ...withoutQuietProgress(
            this.#parts.present.notice(effect.notice, context()),
            (thread) => this.#store.thread(thread)?.quiet === true,
          ),
        );
      else {
        replies.push(effect.reply);
        this.#gathered.messages.push(...this.#parts.present.reply(effect.reply, context()));
      }
    }
    return { raised, replies };
  }

  #noticeContext(state: State, event: Event, origin: Origin | null): NoticeContext {
    return new DecisionContext({
      state,
      event,
      origin,
      readFollowers: () => this.followers(state.run.id),
      cards: new CardsOfRun(this, state.run),
      asking: (interaction) => this.#store.asking(interaction).filter(({ thread }) => this.#isEditable(thread)),
      session: () => this.#session(state),
      workersAtWork: () => remoteWorkersOf(this.#store, state.run.id),
      audience: () => this.#parts.audienceOf(state.run.project, event.at),
      lastAnswer: () => this.#lastAnswer(state.run),
      pastRuns: () => this.#runs.past(state.run),
      ahead: () => this.#runs.ahead(state.run),
      publicUrl: this.#parts.publicUrl(),
    });
  }

  #lastAnswer(run: Run): RecordedAnswer | null {
    const newest = recentCards(this, run).map(({ answer }) => answer);
    return newest.reduce((last, one) => (last !== null && (one === null || last.at >= one.at) ? last : one), null);
  }

  /** Excludes messages that only one person sees, and those outside the platforms. */
  #isEditable(thread: string): boolean {
    const place = this.#store.placed(thread);
    return place !== null && isCarried(place) && !('only' in place.address);
  }

  cardIn(thread: string, card: string): NewMessage | null {
    const isIt = (one: NewMessage) => one.thread === thread && one.card === card;
    return this.#gathered.messages.findLast(isIt) ?? this.#store.cardMessage(thread, card);
  }

  isInChat(thread: string): boolean {
    const place = this.#store.placed(thread);
    return place !== null && isCarried(place);
  }

  #keep(record: Record, event: Event): void {
    const { run, at } = event;
    this.#gathered.records.push({ run, chain: record.chain, at, by: 'by' in event ? event.by : null, record });
  }
}
