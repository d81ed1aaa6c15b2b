// The state that the engine decides on: a run's spine, its items, and the one chain that an event touches.

import type {
  Ask,
  Change,
  CheckResult,
  DiffStat,
  Envelope,
  Output,
  Permission,
  Picture,
  TeamReport,
  TestCounts,
} from '../report/envelope.js';
import type { Story } from '../report/index.js';
import type { Complexity, Level, NodeKind, Workflow } from '../workflow/definition.js';
import type { NewItem } from './event.js';
import type { SentBack, WorkRange } from './frozen-work.js';
import type { Interaction, ReviewVerdict } from './interaction-model.js';
import type { SkipReason } from './skip.js';
import type { ResumeLeft, SettledFile } from './takeover-data.js';
import type { Delivery, WorkspaceOp } from './workspace-op.js';

export type * from './frozen-work.js';
export type * from './interaction-model.js';
export type * from './workspace-op.js';

export type NodeState =
  | 'waiting'
  | 'ready'
  | 'queued'
  | 'running'
  | 'needs_human'
  | 'passed'
  | 'failed'
  | 'skipped'
  | 'cancelled';
export type ItemStatus = 'ready' | 'blocked' | 'running' | 'merging' | 'done' | 'failed' | 'cancelled';
export type RunStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';
export type PauseReason = 'decision' | 'escalation' | 'failure' | 'user' | 'level' | 'budget';
export type OutcomeKind = 'pass' | 'failing' | 'timeout' | 'crashed' | 'needs_human' | 'cancelled';

/** A person's words for the next prompt; delivered once. */
export interface HumanNote {
  readonly kind: 'remark' | 'answer' | 'instruction';
  /** The question, if this is an answer. */
  readonly question: string | null;
  readonly text: string;
  readonly by: string;
  /** The step it is for, if others may be dispatched first. */
  readonly node?: string;
  /**
   * Noted in the run's chain and already copied into stories that began since, so it is not repeated after the loop.
   */
  readonly isHanded?: true;
  /** Came with a finished story, so only the next one gets it. */
  readonly isForNext?: true;
  /** Said to a running step. `to`: the attempt that has yet to hear it; null: it waits for the next prompt. */
  readonly words?: { readonly key: string; readonly to: string | null };
}

export interface Attempt {
  readonly id: string;
  readonly generation: number;
  /** The number people see: attempts of this generation, without abandoned ones. */
  readonly number: number;
  readonly state: 'queued' | 'running' | 'settled';
  readonly dispatchedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly worker: string | null;
  readonly notes: readonly HumanNote[];
  readonly outcome: OutcomeKind | null;
  readonly reason: string | null;
  readonly summary: string | null;
  /** What the agent claimed, where the evidence contradicts it. */
  readonly claim: string | null;
  readonly tests: TestCounts | null;
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly string[];
  readonly filesChanged: readonly string[];
  readonly diffStat: DiffStat | null;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  /** An agent ran and its cost is unknown. */
  readonly isUnpriced?: boolean;
  readonly logPath: string | null;
  readonly team: readonly TeamReport[];
  /** The agent session that a later attempt can resume, and the one that this attempt resumed. */
  readonly session: string | null;
  readonly resumes: string | null;
  /** Questions and permission requests that its agent left open. */
  readonly asks: readonly Ask[];
  /** Keys of the permission requests that a person denied during the attempt. */
  readonly denied: readonly string[];
  readonly notBefore: number | null;
  /** When a retry may succeed. */
  readonly retryAt: number | null;
  readonly program: string | null;
  /** The name in config.yaml, where the project lists several; while it is queued, absent means the first. */
  readonly executor?: string;
  /** Files judged by gates that it, or an earlier attempt that it resumed, wrote. Absent if unmeasured. */
  readonly wrote?: readonly string[];
  /** The tree that it left; absent if unmeasured. */
  readonly tree?: string;
  /** A person stopped it so that the step is retried. */
  readonly again?: true;
}

