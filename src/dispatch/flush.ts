// One flush: the plans that queued up, decided in order on states in memory, gathered into one batch for one commit.
import {
  apply,
  type Chain,
  type Effect,
  type Event,
  type Interaction,
  isRunOver,
  type Record,
  type Reply,
  type Run,
  type State,
  type Workflow,
} from '../engine/index.js';
import { followersOf } from './bound-threads.js';
import type { Job } from './job.js';
import type { Circle, Now, Origin, Plan, Present, Told } from './plan.js';
import { type PurseOf, paidBy, withPurse } from './purse.js';
import type { RunCache } from './run-cache.js';
import type { Batch, NewMessage, Spent, Store, StoredRecord, Want } from './store/index.js';

export interface FlushParts {
  readonly store: Store;
  readonly cache: RunCache;
  readonly present: Present;
  readonly jobOf: (state: State, node: string, attempt: string) => Job;
  readonly now: () => number;
  /** Threads that hear of all runs of a project. */
  readonly boundTo?: (project: string) => readonly string[];
  /** What a project has spent and may spend; left out: nobody sets limits. */
  readonly purseOf?: PurseOf;
  /** What a live attempt did last; left out: nobody listens to attempts. */
  readonly lastSign?: Now['lastSign'];
  /** Who belongs to a project; left out: nobody knows. */
  readonly circleOf?: (project: string, at: number) => Circle | null;
  /** What addresses outside are told of it. */
  readonly callsOf?: (changes: Batch['states'], at: number) => NonNullable<Batch['calls']>;
}

/** What must be done once the batch is on disk. */
export interface After {
  readonly jobs: Job[];
  readonly cancels: string[];
  readonly extensions: NonNullable<Plan['extend']>[];
  readonly waits: string[];
  readonly wants: Want[];
  readonly wantsDone: number[];
  readonly ops: { readonly run: string; readonly op: Extract<Effect, { type: 'workspace' }>['op'] }[];
  readonly answers: Extract<Effect, { type: 'tell_agent' }>[];
  /** Cards that people are to be reminded of, as they are now. */
  readonly recalls: { readonly run: string; readonly project: string; readonly interaction: Interaction }[];
  readonly touched: Set<string>;
  readonly ended: Set<string>;
}

/** How far back a failed run still holds up the next one. */
const recentRuns = 20;

/** A plan raises few events; more than this is a loop, and a loop is a bug. */
const maxEventsPerPlan = 2_000;

export class Flush implements Now {
  readonly at: number;
  readonly store: Store;
  readonly after: After = {
    jobs: [],
    cancels: [],
    extensions: [],
    waits: [],
    wants: [],
    wantsDone: [],
    ops: [],
    answers: [],
    recalls: [],
    touched: new Set(),
    ended: new Set(),
  };
  readonly #parts: FlushParts;
  readonly #events: Event[] = [];
  readonly #states: { before: State | null; after: State }[] = [];
  readonly #messages: NewMessage[] = [];
  readonly #threads: NonNullable<Plan['threads']>[number][] = [];
  readonly #follows: { run: string; thread: string }[] = [];
  readonly #snapshots: { hash: string; workflow: Workflow }[] = [];
  readonly #inboxDone: number[] = [];
  #outage: Batch['outage'];
  readonly #records: StoredRecord[] = [];
  readonly #spent: Spent[] = [];
  readonly #stored = new Map<string, readonly string[]>();

  constructor(parts: FlushParts) {
    this.#parts = parts;
    this.store = parts.store;
    this.at = parts.now();
  }

  get homeId(): string {
    return this.store.homeId;
  }

  get messageCount(): number {
    return this.#messages.length;
  }

  spine(run: string) {
    return this.#parts.cache.spine(run);
  }

  chain(run: string, key: string): Chain | null {
    return this.#parts.cache.chain(run, key);
  }

  liveRun(project: string): Run | null {
    const stored = [...this.store.runs(project, recentRuns, null), ...this.store.liveRuns(project)];
    return this.#runsNow(stored, project).find((run) => isLive(run)) ?? null;
  }

  drafts(project: string): readonly Run[] {
    return this.#runsNow(this.store.drafts(project), project).filter((run) => run.status === 'draft');
  }

