// All events of a run. Time (`at`) and actor (`by`) come from outside.
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
  /** Marked [P], for parallel. */
  readonly parallelTags?: number;
  readonly priority?: number | null;
  readonly values?: Readonly<Record<string, string>>;
  readonly notes?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Done before the run. */
  readonly isDone?: true;
}

interface Happened {
  readonly run: string;
  /** '' for the run's own. */
  readonly chain: string;
  readonly at: number;
}

interface Said extends Happened {
  readonly by: string;
  /** Given from this channel. */
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
  /** Earlier versions lack it, and replay must reproduce them. */
  readonly keepsItems?: true;
  /** See `Run.rules`. */
  readonly rules?: 2 | 3 | 4 | 5;
  readonly context: Readonly<Record<string, string>>;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly budgetUsd: number | null;
  /** By card; else it waits for "continue". */
  readonly propose: boolean;
  readonly oneShot?: boolean;
  readonly purse?: Spending;
  /** Absent: into the base. */
  readonly deliver?: Delivery;
  readonly notes?: readonly string[];
  /** Named by a person; earlier ones are skipped. */
  readonly begin?: string;
  readonly prd?: Readonly<Record<string, unknown>>;
  /** Imported from another orchestrator. */
  readonly resume?: Resume;
  /** A person decides before the run starts. */
  readonly takeover?: Takeover;
  /** Foreign files that a person agreed to replace. */
  readonly settled?: readonly SettledFile[];
  /** Overrides the workflow's number. */
  readonly parallel?: number;
  /** Before any other a person is asked. */
  readonly firstStory?: string;
};

/** The attempt that a report is for: `dispatches` is the count before it. Absent if not noted. */
export interface ReportedTry {
  readonly node: string;
  readonly dispatches: number;
}

/** The attempt's executor, with the project's list at its end. */
export interface ExecutorsTold {
  readonly used: string;
  readonly order: readonly string[];
  readonly fallbackAfterMs: number;
}

export type Event =
  | RunCreated
  /**
   * `firstStory`: for a draft, or a run that asks which is next. `behind`: another live run. `purse`: spending, for a
   * draft.
   */
  | (Said & {
      readonly type: 'start';
      readonly behind: string | null;
      readonly firstStory?: string;
      readonly purse?: Spending;
      /** In a worktree of its own, while another run has the project's checkout. */
      readonly beside?: true;
    })
  | (Said & {
      readonly type: 'continue';
      readonly node: string | null;
      readonly instruction: string | null;
      readonly behind: string | null;
      readonly purse?: Spending;
      /** In order; then the run is held. */
      readonly steps?: readonly string[];
    })
  | (Said & { readonly type: 'retry'; readonly node: string; readonly note: string | null })
  | (Said & { readonly type: 'skip'; readonly node: string; readonly reason: string | null })
  | (Said & { readonly type: 'skip_item'; readonly item: string; readonly reason: string })
  | (Said & { readonly type: 'rollback'; readonly node: string })
  | (Said & { readonly type: 'pause' })
  /** `attempt`: only this one, retried without asking. */
  | (Said & { readonly type: 'kill'; readonly attempt?: string })
  | (Said & { readonly type: 'abort' })
  /** Takes an unbegun task out of the queue. */
  | (Said & { readonly type: 'dequeue' })
  /** Among its project's drafts, see `Run.place`. */
  | (Said & { readonly type: 'requeue'; readonly place: number })
  /** Of a task not begun. */
  | (Said & { readonly type: 'edit_task'; readonly task: string })
  | (Said & { readonly type: 'budget'; readonly addUsd: number })
  | (Said & {
      readonly type: 'answered';
      readonly interaction: string;
      readonly option: string;
      readonly text: string | null;
      readonly behind: string | null;
      readonly purse?: Spending;
      readonly steps?: readonly string[];
    })
  | (Happened & { readonly type: 'attempt_started'; readonly attempt: string; readonly worker: string })
  /** `executors`: absent if there is one. */
  | (Happened & {
      readonly type: 'attempt_settled';
      readonly attempt: string;
      readonly envelope: Envelope;
      readonly executors?: ExecutorsTold;
    })
  /** A running agent asks; `key` dedupes repeats. */
  | (Happened & {
      readonly type: 'agent_asked';
      readonly attempt: string;
      readonly key: string;
      readonly ask: Ask;
    })
  | (Happened & { readonly type: 'remind'; readonly interaction: string })
  | (Happened & { readonly type: 'escalate'; readonly interaction: string })
  /** Put off for oneself, taken up again, or handed to another. */
  | (Said & { readonly type: 'snooze'; readonly interaction: string; readonly until: number })
  | (Said & { readonly type: 'wake'; readonly interaction: string })
  | (Said & { readonly type: 'hand'; readonly interaction: string; readonly to: string })
  /** A timer fired. */
  | (Happened & { readonly type: 'snooze_ended'; readonly interaction: string })
  /** The agent's wait for an answer timed out. */
  | (Happened & { readonly type: 'ask_expired'; readonly attempt: string; readonly key: string })
  /** `isSent`: to this attempt now; else the next prompt. */
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
  /** A manual agent on the ready node. `opened`: the session that ends with it. */
  | (Said & {
      readonly type: 'reported';
      readonly envelope: Envelope;
      readonly about?: ReportedTry;
      readonly opened?: string;
    })
  /** With the key of an open session: its processes are known now. */
  | (Said & {
      readonly type: 'session_opened';
      readonly node: string;
      readonly key: string;
      readonly processes: readonly HolderProcess[];
    })
  /** Without a report. `isLost`: killed, or the machine restarted. */
  | (Happened & { readonly type: 'session_closed'; readonly key: string; readonly isLost: boolean })
  /** Edited, a new day, or another run's late cost. `runUsd`: null if unset. */
  | (Happened & { readonly type: 'limits_read'; readonly runUsd: number | null; readonly purse: Spending | null })
  /** The cost of an attempt that settled without one: its worker reconnected later. */
  | (Happened & {
      readonly type: 'paid_late';
      readonly attempt: string;
      readonly costUsd: number | null;
      readonly tokensIn: number | null;
      readonly tokensOut: number | null;
      readonly wasUnpriced: boolean;
    })
  /** By another run of the project. */
  | (Happened & { readonly type: 'left_taken'; readonly into: string })
  | (Happened & { readonly type: 'workspace_done'; readonly op: string; readonly result: WorkspaceResult })
  /** The engine raises these itself, to step between chains. */
  /** `notes`: from before its loop. `again`: why it reopens, with carried values. */
  | (Happened & {
      readonly type: 'item_opened';
      readonly notes?: readonly HumanNote[];
      readonly again?: { readonly why: Again | null; readonly context: Readonly<Record<string, string>> };
    })
  /** `notes`: unread by any step. `digest`: for the next reviewer. */
  | (Happened & {
      readonly type: 'item_closed';
      readonly item: string;
      readonly notes?: readonly HumanNote[];
      readonly digest?: Digest;
    })
  | (Happened & { readonly type: 'item_reopened'; readonly item: string })
  | (Happened & {
      readonly type: 'chain_resumed';
      readonly retryFailed: boolean;
      /** For the next try of the failed step. */
      readonly note?: { readonly text: string; readonly by: string };
    })
  | (Happened & { readonly type: 'chain_cancelled'; readonly reason: string })
  | (Happened & { readonly type: 'next_named'; readonly item: NewItem });
