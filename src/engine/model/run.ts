import type { Change, Permission, TestCounts } from '../report/envelope.js';
import type { Level } from '../workflow/definition.js';
import type { LiveAttempt } from './attempt.js';
import type { WorkRange } from './frozen-work.js';
import type { ResumeLeft, SettledFile } from './takeover-data.js';
import type { Delivery, WorkspaceOp } from './workspace-op.js';

export type RunStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export type PauseReason = 'decision' | 'escalation' | 'failure' | 'user' | 'level' | 'budget';

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
  /** The run is over; its checkout was released or could not be. */
  readonly isLeft: boolean;
}

/** The run adds its own costs. */
export interface Spending {
  readonly dayUsd: number;
  /** The sum resets then. */
  readonly dayEndsAt: number;
  readonly dayLimitUsd: number | null;
  readonly projectUsd: number;
  readonly projectLimitUsd: number | null;
  /** Set if a person changed the limit for this run. */
  readonly dayBaseUsd?: number;
  readonly projectBaseUsd?: number;
}

/** A person has the agent's session open in a terminal. */
export interface OpenedSession {
  /** The session's end names it. */
  readonly key: string;
  readonly chain: string;
  readonly node: string;
  readonly step: string;
  readonly by: string;
  readonly since: number;
  /** On this machine; the session is over once all have ended. */
  readonly processes: readonly HolderProcess[];
}

export interface HolderProcess {
  readonly pid: number;
  /** Distinguishes a later process with the same pid; '': unknown. */
  readonly startedAt: string;
}

export interface ExecutorHealth {
  /** The first that works does the step. */
  readonly order: readonly string[];
  readonly down: readonly DownExecutor[];
}

/** At a limit, overloaded, or without login or program. */
export interface DownExecutor {
  readonly name: string;
  readonly code: string;
  readonly since: number;
  readonly until: number;
  /** `waiting`: Bosun waits; `replaced`: others take over; `broken`: replaced until a person repairs it. */
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
  /** No step starts until a person continues. */
  readonly held: boolean;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly context: Readonly<Record<string, string>>;
  readonly credit: number;
  readonly live: readonly LiveAttempt[];
  readonly ops: readonly WorkspaceOp[];
  readonly prepared: boolean;
  /** Holds a person's changes until the run ends. */
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
  /** The limit before a person changed it; null: none. */
  readonly budgetBaseUsd?: number | null;
  readonly unpriced?: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly named: NamedStep | null;
  /** Above level manual: runs only these, then holds. Absent: all. */
  readonly only?: readonly string[] | null;
  readonly approved: boolean;
  /** Leaves only its commits. */
  readonly oneShot: boolean;
  /** Works in a worktree, because another run had the project's checkout. */
  readonly beside?: true;
  /** The project's position, in the workflow's names. */
  readonly position: string | null;
  /** For a chain that does not exist yet. */
  readonly begin: string | null;
  /** Absent: the survey inferred it. */
  readonly beginBy?: string;
  readonly scratch: string;
  /** As the last attempt left it. */
  readonly progress: string | null;
  readonly grants: readonly Permission[];
  /** Null: only the run's limit counts. */
  readonly purse: Spending | null;
  /** Allowed in spite of a reached limit. */
  readonly finishing: string | null;
  readonly deliver: Delivery;
  /** Absent: an earlier version began the run. */
  readonly base?: string;
  /** An agent switched to this branch: neither the run's nor the base. */
  readonly strayed?: string;
  readonly branch: RunBranch | null;
  /** For the proposal, about the project's own rules. */
  readonly notes?: readonly string[];
  /** Other keys of an imported list, written back by its export. */
  readonly prd?: Readonly<Record<string, unknown>>;
  /** Foreign work to resume; absent: none, or used up. */
  readonly resume?: ResumeLeft;
  readonly settled?: readonly SettledFile[];
  /**
   * Fixed at creation, for replay. 2: votes outlive a look at rollback targets; undone sessions are not resumed. 3:
   * sums time worked, keeps approvers. 4: skipping an approval asks first; an unconfirmed abort holds the run. 5: an
   * abort looks for leftovers.
   */
  readonly rules?: 2 | 3 | 4 | 5;
  readonly parallel?: number;
  /** Fixed by commits once the run is over. */
  readonly work?: WorkRange & { readonly branch?: string };
  /** From the newest attempt that ran tests. */
  readonly tests?: TestCounts;
  readonly approvedBy?: readonly string[];
  /** Sum of all attempts; absent: an earlier version began the run. */
  readonly workedMs?: number;
  /** Place among drafts, lowest first; absent: the run's number. */
  readonly place?: number;
  /** Uncommitted at the abort; null: nothing. */
  readonly left?: Change | null;
  /** Of a run beside another, with delivery `commit`: its branch is unmerged. `waits`: asked once the folder is free. */
  readonly unlanded?: 'waits' | 'kept' | null;
  /** A person is asked before another begins. */
  readonly firstStory?: string | null;
  /** Absent: none failed, or the project has one. */
  readonly executors?: ExecutorHealth;
  readonly opened?: OpenedSession | null;
}
