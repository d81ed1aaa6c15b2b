import { type Effect, type Event, type Interaction, isRunOver, type State, type Workflow } from '../../engine/index.js';
import type { Job } from '../../jobs/index.js';
import type { AttemptSpending, Batch, ChannelRequest, NewMessage, StoredRecord, Thread } from '../../store/index.js';
import type { PlanEffect } from '../plans/plan.js';
import { paidBy } from '../spending/spending-limits.js';

export interface AfterCommitWork {
  readonly jobs: readonly Job[];
  readonly cancels: readonly string[];
  readonly extensions: Batch['extensions'];
  readonly waits: readonly string[];
  readonly wants: readonly ChannelRequest[];
  readonly wantsDone: readonly number[];
  readonly ops: readonly { readonly run: string; readonly op: Extract<Effect, { type: 'workspace' }>['op'] }[];
  readonly answers: readonly Extract<Effect, { type: 'tell_agent' }>[];
  /** Their reminders must be rescheduled. */
  readonly recalls: readonly { readonly run: string; readonly project: string; readonly interaction: Interaction }[];
  readonly touched: ReadonlyMap<string, ReadonlySet<string>>;
  readonly ended: ReadonlySet<string>;
}

type List<Key extends keyof AfterCommitWork> = AfterCommitWork[Key] extends readonly (infer One)[] ? One[] : never;

export class TransactionChanges implements AfterCommitWork {
  readonly events: Event[] = [];
  readonly states: { before: State | null; after: State }[] = [];
  readonly messages: NewMessage[] = [];
  readonly threads: Thread[] = [];
  readonly follows: { run: string; thread: string }[] = [];
  readonly snapshots: { hash: string; workflow: Workflow }[] = [];
  readonly inboxDone: number[] = [];
  readonly records: StoredRecord[] = [];
  readonly spent: AttemptSpending[] = [];
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
  readonly #lists: readonly unknown[][] = Object.values(this).filter(Array.isArray);

  get touched(): ReadonlyMap<string, ReadonlySet<string>> {
    const chains = new Map<string, Set<string>>();
    for (const { after } of this.states) {
      const known = chains.get(after.run.id);
      if (known === undefined) chains.set(after.run.id, new Set([after.chain.key]));
      else known.add(after.chain.key);
    }
    return chains;
  }

  /** A run with pending checkout operations has not ended: the next run must not meet them. */
  get ended(): ReadonlySet<string> {
    const over = this.states.filter(({ after: { run } }) => isRunOver(run.status) && run.ops.length === 0);
    return new Set(over.map(({ after }) => after.run.id));
  }

  decided(event: Event, before: State | null, after: State, zone: string | null): void {
    this.events.push(event);
    this.states.push({ before, after });
    for (const spent of paidBy(event, before, after.run, zone)) this.spent.push(spent);
    if (before?.interactions !== after.interactions) this.recalls.push(...changedRecalls(before, after));
  }

  add(effect: PlanEffect): void {
    if (effect.type === 'snapshot') this.snapshots.push(effect);
    else if (effect.type === 'thread') this.threads.push(effect.thread);
    else if (effect.type === 'follow') this.follows.push(effect);
    else if (effect.type === 'inbox_done') this.inboxDone.push(effect.row);
    else if (effect.type === 'extend') this.extensions.push(effect);
    else if (effect.type === 'wait_for') this.waits.push(effect.attempt);
    else if (effect.type === 'want') this.wants.push(effect.request);
    else if (effect.type === 'want_done') this.wantsDone.push(effect.row);
    else this.outages.push(effect.told);
  }

  /** The result rolls back to here. */
  mark(): () => void {
    const lengths = this.#lists.map((list) => list.length);
    return () => {
      for (const [index, list] of this.#lists.entries()) list.length = lengths[index] ?? 0;
    };
  }

  get isEmpty(): boolean {
    const { events, messages, threads, follows, inboxDone, wants, wantsDone, extensions } = this;
    const all = [events, messages, threads, follows, inboxDone, wants, wantsDone, extensions];
    return all.every((list) => list.length === 0);
  }

  batch(calls: Batch['calls']): Batch {
    const { events, states, snapshots, jobs, messages, threads, follows } = this;
    const { inboxDone, records, spent, wants, wantsDone, cancels, extensions } = this;
    const told = this.outages.at(-1);
    return {
      ...{ calls, events, states, snapshots, jobs, cancels, extensions, messages, threads, follows },
      ...{ inboxDone, records, spent, wants, wantsDone },
      outage: told === undefined ? null : { told },
    };
  }
}

function changedRecalls(before: State | null, { run, interactions }: State): AfterCommitWork['recalls'] {
  const changed = interactions.filter((one) => !before?.interactions.includes(one));
  return changed.map((interaction) => ({ run: run.id, project: run.project, interaction }));
}
