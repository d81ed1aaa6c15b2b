// The state that the engine decides on: a run's spine, its items, and the one chain that an event touches.

import type { Ask, CheckResult, DiffStat, Output, Permission, TeamReport, TestCounts } from '../report/envelope.js';
import type { Story } from '../report/index.js';
import type { Complexity, Level, NodeKind, Workflow } from '../workflow/definition.js';
import type { Interaction, ReviewVerdict } from './interaction-model.js';
import type { SkipReason } from './skip.js';
import type { ResumeLeft, SettledFile } from './takeover-data.js';
import type { Delivery, WorkspaceOp } from './workspace-op.js';

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

/** A person's words on their way to the next prompt. They are delivered once. */
export interface HumanNote {
  readonly kind: 'remark' | 'answer' | 'instruction';
  /** What was asked, when this is an answer. */
  readonly question: string | null;
  readonly text: string;
  readonly by: string;
  /** The step that it is for, where others may be dispatched before that one. */
  readonly node?: string;
  /** Noted in the run's chain: a story that began since has it too, and after the loop it is not said again. */
  readonly isHanded?: true;
  /** It came with a story that is done, so only the next one gets it. */
  readonly isForNext?: true;
}

export interface Attempt {
  readonly id: string;
  readonly generation: number;
  /** The number that people see: tries of this generation, abandoned ones not counted. */
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
  /** What the executor said, where the evidence said otherwise. */
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
  /** An agent was at work, and nobody knows what it cost. */
  readonly isUnpriced?: boolean;
  readonly logPath: string | null;
  readonly team: readonly TeamReport[];
  /** The session that its agent can be gone on with, and the one that it went on with. */
  readonly session: string | null;
  readonly resumes: string | null;
  /** What its agent left open. */
  readonly asks: readonly Ask[];
  /** Marks of what a person said no to while it was at work. */
  readonly denied: readonly string[];
  /** It is not to begin before this. */
  readonly notBefore: number | null;
  /** When the same may go better. */
  readonly retryAt: number | null;
  readonly program: string | null;
  /** Files that gates judge and that it, or an earlier try that it went on from, wrote. Left out where nobody looked. */
  readonly wrote?: readonly string[];
  /** A person ended it so that the step is tried again. */
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
  /** Counts every dispatch of this node and is never reset: attempt ids rest on it. */
  readonly dispatches: number;
  readonly live: Attempt | null;
  readonly last: Attempt | null;
  /** The first attempt of this generation: what a rollback to this node goes back to. */
  readonly firstAttempt: string | null;
  readonly skipReason: SkipReason | null;
  /** What this one is for, where it is one of several of its template or was described anew. */
  readonly description: string | null;
  readonly restarts: number;
  /** Gates: how often work was added for it already. */
  readonly retry: number;
  /** What the step is called with, where the one who inserted it said so. */
  readonly args: string | null;
  /** What the fragment that it came with was given. */
  readonly params: Readonly<Record<string, string>>;
  readonly insertedBy: string | null;
  /** Gates: what was decided. */
  readonly verdict: ReviewVerdict | null;
}

/** A node whose attempt has come back. */
export interface SettledNode extends Node {
  readonly last: Attempt;
}

