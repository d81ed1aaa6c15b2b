// What the plans of one flush come to: what one commit writes, and what is to be done once it is on disk.
import { type Effect, type Event, type Interaction, isRunOver, type State } from '../../engine/index.js';
import type { Job } from '../../jobs/index.js';
import type { AttemptSpending, Batch, ChannelRequest, NewMessage, StoredRecord } from '../../store/index.js';
import type { Plan } from '../plans/plan.js';
import { paidBy } from '../spending/spending-limits.js';

/** What must be done once the batch is on disk. */
export interface AfterCommitWork {
  readonly jobs: readonly Job[];
  readonly cancels: readonly string[];
  readonly extensions: readonly NonNullable<Plan['extend']>[];
  readonly waits: readonly string[];
  readonly wants: readonly ChannelRequest[];
  readonly wantsDone: readonly number[];
  readonly ops: readonly { readonly run: string; readonly op: Extract<Effect, { type: 'workspace' }>['op'] }[];
  readonly answers: readonly Extract<Effect, { type: 'tell_agent' }>[];
  /** Cards that people are to be reminded of, as they are now. */
  readonly recalls: readonly { readonly run: string; readonly project: string; readonly interaction: Interaction }[];
  readonly touched: ReadonlySet<string>;
  readonly ended: ReadonlySet<string>;
}

type List<Key extends keyof AfterCommitWork> = AfterCommitWork[Key] extends readonly (infer One)[] ? One[] : never;

export class TransactionChanges implements AfterCommitWork {
  readonly events: Event[] = [];
  readonly states: { before: State | null; after: State }[] = [];
  readonly messages: NewMessage[] = [];
  readonly threads: NonNullable<Plan['threads']>[number][] = [];
  readonly follows: { run: string; thread: string }[] = [];
  readonly snapshots: NonNullable<Plan['snapshots']>[number][] = [];
  readonly inboxDone: number[] = [];
  readonly records: StoredRecord[] = [];
  readonly spent: AttemptSpending[] = [];
  /** The last of them counts. */
  readonly outages: (readonly string[] | null)[] = [];
  readonly jobs: List<'jobs'> = [];
  readonly cancels: List<'cancels'> = [];
  readonly extensions: List<'extensions'> = [];
  readonly waits: List<'waits'> = [];
  readonly wants: List<'wants'> = [];
  readonly wantsDone: List<'wantsDone'> = [];
  readonly ops: List<'ops'> = [];
  readonly answers: List<'answers'> = [];
  readonly recalls: List<'recalls'> = [];

  get touched(): ReadonlySet<string> {
    return new Set(this.states.map(({ after }) => after.run.id));
  }

  /** What a run still does to the checkout, the next one must not meet. */
  get ended(): ReadonlySet<string> {
    const over = this.states.filter(({ after: { run } }) => isRunOver(run.status) && run.ops.length === 0);
    return new Set(over.map(({ after }) => after.run.id));
  }

  /** An event that counted, and what it made of its run. */
  decided(event: Event, before: State | null, after: State, zone: string | null): void {
    this.events.push(event);
    this.states.push({ before, after });
    this.spent.push(...paidBy(event, before, after.run, zone));
    this.recalls.push(...changedRecalls(before, after));
  }

  /** What a plan says beside its events, and asks for once they are on disk. */
  add(plan: Plan): void {
    this.messages.push(...(plan.messages ?? []));
    if (plan.inboxDone !== undefined) this.inboxDone.push(plan.inboxDone);
    if (plan.extend) this.extensions.push(plan.extend);
    if (plan.waitFor !== undefined) this.waits.push(plan.waitFor);
    if (plan.outage !== undefined) this.outages.push(plan.outage);
    if (plan.wants !== undefined) this.wants.push(plan.wants);
    if (plan.wantDone !== undefined) this.wantsDone.push(plan.wantDone);
  }

  /** Takes back whatever came after it was called. */
  mark(): () => void {
    const lists = Object.values(this).filter(Array.isArray);
    const lengths = lists.map((list) => list.length);
    return () => {
      lists.forEach((list, index) => {
        list.length = lengths[index] ?? 0;
      });
    };
  }

  /** Whether there is nothing to write. */
  get isEmpty(): boolean {
    const { events, messages, threads, follows, inboxDone, wants, wantsDone, extensions } = this;
    const all = [events, messages, threads, follows, inboxDone, wants, wantsDone, extensions];
    return all.every((list) => list.length === 0);
  }

  batch(calls: NonNullable<Batch['calls']>): Batch {
    const { events, states, snapshots, jobs, messages, threads, follows } = this;
    const { inboxDone, records, spent, wants, wantsDone, cancels, extensions } = this;
    const outage = this.outages.at(-1);
    return {
      ...{ calls, events, states, snapshots, jobs, cancels, extensions, messages, threads, follows },
      ...{ inboxDone, records, spent, wants, wantsDone },
      ...(outage !== undefined && { outage }),
    };
  }
}

function changedRecalls(before: State | null, { run, interactions }: State): AfterCommitWork['recalls'] {
  const changed = interactions.filter((one) => one.approvals !== undefined && !before?.interactions.includes(one));
  return changed.map((interaction) => ({ run: run.id, project: run.project, interaction }));
}
