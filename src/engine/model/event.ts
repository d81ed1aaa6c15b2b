// Time (`at`) and actor (`by`) come from outside.
import type { Ask, Envelope } from '../report/envelope.js';
import type { Complexity, Level } from '../workflow/definition.js';
import type {
  Again,
  ChangedFiles,
  Delivery,
  Digest,
  HolderProcess,
  HumanNote,
  Spending,
  WorkspaceResult,
} from './model.js';
import type { Resume, SettledFile, Takeover } from './takeover-data.js';

export interface NewItem {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly criteria: readonly string[];
  readonly dependsOn: readonly string[];
  readonly complexity?: Complexity | null;
  /** Parts marked [P], which may run in parallel. */
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
  /** '': the run's own. */
  readonly chain: string;
  readonly at: number;
}

interface Said extends Happened {
  readonly by: string;
  /** Absent: not from a channel. */
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
  /** Absent in earlier versions, which a replay must reproduce. */
  readonly keepsItems?: true;
  /** See `Run.rules`. */
  readonly rules?: 2 | 3 | 4 | 5;
  readonly context: Readonly<Record<string, string>>;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly budgetUsd: number | null;
  /** Asks on a card; else the run waits for "continue". */
  readonly propose: boolean;
  readonly oneShot?: boolean;
  readonly purse?: Spending;
  /** Absent: into the base. */
  readonly deliver?: Delivery;
  readonly notes?: readonly string[];
  /** A person named it; earlier steps are skipped. */
  readonly begin?: string;
  readonly prd?: Readonly<Record<string, unknown>>;
  readonly resume?: Resume;
  readonly takeover?: Takeover;
  /** Foreign files that a person agreed to replace. */
  readonly settled?: readonly SettledFile[];
  readonly parallel?: number;
  /** A person is asked before any other begins. */
  readonly firstStory?: string;
};

/** `dispatches`: the count before the attempt. Absent if not noted. */
export interface ReportedTry {
  readonly node: string;
  readonly dispatches: number;
}

export interface ExecutorsTold {
  readonly used: string;
  readonly order: readonly string[];
  readonly fallbackAfterMs: number;
}

export type Event =
  | RunCreated
  /**
   * `firstStory`: for a draft, or a run that asks for the next story. `behind`: another live run. `purse`: spending,
   * for a draft.
   */
  | (Said & {
      readonly type: 'start';
      readonly behind: string | null;
      readonly firstStory?: string;
      readonly purse?: Spending;
      /** In its own worktree, while another run has the project's checkout. */
      readonly beside?: true;
    })
  | (Said & {
      readonly type: 'continue';
      readonly node: string | null;
      readonly instruction: string | null;
      readonly behind: string | null;
      readonly purse?: Spending;
      /** Runs these in order, then holds the run. */
      readonly steps?: readonly string[];
    })
  | (Said & { readonly type: 'retry'; readonly node: string; readonly note: string | null })
  | (Said & { readonly type: 'skip'; readonly node: string; readonly reason: string | null })
  | (Said & { readonly type: 'skip_item'; readonly item: string; readonly reason: string })
  | (Said & { readonly type: 'rollback'; readonly node: string })
  | (Said & { readonly type: 'pause' })
  /** `attempt`: kills only this one and retries without asking. */
  | (Said & { readonly type: 'kill'; readonly attempt?: string })
  | (Said & { readonly type: 'abort'; readonly changed?: ChangedFiles })
  /** Merges the branch of an ended run. `behind`: the run that has the folder. */
  | (Said & { readonly type: 'land'; readonly behind: string | null })
  /** Takes an unbegun task out of the queue. */
  | (Said & { readonly type: 'dequeue' })
  /** See `Run.place`. */
  | (Said & { readonly type: 'requeue'; readonly place: number })
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
  /** `executors` absent: there is one. */
  | (Happened & {
      readonly type: 'attempt_settled';
      readonly attempt: string;
      readonly envelope: Envelope;
      readonly executors?: ExecutorsTold;
    })
  /** `key` dedupes repetitions. */
  | (Happened & {
      readonly type: 'agent_asked';
      readonly attempt: string;
      readonly key: string;
      readonly ask: Ask;
      /** The agent waits until then for its question's answer. */
      readonly waitsUntil?: number;
    })
  | (Happened & { readonly type: 'remind'; readonly interaction: string })
  | (Happened & { readonly type: 'escalate'; readonly interaction: string })
  | (Said & { readonly type: 'snooze'; readonly interaction: string; readonly until: number })
  | (Said & { readonly type: 'wake'; readonly interaction: string })
  | (Said & { readonly type: 'nudge'; readonly interaction: string })
  | (Said & { readonly type: 'hand'; readonly interaction: string; readonly to: string })
  | (Happened & { readonly type: 'snooze_ended'; readonly interaction: string })
  | (Happened & { readonly type: 'ask_expired'; readonly attempt: string; readonly key: string })
  /** `isSent`: to this attempt now; else with the next prompt. */
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
  /** With an open session's key: its processes are known now. */
  | (Said & {
      readonly type: 'session_opened';
      readonly node: string;
      readonly key: string;
      readonly processes: readonly HolderProcess[];
    })
  /** Ended without a report. `isLost`: killed, or the machine restarted. */
  | (Happened & { readonly type: 'session_closed'; readonly key: string; readonly isLost: boolean })
  /** After an edit, on a new day, or with another run's late cost. */
  | (Happened & { readonly type: 'limits_read'; readonly runUsd: number | null; readonly purse: Spending | null })
  /** The worker reconnected after the attempt had settled. */
  | (Happened & {
      readonly type: 'paid_late';
      readonly attempt: string;
      readonly costUsd: number | null;
      readonly tokensIn: number | null;
      readonly tokensOut: number | null;
      readonly wasUnpriced: boolean;
    })
  | (Happened & { readonly type: 'left_taken'; readonly into: string })
  /** No run has the project's folder, and none is about to. */
  | (Happened & { readonly type: 'folder_freed' })
  | (Happened & { readonly type: 'workspace_done'; readonly op: string; readonly result: WorkspaceResult })
  /** The engine raises these itself, to step between chains. */
  /** `notes`: from before its loop. `again`: the reason for reopening, with carried values. */
  | (Happened & {
      readonly type: 'item_opened';
      readonly notes?: readonly HumanNote[];
      readonly again?: { readonly why: Again | null; readonly context: Readonly<Record<string, string>> };
    })
  /** `notes`: not read by any step. `digest`: for the next reviewer. */
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