export interface Item {
  readonly key: string;
  readonly order: number;
  readonly title: string;
  readonly description: string;
  readonly criteria: readonly string[];
  readonly dependsOn: readonly string[];
  readonly status: ItemStatus;
  readonly loop: string;
  readonly template: string;
  /** The chain in which its loop stands. */
  readonly parent: string;
  readonly complexity: Complexity | null;
  /** Pieces of it that may be worked on side by side. */
  readonly parallelTags: number;
  readonly priority: number | null;
  /** A person gave it with the task, so no plan replaces it. */
  readonly isGiven?: boolean;
  /** It was done, and a route back wants it done again; until it begins. */
  readonly isReopened?: boolean;
  /** Facts of its own for templates: the phase that it is, the milestone that it belongs to. */
  readonly values: Readonly<Record<string, string>>;
  /** The place among those that are worked on side by side; null while it has none. */
  readonly slot: number | null;
  readonly rejections: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Files that gates judge and that its steps wrote. */
  readonly wrote?: readonly string[];
  /** It is done, and neither a commit nor a changed file came of it. */
  readonly unchanged?: boolean;
  /** What its list says beside the description. */
  readonly notes?: string;
  /** Keys of its list that Bosun does not read, kept for its export. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** What earlier nodes want the next reviewer to look at. */
export interface Digest {
  readonly step: string;
  readonly text: string | null;
  readonly questions: readonly string[];
  readonly files: readonly string[];
}

/** What the step said that sent the work back. */
export interface Again {
  readonly step: string;
  readonly text: string;
}

/** What the attempts of a story have shown, each kind of it by the newest attempt that showed any. */
export interface LatestEvidence {
  readonly tests: TestCounts | null;
  /** Whether the last check passed; null: none has run. */
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
  /** Of the run's own chain: why its loops are walked again, where no person's note says it. Of a story's: why it is. */
  readonly again?: Again | null;
  /** What all its attempts cost. */
  readonly costUsd?: number;
  /** How many attempts of agents ended without anybody telling what they cost. */
  readonly unpriced?: number;
  /** Left out where no attempt has settled since this is kept. */
  readonly evidence?: LatestEvidence;
  /** What its steps wrote down for those after them. */
  readonly scratch: string;
}

export interface LiveAttempt {
  readonly attempt: string;
  readonly chain: string;
  readonly node: string;
  readonly step: string;
  readonly startedAt: number | null;
}

/** What the project has spent, this run included, and what it may spend; the run adds its own costs as they come. */
export interface Spending {
  readonly dayUsd: number;
  /** When the day is over, and its sum begins anew. */
  readonly dayEndsAt: number;
  readonly dayLimitUsd: number | null;
  readonly projectUsd: number;
  readonly projectLimitUsd: number | null;
  /** What config.yaml says, where a person moved the limit for this run. */
  readonly dayBaseUsd?: number;
  readonly projectBaseUsd?: number;
}

/** `then`: the steps that follow it once it has passed. */
export interface NamedStep {
  readonly step: string;
  readonly instruction: string | null;
  readonly by: string;
  readonly then?: readonly string[];
}

export interface RunBranch {
  readonly name: string;
  readonly base: string;
  /** Of a checkout of its own; null: the project's. */
  readonly folder: string | null;
  /** The run is over, and the checkout was given back or could not be. */
  readonly isLeft: boolean;
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
  /** A person said stop; nothing new starts until a person says go. */
  readonly held: boolean;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly context: Readonly<Record<string, string>>;
  /** Dispatches that a person granted, where the level does not grant them by itself. */
  readonly credit: number;
  readonly live: readonly LiveAttempt[];
  readonly ops: readonly WorkspaceOp[];
  readonly prepared: boolean;
  /** The person's own changes, put aside until the run ends. */
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
  /** What config.yaml or the workflow says, where a person moved the limit; null: neither sets one. */
  readonly budgetBaseUsd?: number | null;
  /** How many attempts of agents ended without anybody telling what they cost. */
  readonly unpriced?: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** At level manual: the step that a person named before there was a chain to find it in. */
  readonly named: NamedStep | null;
  /** Above level manual: only these steps are dispatched before the run is held again. Left out: any. */
  readonly only?: readonly string[] | null;
  /** A draft that a person already said yes to and that waits for its turn. */
  readonly approved: boolean;
  /** Leaves nothing behind in the project but its commits. */
  readonly oneShot: boolean;
  /** Where the project stood when the run began, by the workflow's own names. */
  readonly position: string | null;
  /** The step to begin with in a chain that is yet to be laid. */
  readonly begin: string | null;
  /** Who named that step; left out: it was told from the project's files. */
  readonly beginBy?: string;
  /** What its steps wrote down for all stories. */
  readonly scratch: string;
  /** The progress log, as the last attempt left it. */
  readonly progress: string | null;
  /** What a person allowed its agents for the rest of the run. */
  readonly grants: readonly Permission[];
  /** null: nobody set a limit beside the run's own. */
  readonly purse: Spending | null;
  /** The node that a person wants finished although the money is spent. */
  readonly finishing: string | null;
  readonly deliver: Delivery;
  /** The branch that the run works on, and the checkout, where it has one of its own. */
  readonly branch: RunBranch | null;
  /** What the proposal says of the project's own rules; left out: nothing. */
  readonly notes?: readonly string[];
  /** Keys of an imported list beside its stories, kept for its export. */
  readonly prd?: Readonly<Record<string, unknown>>;
  /** Where it resumes what another orchestrator began; left out: nowhere, or all of it is used. */
  readonly resume?: ResumeLeft;
  /** Files of another program that a person agreed to replace. */
  readonly settled?: readonly SettledFile[];
  /** How many stories at once; left out: as many as the workflow says. */
  readonly parallel?: number;
  /** A person chose this story: they are asked before another begins. */
  readonly firstStory?: string | null;
}

export interface State {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly items: readonly Item[];
  readonly chain: Chain;
  /** The open ones, and those that the last decision settled. */
  readonly interactions: readonly Interaction[];
}

/** Exhaustiveness: a case that the types rule out is a bug, and a bug throws. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

export interface Resolved extends Outcome {
  readonly tests: TestCounts | null;
  readonly stories: readonly Story[];
  /** What a person has to say before it can go on. */
  readonly asks: readonly Ask[];
}

export interface Outcome {
  readonly kind: OutcomeKind;
  readonly reason: string | null;
  readonly summary: string | null;
  /** What the report said in its own word, where it said another thing than what holds. */
  readonly claim: string | null;
  /** The report's status in its own word, for `on_status`. */
  readonly word: string | null;
  readonly warnings: readonly string[];
  /** The death of Bosun or a worker, which is nobody's fault. */
  readonly isInterrupted: boolean;
  readonly keys: Output['keys'];
  /** No further try can change it. */
  readonly isFinal: boolean;
}