export interface Node {
  readonly id: string;
  readonly label: string;
  readonly template: string;
  readonly kind: NodeKind;
  readonly title: string;
  readonly state: NodeState;
  readonly generation: number;
  readonly attempt: number;
  readonly abandons: number;
  /** Counts every dispatch and is never reset, because attempt ids are derived from it. */
  readonly dispatches: number;
  readonly live: Attempt | null;
  readonly last: Attempt | null;
  /** The first attempt of this generation: a rollback to this node restores its checkpoint. */
  readonly firstAttempt: string | null;
  readonly skipReason: SkipReason | null;
  /** Set where several nodes share a template, or an edit redescribed the node. */
  readonly description: string | null;
  readonly restarts: number;
  /** Gates: how often work was already inserted for it. */
  readonly retry: number;
  /** The call's arguments, if its inserter set them. */
  readonly args: string | null;
  /** Parameters of the fragment that inserted it. */
  readonly params: Readonly<Record<string, string>>;
  readonly insertedBy: string | null;
  readonly verdict: ReviewVerdict | null;
}

export interface SettledNode extends Node {
  readonly last: Attempt;
}

export interface Item extends Omit<NewItem, 'isDone'> {
  readonly order: number;
  readonly status: ItemStatus;
  readonly loop: string;
  readonly template: string;
  /** The chain that holds its loop. */
  readonly parent: string;
  readonly complexity: Complexity | null;
  /** How many of its parts may run in parallel. */
  readonly parallelTags: number;
  readonly priority: number | null;
  /** Given by a person, so no plan replaces it. */
  readonly isGiven?: boolean;
  /** Reopened by a route back; cleared when it begins. */
  readonly isReopened?: boolean;
  /** Its own template values, such as its phase or milestone. */
  readonly values: Readonly<Record<string, string>>;
  /** Its place among the parallel items; null while it has none. */
  readonly slot: number | null;
  readonly rejections: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Files judged by gates that its steps wrote. */
  readonly wrote?: readonly string[];
  /** Done without a commit or a changed file. */
  readonly unchanged?: boolean;
  readonly commit?: string;
  /** Once done: its own changes. */
  readonly work?: WorkRange;
  /** Once done: what people are told of it. */
  readonly facts?: ItemFacts;
}

export interface ItemFacts {
  readonly note: string | null;
  readonly diff: DiffStat | null;
  /** The newest evidence of its tests; null: none. */
  readonly tests: TestCounts | 'ok' | 'failing' | null;
  readonly workedMs: number;
  readonly costUsd: number;
  readonly unpriced: number;
}

/** For the next reviewer, from earlier nodes. */
export interface Digest {
  readonly step: string;
  readonly text: string | null;
  readonly questions: readonly string[];
  readonly files: readonly string[];
  readonly pictures?: readonly Picture[];
  /** Addresses where the work can be looked at. */
  readonly previews?: readonly string[];
}

/** The message of the step that sent the work back. */
export interface Again {
  readonly step: string;
  readonly text: string;
}

/** Each kind of evidence from the newest attempt that produced it. */
export interface LatestEvidence {
  readonly tests: TestCounts | null;
  /** Whether the last check passed; null if none ran. */
  readonly checkPassed: boolean | null;
  readonly filesChanged: readonly string[];
}

export interface Chain {
  /** Empty for the run's own chain, else the item's key. */
  readonly key: string;
  readonly nodes: readonly Node[];
  readonly labels: number;
  /** Backward steps taken, by `from>to`. */
  readonly edges: Readonly<Record<string, number>>;
  readonly notes: readonly HumanNote[];
  readonly context: Readonly<Record<string, string>>;
  readonly digests: readonly Digest[];
  /**
   * Why the chain is walked again. In the run's own chain it covers its loops, unless a person's note gives the reason.
   */
  readonly again?: Again | null;
  readonly costUsd?: number;
  /** Agent attempts with unknown cost. */
  readonly unpriced?: number;
  /** Absent if no attempt has settled since this field exists. */
  readonly evidence?: LatestEvidence;
  /** Its changes so far, as the newest attempt measured them. */
  readonly work?: NonNullable<Envelope['work']>;
  /** Cleared by an approval. */
  readonly sentBack?: SentBack | null;
  /** Notes from its steps for later steps. */
  readonly scratch: string;
}