  interaction(id: string): { run: string; interaction: Interaction } | null {
    const stored = this.store.interaction(id);
    const run =
      stored?.run ?? this.#states.find(({ after }) => after.interactions.some((one) => one.id === id))?.after.run.id;
    if (!run) return null;
    const isIt = (one: Interaction) => one.id === id;
    // What was settled leaves the spine with the next event, and disk does not know of it before the commit.
    const left = this.#states.findLast(({ after }) => after.interactions.some(isIt))?.after.interactions.find(isIt);
    const newest = this.spine(run)?.interactions.find(isIt) ?? left;
    return newest ? { run, interaction: newest } : stored;
  }

  lastSign(attempt: string) {
    return this.#parts.lastSign?.(attempt) ?? null;
  }

  nextRunNumber(): number {
    return this.store.nextRunNumber();
  }

  /** The chains of a run that this flush changed. */
  chainsOf(run: string): readonly string[] {
    return [...new Set(this.#states.filter(({ after }) => after.run.id === run).map(({ after }) => after.chain.key))];
  }

  /** Decides a plan's events and those that they raise. */
  take(plan: Plan): { readonly ignored: readonly (string | null)[]; readonly replies: readonly Reply[] } {
    const ignored: (string | null)[] = [];
    const replies: Reply[] = [];
    this.#threads.push(...(plan.threads ?? []));
    this.#snapshots.push(...(plan.snapshots ?? []));
    this.#follows.push(...(plan.follows ?? []));
    const waiting = [...plan.events];
    const workflows = new Map(plan.snapshots?.map((one) => [one.hash, one.workflow]));
    for (let count = 0; waiting.length > 0; count++) {
      if (count > maxEventsPerPlan)
        throw new Error(`${plan.events[0]?.type} raised more than ${maxEventsPerPlan} events`);
      const event = waiting.shift();
      if (!event) break;
      const decided = this.#decide(event, workflows, plan.origin ?? null);
      ignored.push(decided.ignored);
      replies.push(...decided.replies);
      waiting.unshift(...decided.raised);
    }
    // What the plan itself says comes after what the engine says.
    this.#messages.push(...(plan.messages ?? []));
    if (plan.inboxDone !== undefined) this.#inboxDone.push(plan.inboxDone);
    if (plan.extend) this.after.extensions.push(plan.extend);
    if (plan.waitFor !== undefined) this.after.waits.push(plan.waitFor);
    if (plan.outage !== undefined) this.#outage = plan.outage;
    if (plan.wants !== undefined) this.after.wants.push(plan.wants);
    if (plan.wantDone !== undefined) this.after.wantsDone.push(plan.wantDone);
    return { ignored, replies };
  }

  mark(): () => void {
    const lists = [
      this.#events,
      this.#states,
      this.#messages,
      this.#threads,
      this.#follows,
      this.#snapshots,
      this.#inboxDone,
      this.#records,
      this.#spent,
    ];
    const { jobs, cancels, extensions, waits, wants, wantsDone, ops, answers, recalls } = this.after;
    const all: unknown[][] = [...lists, jobs, cancels, extensions, waits, wants, wantsDone, ops, answers, recalls];
    const lengths = all.map((list) => list.length);
    return () => {
      all.forEach((list, index) => {
        list.length = lengths[index] ?? 0;
      });
    };
  }

  tell(messages: readonly NewMessage[]): void {
    this.#messages.push(...messages);
  }

  finishInbox(id: number): void {
    this.#inboxDone.push(id);
  }

  followers(run: string): readonly string[] {
    // Nobody but this flush's own plans adds to them while it is at work.
    const stored = this.#stored.get(run) ?? this.store.followers(run);
    this.#stored.set(run, stored);
    const added = this.#follows.filter((one) => one.run === run).map((one) => one.thread);
    const project = this.spine(run)?.run.project;
    const bound = project === undefined ? [] : (this.#parts.boundTo?.(project) ?? []);
    return followersOf(run, [...stored, ...added], bound);
  }

  batch(): Batch {
    const calls = this.#parts.callsOf?.(this.#states, this.at) ?? [];
    return {
      calls,
      events: this.#events,
      states: this.#states,
      snapshots: this.#snapshots,
      jobs: this.after.jobs,
      cancels: this.after.cancels,
      extensions: this.after.extensions,
      messages: this.#messages,
      threads: this.#threads,
      follows: this.#follows,
      inboxDone: this.#inboxDone,
      records: this.#records,
      spent: this.#spent,
      wants: this.after.wants,
      wantsDone: this.after.wantsDone,
      ...(this.#outage !== undefined && { outage: this.#outage }),
    };
  }

  get isEmpty(): boolean {
    const told = [this.#messages, this.#threads, this.#follows, this.#inboxDone];
    const { wants, wantsDone, extensions } = this.after;
    return [this.#events, ...told, wants, wantsDone, extensions].every((list) => list.length === 0);
  }

  #decide(said: Event, workflows: ReadonlyMap<string, Workflow>, origin: Origin | null) {
    const { cache, purseOf } = this.#parts;
    const before = cache.state(said.run, said.chain);
    const event = withPurse(said, before?.run ?? null, purseOf);
    const workflow = before?.workflow ?? (event.type === 'run_created' ? workflows.get(event.snapshot) : undefined);
    if (!workflow) throw new Error(`no run ${event.run} for ${event.type}`);
    const chains = new Map(before ? [[event.chain, before.chain] as const] : []);
    const { decision } = apply({ state: before, chains }, event, workflow);
    // A late result changes nothing, but it is kept on record.
    if (decision.ignored !== null) {
      if (event.type === 'attempt_settled') this.#events.push(event);
      return { ignored: decision.ignored, raised: [], replies: [] };
    }
    cache.put(decision.state);
    this.#events.push(event);
    this.#states.push({ before, after: decision.state });
    this.#spent.push(...paidBy(event, decision.state.run));
    this.after.recalls.push(...changedRecalls(before, decision.state));
    this.after.touched.add(event.run);
    const { status, ops } = decision.state.run;
    // What it still does to the checkout, the next one must not meet.
    if (isRunOver(status) && ops.length === 0) this.after.ended.add(event.run);
    return { ignored: null, ...this.#perform(decision.effects, decision.state, event, origin) };
  }

  #perform(effects: readonly Effect[], state: State, event: Event, origin: Origin | null) {
    const raised: Event[] = [];
    const replies: Reply[] = [];
    const told: Told = {
      ...{ state, event, origin, followers: this.followers(state.run.id) },
      shows: (thread, card) => this.#shows(thread, card),
      asking: (interaction) => this.store.asking(interaction),
      circle: () => this.#parts.circleOf?.(state.run.project, event.at) ?? null,
    };
    for (const effect of effects) {
      if (effect.type === 'raise') raised.push(effect.event);
      else if (effect.type === 'dispatch') this.after.jobs.push(this.#parts.jobOf(state, effect.node, effect.attempt));
      else if (effect.type === 'record') this.#keep(effect.record, event);
      else if (effect.type === 'cancel') this.after.cancels.push(effect.attempt);
      else if (effect.type === 'workspace') this.after.ops.push({ run: state.run.id, op: effect.op });
      else if (effect.type === 'tell_agent') this.after.answers.push(effect);
      else if (effect.type === 'notice')
        this.#messages.push(...this.#heard(this.#parts.present.notice(effect.notice, told)));
      else {
        replies.push(effect.reply);
        this.#messages.push(...this.#parts.present.reply(effect.reply, told));
      }
    }
    return { raised, replies };
  }

  #shows(thread: string, card: string): boolean {
    const isIt = (one: NewMessage) => one.thread === thread && one.card === card;
    return this.#messages.some(isIt) || this.store.cardMessage(thread, card) !== null;
  }

  #keep(record: Record, event: Event): void {
    const { run, at } = event;
    this.#records.push({ run, chain: record.chain, at, by: 'by' in event ? event.by : null, record });
  }

  /** A quiet thread gets what needs it and what is done, and no progress. */
  #heard(messages: readonly NewMessage[]): readonly NewMessage[] {
    return messages.filter((one) => one.view.kind !== 'progress' || this.store.thread(one.thread)?.quiet !== true);
  }

  /** Stored rows as the states of this flush have changed them since. */
  #runsNow(stored: readonly Run[], project: string): readonly Run[] {
    const newest = new Map(stored.map((run) => [run.id, run]));
    for (const { after } of this.#states) if (after.run.project === project) newest.set(after.run.id, after.run);
    return [...newest.values()].sort((a, b) => a.number - b.number);
  }
}

function changedRecalls(before: State | null, { run, interactions }: State): After['recalls'] {
  const changed = interactions.filter((one) => one.approvals !== undefined && !before?.interactions.includes(one));
  return changed.map((interaction) => ({ run: run.id, project: run.project, interaction }));
}

/** A failed run may be taken up again by its card, so nothing else starts before a person has ended it. */
export function isLive(run: Run): boolean {
  return run.status === 'running' || run.status === 'paused' || run.status === 'failed';
}
