// A run: its limits, its branch, its executors and what it is for.

import type { Change, Permission, TestCounts } from '../report/envelope.js';
import type { Level } from '../workflow/definition.js';
import type { LiveAttempt } from './attempt.js';
import type { WorkRange } from './frozen-work.js';
import type { ResumeLeft, SettledFile } from './takeover-data.js';
import type { Delivery, WorkspaceOp } from './workspace-op.js';

export type RunStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export type PauseReason = 'decision' | 'escalation' | 'failure' | 'user' | 'level' | 'budget';

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