export interface LiveAttempt {
  readonly attempt: string;
  readonly chain: string;
  readonly node: string;
  readonly step: string;
  readonly startedAt: number | null;
}

/** The project's spending and limits. The run adds its own costs as they arrive. */
export interface Spending {
  readonly dayUsd: number;
  /** When the day ends and its sum resets. */
  readonly dayEndsAt: number;
  readonly dayLimitUsd: number | null;
  readonly projectUsd: number;
  readonly projectLimitUsd: number | null;
  /** The limits in config.yaml, kept where a person changed one for this run. */
  readonly dayBaseUsd?: number;
  readonly projectBaseUsd?: number;
}

/** `then`: the steps to dispatch after it has passed. */
export interface NamedStep {
  readonly step: string;
  readonly instruction: string | null;
  readonly by: string;
  readonly then?: readonly string[];
}

export interface RunBranch {
  readonly name: string;
  readonly base: string;
  /** null: the project's checkout. */
  readonly folder: string | null;
  /** The run is over, and the checkout was released or could not be. */
  readonly isLeft: boolean;
}

/** A person has the agent's session of a step open in a terminal. */
export interface OpenedSession {
  /** Unique; the end of the session names it. */
  readonly key: string;
  readonly chain: string;
  readonly node: string;
  readonly step: string;
  readonly by: string;
  readonly since: number;
  /** On Bosun's machine. The session is over once all of them have ended. */
  readonly processes: readonly HolderProcess[];
}

export interface HolderProcess {
  readonly pid: number;
  /** Tells it from a later process with the same pid; empty: unknown. */
  readonly startedAt: string;
}

