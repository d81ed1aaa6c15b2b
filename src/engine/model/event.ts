// Every event a run can receive. Time is `at` and the actor is `by`; both come from outside the engine.
import type { Ask, Envelope } from '../report/envelope.js';
import type { Complexity, Level } from '../workflow/definition.js';
import type { Again, Delivery, Digest, HolderProcess, HumanNote, Spending, WorkspaceResult } from './model.js';
import type { Resume, SettledFile, Takeover } from './takeover-data.js';

export interface NewItem {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly criteria: readonly string[];
  readonly dependsOn: readonly string[];
  readonly complexity?: Complexity | null;
  /** How many of its parts are marked [P], for parallel. */
  readonly parallelTags?: number;
  readonly priority?: number | null;
  readonly values?: Readonly<Record<string, string>>;
  /** Notes from its list, for the agents that work on it. */
  readonly notes?: string;
  /** Unread keys of its list, kept for its export. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Done before the run began. */
  readonly isDone?: true;
}

interface Happened {
  readonly run: string;
  /** The chain that this event touches; empty for the run's own. */
  readonly chain: string;
  readonly at: number;
}

interface Said extends Happened {
  readonly by: string;
  /** The channel, if known. */
  readonly where?: string;
}

export type RunCreated = Said & {
  readonly type: 'run_created';
  readonly number: number;
  readonly home: string;
  readonly project: string;
  readonly workflow: string;
  readonly snapshot: string;
  readonly task: string;
  readonly items: readonly NewItem[];
  /** No plan replaces the items. Runs of earlier versions lack it, and replay must reproduce them. */
  readonly keepsItems?: true;
  /** Which rules of the engine apply, see `Run.rules`. */
  readonly rules?: 2 | 3 | 4 | 5;
  readonly context: Readonly<Record<string, string>>;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly budgetUsd: number | null;
  /** Whether a card asks a person to confirm; otherwise the draft waits for "continue". */
  readonly propose: boolean;
  readonly oneShot?: boolean;
  readonly purse?: Spending;
  /** Where the work is delivered; absent: into the base. */
  readonly deliver?: Delivery;
  /** Notes on the project's own rules, for the proposal. */
  readonly notes?: readonly string[];
  /** The step that a person asked to begin with; those before it are skipped. */
  readonly begin?: string;
  /** Other keys of an imported story list, kept for its export. */
  readonly prd?: Readonly<Record<string, unknown>>;
  /** Where the run begins, imported from another orchestrator's state. */
  readonly resume?: Resume;
  /** Another orchestrator's state in the project; a person decides about it before the run starts. */
  readonly takeover?: Takeover;
  /** Files of another program that a person agreed to replace. */
  readonly settled?: readonly SettledFile[];
  /** Overrides the workflow's `parallel`. */
  readonly parallel?: number;
  /** The story to begin with; a person is asked before any other starts. */
  readonly firstStory?: string;
};

/**
 * The attempt that a report belongs to: `dispatches` is the node's count before it. Absent if the reporter noted none.
 */
export interface ReportedTry {
  readonly node: string;
  readonly dispatches: number;
}

/** The executor that an attempt used, and the list that config.yaml held for its project when it ended. */
export interface ExecutorsTold {
  readonly used: string;
  readonly order: readonly string[];
  readonly fallbackAfterMs: number;
}

