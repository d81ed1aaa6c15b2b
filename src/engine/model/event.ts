// Everything that can happen to a run. Time is `at`, the actor is `by`; both come from outside.
import type { Ask, Envelope } from '../report/envelope.js';
import type { Complexity, Level } from '../workflow/definition.js';
import type { Again, Delivery, Digest, HumanNote, Spending, WorkspaceResult } from './model.js';
import type { Resume, SettledFile, Takeover } from './takeover-data.js';

export interface NewItem {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly criteria: readonly string[];
  readonly dependsOn: readonly string[];
  readonly complexity?: Complexity | null;
  /** How many pieces of it are marked as [P]. */
  readonly parallelTags?: number;
  readonly priority?: number | null;
  readonly values?: Readonly<Record<string, string>>;
  /** What its list says beside the description, for those who work on it. */
  readonly notes?: string;
  /** Keys of its list that Bosun does not read, kept for its export. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** It was done before the run began. */
  readonly isDone?: true;
}

interface Happened {
  readonly run: string;
  /** The chain that this event touches: empty for the run's own. */
  readonly chain: string;
  readonly at: number;
}

interface Said extends Happened {
  readonly by: string;
  /** The channel on which it was said, where somebody noted it. */
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
  /** No plan replaces the items. Left out by earlier versions, whose runs are replayed as they were. */
  readonly keepsItems?: true;
  readonly context: Readonly<Record<string, string>>;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly budgetUsd: number | null;
  /** Whether a person must confirm with a card, or the draft merely waits for "continue". */
  readonly propose: boolean;
  readonly oneShot?: boolean;
  readonly purse?: Spending;
  /** Where the work goes; left out: into the base. */
  readonly deliver?: Delivery;
  /** What the proposal says of the project's own rules. */
  readonly notes?: readonly string[];
  /** The step to begin with, where a person named one; those before it are skipped. */
  readonly begin?: string;
  /** Keys of an imported list beside its stories, kept for its export. */
  readonly prd?: Readonly<Record<string, unknown>>;
  /** Where the run begins: imported from the state of another orchestrator. */
  readonly resume?: Resume;
  /** State of another orchestrator in the project: a person says what becomes of it before the run starts. */
  readonly takeover?: Takeover;
  /** Files of another program that a person agreed to replace. */
  readonly settled?: readonly SettledFile[];
  /** How many stories at once, in place of the workflow's `parallel`. */
  readonly parallel?: number;
  /** The story to begin with; a person is asked before any other. */
  readonly firstStory?: string;
};

/** For which try of which step evidence was gathered: the one after so many. Left out where nobody noted it. */
export interface ReportedTry {
  readonly node: string;
  readonly dispatches: number;
}

export type Event =
  | RunCreated
  /** `behind`: the project's live run, when there is another one. `purse`: of a draft that may begin with this. */
  /** `firstStory`: this story, of a draft or of a run that asks which story is next. */
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
      /** Steps that a person named: these are dispatched, one after the other, and then the run is held. */
      readonly steps?: readonly string[];
    })
  | (Said & { readonly type: 'retry'; readonly node: string; readonly note: string | null })
  | (Said & { readonly type: 'skip'; readonly node: string; readonly reason: string })
  | (Said & { readonly type: 'skip_item'; readonly item: string; readonly reason: string })
  | (Said & { readonly type: 'rollback'; readonly node: string })
  | (Said & { readonly type: 'pause' })
  /** `attempt`: only this one, and its step is tried again without another question. */
  | (Said & { readonly type: 'kill'; readonly attempt?: string })
  | (Said & { readonly type: 'abort' })
  | (Said & { readonly type: 'budget'; readonly addUsd: number })
  | (Said & {
      readonly type: 'answered';
      readonly interaction: string;
      readonly option: string;
      readonly text: string | null;
      readonly behind: string | null;
      readonly purse?: Spending;
      /** As with continue. */
      readonly steps?: readonly string[];
    })
  | (Happened & { readonly type: 'attempt_started'; readonly attempt: string; readonly worker: string })
  | (Happened & { readonly type: 'attempt_settled'; readonly attempt: string; readonly envelope: Envelope })
  /** An agent at work asks a person; `key` is the same however often it asks this. */
  | (Happened & {
      readonly type: 'agent_asked';
      readonly attempt: string;
      readonly key: string;
      readonly ask: Ask;
    })
  /** It is time to tell people again of what they have not answered. */
  | (Happened & { readonly type: 'remind'; readonly interaction: string })
  /** It is time to tell others of it. */
  | (Happened & { readonly type: 'escalate'; readonly interaction: string })
  /** The agent waits no longer for that answer. */
  | (Happened & { readonly type: 'ask_expired'; readonly attempt: string; readonly key: string })
  /** An agent that a person started by hand reports on the node that is ready. */
  | (Said & { readonly type: 'reported'; readonly envelope: Envelope; readonly about?: ReportedTry })
  /** Limits were edited, a day is over, or another run's result came late: `runUsd` null where config sets none. */
  | (Happened & { readonly type: 'limits_read'; readonly runUsd: number | null; readonly purse: Spending | null })
  /** The cost of an attempt that was settled without one, because its worker came back after that. */
  | (Happened & {
      readonly type: 'paid_late';
      readonly attempt: string;
      readonly costUsd: number | null;
      readonly tokensIn: number | null;
      readonly tokensOut: number | null;
      readonly wasUnpriced: boolean;
    })
  | (Happened & { readonly type: 'workspace_done'; readonly op: string; readonly result: WorkspaceResult })
  /** The rest are raised by the engine itself, to step from one chain to another. */
  /** `notes`: what people said before its loop. `again`: it was done before, and the values that the route carried. */
  | (Happened & {
      readonly type: 'item_opened';
      readonly notes?: readonly HumanNote[];
      readonly again?: { readonly why: Again | null; readonly context: Readonly<Record<string, string>> };
    })
  /** `notes`: what nobody in the story was there to read. `digest`: of the story, for the next reviewer. */
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

export type EventType = Event['type'];
