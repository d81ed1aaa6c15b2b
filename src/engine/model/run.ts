import type { Change, Permission, TestCounts } from '../report/envelope.js';
import type { Level } from '../workflow/definition.js';
import type { LiveAttempt } from './attempt.js';
import type { WorkRange } from './frozen-work.js';
import type { ResumeLeft, SettledFile } from './takeover-data.js';
import type { Delivery, WorkspaceOp } from './workspace-op.js';

export type RunStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export type PauseReason = 'decision' | 'escalation' | 'failure' | 'user' | 'level' | 'budget';

/** `then`: dispatched after it passed. */
export interface NamedStep {
  readonly step: string;
  readonly instruction: string | null;
  readonly by: string;
  readonly then?: readonly string[];
}

export interface RunBranch {
  readonly name: string;
  readonly base: string;
  /** Null: the project's checkout. */
  readonly folder: string | null;
  /** Over; the checkout was released or could not be. */
  readonly isLeft: boolean;
}

/** The run adds its own costs. */
export interface Spending {
  readonly dayUsd: number;
  /** The day's end, when its sum resets. */
  readonly dayEndsAt: number;
  readonly dayLimitUsd: number | null;
  readonly projectUsd: number;
  readonly projectLimitUsd: number | null;
  /** If a person changed one for this run. */
  readonly dayBaseUsd?: number;
  readonly projectBaseUsd?: number;
}

/** A person has the agent's session of a step open in a terminal. */
export interface OpenedSession {
  /** The session's end names it. */
  readonly key: string;
  readonly chain: string;
  readonly node: string;
  readonly step: string;
  readonly by: string;
  readonly since: number;
  /** On this machine; over once all have ended. */
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

/** At a limit, overloaded, without login or program. */
export interface DownExecutor {
  readonly name: string;
  readonly code: string;
  readonly since: number;
  /** When it is tried again. */
  readonly until: number;
  /** `waiting`: Bosun waits; `replaced`: others take over; `broken`: a person must mend it, too. */
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
  /** Nothing starts until a person continues. */
  readonly held: boolean;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly context: Readonly<Record<string, string>>;
  /** Dispatches granted by a person, if the level grants none. */
  readonly credit: number;
  readonly live: readonly LiveAttempt[];
  readonly ops: readonly WorkspaceOp[];
  readonly prepared: boolean;
  /** A person's changes, until the run ends. */
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
  /** Before a person changed it; null: unset. */
  readonly budgetBaseUsd?: number | null;
  readonly unpriced?: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Level manual, before its chain existed. */
  readonly named: NamedStep | null;
  /** Above level manual: then hold. Absent: any. */
  readonly only?: readonly string[] | null;
  readonly approved: boolean;
  /** Leaves only its commits. */
  readonly oneShot: boolean;
  /** Another run had the project's checkout: it works in a worktree from the start. */
  readonly beside?: true;
  /** Where the project stood, in the workflow's names. */
  readonly position: string | null;
  /** In a chain yet to exist. */
  readonly begin: string | null;
  /** The person who named it; absent: the survey inferred it. */
  readonly beginBy?: string;
  readonly scratch: string;
  /** As the last attempt left it. */
  readonly progress: string | null;
  readonly grants: readonly Permission[];
  /** Null: only the run's limit. */
  readonly purse: Spending | null;
  /** In spite of a reached limit. */
  readonly finishing: string | null;
  readonly deliver: Delivery;
  /** Absent: an earlier version began it. */
  readonly base?: string;
  /** An agent switched here: neither the run's nor the base. */
  readonly strayed?: string;
  /** With its checkout, if own. */
  readonly branch: RunBranch | null;
  /** On the project's own rules, for the proposal. */
  readonly notes?: readonly string[];
  /** Other keys of an imported list, for its export. */
  readonly prd?: Readonly<Record<string, unknown>>;
  /** Where foreign work resumes; absent: nowhere, or used up. */
  readonly resume?: ResumeLeft;
  /** Foreign files that a person agreed to replace. */
  readonly settled?: readonly SettledFile[];
  /**
   * Fixed at creation, for replay.
   * 2: votes outlive a look at rollback targets; undone sessions are not resumed.
   * 3: sums time worked, keeps approvers.
   * 4: skipping an approval asks first; an unconfirmed abort holds the run.
   * 5: an abort looks for leftovers.
   */
  readonly rules?: 2 | 3 | 4 | 5;
  readonly parallel?: number;
  /** Its changes, fixed by commits once it is over, and their branch. */
  readonly work?: WorkRange & { readonly branch?: string };
  /** From the newest attempt that ran any. */
  readonly tests?: TestCounts;
  /** The approvers, each once. */
  readonly approvedBy?: readonly string[];
  /** Time of all attempts; absent: begun before this was counted. */
  readonly workedMs?: number;
  /** Among drafts, lowest first; absent: its number. */
  readonly place?: number;
  /** Uncommitted, at the abort; null: nothing. */
  readonly left?: Change | null;
  /** A person is asked before another begins. */
  readonly firstStory?: string | null;
  /** The executors and those that fail; absent: none failed, or only one. */
  readonly executors?: ExecutorHealth;
  readonly opened?: OpenedSession | null;
}