export type Event =
  | RunCreated
  /** `behind`: another live run of the project, if any. `purse`: current spending, for a draft that this may start. */
  /** `firstStory`: starts with this story; for a draft, or a run that asks which is next. */
  | (Said & {
      readonly type: 'start';
      readonly behind: string | null;
      readonly firstStory?: string;
      readonly purse?: Spending;
    })
  | (Said & {
      readonly type: 'continue';
      readonly node: string | null;
      readonly instruction: string | null;
      readonly behind: string | null;
      readonly purse?: Spending;
      /** Steps that a person named: they are dispatched in order, then the run is held. */
      readonly steps?: readonly string[];
    })
  | (Said & { readonly type: 'retry'; readonly node: string; readonly note: string | null })
  | (Said & { readonly type: 'skip'; readonly node: string; readonly reason: string | null })
  | (Said & { readonly type: 'skip_item'; readonly item: string; readonly reason: string })
  | (Said & { readonly type: 'rollback'; readonly node: string })
  | (Said & { readonly type: 'pause' })
  /** `attempt`: stop only this one and retry its step without asking. */
  | (Said & { readonly type: 'kill'; readonly attempt?: string })
  | (Said & { readonly type: 'abort' })
  /** Takes a task that has not begun out of the queue. */
  | (Said & { readonly type: 'dequeue' })
  /** Moves it to before or behind others of its project, see `Run.place`. */
  | (Said & { readonly type: 'requeue'; readonly place: number })
  | (Said & { readonly type: 'budget'; readonly addUsd: number })
  | (Said & {
      readonly type: 'answered';
      readonly interaction: string;
      readonly option: string;
      readonly text: string | null;
      readonly behind: string | null;
      readonly purse?: Spending;
      /** As in `continue`. */
      readonly steps?: readonly string[];
    })
  | (Happened & { readonly type: 'attempt_started'; readonly attempt: string; readonly worker: string })
  /** `executors`: absent where the project has only one. */
  | (Happened & {
      readonly type: 'attempt_settled';
      readonly attempt: string;
      readonly envelope: Envelope;
      readonly executors?: ExecutorsTold;
    })
  /** A running agent asks a person. `key` dedupes repeats of the same question. */
  | (Happened & {
      readonly type: 'agent_asked';
      readonly attempt: string;
      readonly key: string;
      readonly ask: Ask;
    })
  /** The reminder timer of an interaction fired. */
  | (Happened & { readonly type: 'remind'; readonly interaction: string })
  /** The escalation timer of an interaction fired. */
  | (Happened & { readonly type: 'escalate'; readonly interaction: string })
  /** The agent's wait for the answer timed out. */
  | (Happened & { readonly type: 'ask_expired'; readonly attempt: string; readonly key: string })
  /** A person speaks to a running step. `isSent`: to this attempt now; else with the step's next prompt. */
  | (Said & {
      readonly type: 'words_said';
      readonly node: string;
      readonly attempt: string;
      readonly key: string;
      readonly text: string;
      readonly isSent: boolean;
    })
  | (Happened & {
      readonly type: 'words_heard';
      readonly attempt: string;
      readonly key: string;
      readonly isHeard: boolean;
    })
  /** An agent that a person started by hand reports on the ready node. */
  /** `opened`: the key of the session that ends with this report. */
  | (Said & {
      readonly type: 'reported';
      readonly envelope: Envelope;
      readonly about?: ReportedTry;
      readonly opened?: string;
    })
  /** A person opens the session of a step in a terminal; with the key of an open one: its processes are known now. */
  | (Said & {
      readonly type: 'session_opened';
      readonly node: string;
      readonly key: string;
      readonly processes: readonly HolderProcess[];
    })
  /** It ended without a report. `isLost`: its terminal was killed, or the machine restarted. */
  | (Happened & { readonly type: 'session_closed'; readonly key: string; readonly isLost: boolean })
  /** Limits were edited, a day ended, or another run's result came late. `runUsd`: null if config sets none. */
  | (Happened & { readonly type: 'limits_read'; readonly runUsd: number | null; readonly purse: Spending | null })
  /** The cost of an attempt that had settled without one, because its worker reconnected later. */
  | (Happened & {
      readonly type: 'paid_late';
      readonly attempt: string;
      readonly costUsd: number | null;
      readonly tokensIn: number | null;
      readonly tokensOut: number | null;
      readonly wasUnpriced: boolean;
    })
  /** Another run of the project dealt with what this aborted one left. */
  | (Happened & { readonly type: 'left_taken'; readonly into: string })
  | (Happened & { readonly type: 'workspace_done'; readonly op: string; readonly result: WorkspaceResult })
  /** The engine raises the events below itself, to step from one chain to another. */
  /** `notes`: from before its loop. `again`: why a finished story reopens, and the values that the route carried. */
  | (Happened & {
      readonly type: 'item_opened';
      readonly notes?: readonly HumanNote[];
      readonly again?: { readonly why: Again | null; readonly context: Readonly<Record<string, string>> };
    })
  /** `notes`: notes that no step of the story has read. `digest`: the story's, for the next reviewer. */
  | (Happened & {
      readonly type: 'item_closed';
      readonly item: string;
      readonly notes?: readonly HumanNote[];
      readonly digest?: Digest;
    })
  | (Happened & { readonly type: 'item_reopened'; readonly item: string })
  | (Happened & { readonly type: 'chain_resumed'; readonly retryFailed: boolean })
  | (Happened & { readonly type: 'chain_cancelled'; readonly reason: string })
  | (Happened & { readonly type: 'next_named'; readonly item: NewItem });