export interface Run {
  readonly id: string;
  readonly number: number;
  readonly home: string;
  readonly project: string;
  readonly workflow: string;
  readonly snapshot: string;
  readonly task: string;
  readonly status: RunStatus;
  readonly pauseReason: PauseReason | null;
  /** Paused by a person: nothing new starts until a person continues. */
  readonly held: boolean;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly context: Readonly<Record<string, string>>;
  /** Dispatches granted by a person, where the level grants none by itself. */
  readonly credit: number;
  readonly live: readonly LiveAttempt[];
  readonly ops: readonly WorkspaceOp[];
  readonly prepared: boolean;
  /** The person's own changes, stashed until the run ends. */
  readonly stash: string | null;
  readonly counters: {
    readonly dispatches: number;
    readonly nodes: number;
    readonly interactions: number;
    readonly ops: number;
    readonly insertions: number;
  };
  readonly dispatchLimit: number;
  readonly insertionLimit: number;
  readonly costUsd: number;
  readonly budgetUsd: number | null;
  /** The limit of config.yaml or the workflow, kept where a person changed it; null: neither sets one. */
  readonly budgetBaseUsd?: number | null;
  /** Agent attempts with unknown cost. */
  readonly unpriced?: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Level manual: the step a person named before its chain existed. */
  readonly named: NamedStep | null;
  /** Above level manual: dispatch only these steps, then hold the run. Absent: any. */
  readonly only?: readonly string[] | null;
  /** A draft that a person has approved and that waits in the queue. */
  readonly approved: boolean;
  /** Leaves nothing in the project except its commits. */
  readonly oneShot: boolean;
  /** Where the project stood at the start, in the workflow's names. */
  readonly position: string | null;
  /** The step to begin with, in a chain that does not exist yet. */
  readonly begin: string | null;
  /** The person who named that step; absent: the survey inferred it from the project's files. */
  readonly beginBy?: string;
  /** Notes from its steps for all stories. */
  readonly scratch: string;
  /** The progress log, as the last attempt left it. */
  readonly progress: string | null;
  /** Permissions granted for the rest of the run. */
  readonly grants: readonly Permission[];
  /** null: no limit applies besides the run's own. */
  readonly purse: Spending | null;
  /** The node that may finish although a spending limit is reached. */
  readonly finishing: string | null;
  readonly deliver: Delivery;
  /** The branch that the run began on; absent: an earlier version began it. */
  readonly base?: string;
  /** An agent switched to this branch, which is neither the run's nor the one that it began on. */
  readonly strayed?: string;
  /** The run's branch and its checkout, if it has its own. */
  readonly branch: RunBranch | null;
  /** Notes on the project's own rules for the proposal; absent: none. */
  readonly notes?: readonly string[];
  /** Other keys of an imported story list, kept for its export. */
  readonly prd?: Readonly<Record<string, unknown>>;
  /** Where it resumes another orchestrator's work; absent: nowhere, or all of it is used. */
  readonly resume?: ResumeLeft;
  /** Files of another program that a person agreed to replace. */
  readonly settled?: readonly SettledFile[];
  /**
   * The engine's rules when the run was created, because replay must reproduce it. 2: votes outlive a look at the
   * rollback targets, and undone sessions are not resumed. 3: it also sums up the time worked and keeps who approved.
   * 4: skipping an approval asks first, and an abort that waits for its confirmation holds the run. 5: an abort looks
   * for what its agents left.
   */
  readonly rules?: 2 | 3 | 4 | 5;
  /** Parallel stories; absent: the workflow's number. */
  readonly parallel?: number;
  /** The run's changes in its own checkout, fixed by commits once it is over; and the branch that has those. */
  readonly work?: WorkRange & { readonly branch?: string };
  /** Of its newest attempt that ran any. */
  readonly tests?: TestCounts;
  /** Who approved its reviews, each once. */
  readonly approvedBy?: readonly string[];
  /** How long its attempts took in all; absent for runs that began before this was counted. */
  readonly workedMs?: number;
  /** Where it stands among its project's drafts, lowest first; absent: its number. */
  readonly place?: number;
  /** What its agents left uncommitted in the project's checkout when it was aborted; null: nothing is left. */
  readonly left?: Change | null;
  /** Chosen by a person, who is asked before another begins. */
  readonly firstStory?: string | null;
  /** The project's executors and those that fail; absent: none has failed yet, or the project has only one. */
  readonly executors?: ExecutorHealth;
  /** Nothing is dispatched while it lasts. */
  readonly opened?: OpenedSession | null;
}

export interface ExecutorHealth {
  /** The first that works does the step. */
  readonly order: readonly string[];
  readonly down: readonly DownExecutor[];
}

/** An executor at a limit, overloaded, without a login or without its program. */
export interface DownExecutor {
  readonly name: string;
  /** The fault's code. */
  readonly code: string;
  readonly since: number;
  /** When it is tried again. */
  readonly until: number;
  /** Bosun waits for it; the others take over; or, besides that, a person must mend it. */
  readonly state: 'waiting' | 'replaced' | 'broken';
}

export interface State {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly items: readonly Item[];
  readonly chain: Chain;
  /** The open ones, and those that the last decision settled. */
  readonly interactions: readonly Interaction[];
}

/** Exhaustiveness check: a case that the types rule out is a bug. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

export interface Resolved extends Outcome {
  readonly tests: TestCounts | null;
  readonly stories: readonly Story[];
  /** Questions that block the step. */
  readonly asks: readonly Ask[];
}

export interface Outcome {
  readonly kind: OutcomeKind;
  readonly reason: string | null;
  readonly summary: string | null;
  /** The status word of the report, where evidence contradicts it. */
  readonly claim: string | null;
  /** The status word of the report, for `on_status`. */
  readonly word: string | null;
  readonly warnings: readonly string[];
  /** Bosun or the worker died; the step is not at fault. */
  readonly isInterrupted: boolean;
  readonly keys: Output['keys'];
  /** A retry cannot change it. */
  readonly isFinal: boolean;
}
