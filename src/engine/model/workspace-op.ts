// Work on a checkout that a run waits for, and what may come of it.
import type { DiffStat } from '../report/envelope.js';
import type { Survey } from '../survey/survey.js';

/** What a person decided about changed settings of git: they stay, or what was there before comes back. */
export type SettingsRuling = 'accept' | 'restore';

/** Work on the checkout that must end before the chain goes on; before it, what was ruled on git's settings is done. */
export type WorkspaceOp = Work & {
  readonly settings?: SettingsRuling;
  /** A person has seen the large files that are committed or sent. */
  readonly allowsLarge?: true;
};

type Work =
  | {
      readonly id: string;
      readonly kind: 'prepare';
      readonly stash: boolean;
      /** A checkout of the run's own beside the person's, which is left as it is. */
      readonly worktree?: boolean;
      readonly deliver?: Delivery;
    }
  | { readonly id: string; readonly kind: 'deliver'; readonly chain: string; readonly message: string }
  | {
      readonly id: string;
      readonly kind: 'rollback';
      readonly chain: string;
      readonly node: string;
      readonly attempt: string;
      /** What happens to the chain after: it goes back to the node, or the node is only tried again. */
      readonly after: 'go_back' | 'go_on';
      /** The file, among the run's own, that holds what is taken back. */
      readonly keepAs: string;
    }
  /** A worktree on a branch of its own, for one item. */
  | { readonly id: string; readonly kind: 'open'; readonly chain: string; readonly slot: number }
  /** Its branch onto the base, as one commit; with that the worktree is gone. */
  | { readonly id: string; readonly kind: 'merge'; readonly chain: string; readonly message: string }
  /** A worktree that nobody needs any more; its branch stays where it holds work. */
  | { readonly id: string; readonly kind: 'drop'; readonly chain: string; readonly slot: number }
  /** Files that a gate judges, or where the project stands. */
  | {
      readonly id: string;
      readonly kind: 'read';
      readonly chain: string;
      readonly node: string | null;
      readonly files: readonly string[];
      readonly survey: string | null;
      /** The phase at hand, in whose folder the files are looked for. */
      readonly phase: string | null;
      /** A person has seen what a gate would do; now it does. */
      readonly isConfirmed: boolean;
    }
  /** Where the run's work goes when all of it is done: its branch pushed, asked to be taken, or only left there. */
  | {
      readonly id: string;
      readonly kind: 'publish';
      readonly how: Delivery;
      readonly title: string;
      readonly text: string;
    }
  /** The run is over: back to the branch that it began on, or its own checkout taken away. */
  | { readonly id: string; readonly kind: 'leave' }
  /** Nothing but the ruling; then the step is tried again. */
  | { readonly id: string; readonly kind: 'settle_settings'; readonly chain: string; readonly node: string }
  /** Gives a person the changes back that were put aside at the start. */
  | { readonly id: string; readonly kind: 'restore'; readonly stash: string };

/** A file that a gate judges, parsed; or why there is nothing to judge. */
export type EvidenceFile =
  /** `path`: from the root of the checkout. */
  | { readonly found: true; readonly value: unknown; readonly path?: string }
  | { readonly found: false; readonly why: string };

export type WorkspaceResult =
  | {
      readonly ok: true;
      readonly note: string | null;
      readonly diffStat: DiffStat | null;
      readonly commit: string | null;
      readonly stash: string | null;
      /** Of a run that works on a branch of its own. */
      readonly branch?: { readonly name: string; readonly base: string; readonly folder: string | null };
      /** Opened worktrees only: the project's folder in it, and its branch. */
      readonly worktree?: { readonly folder: string; readonly branch: string };
      /** Reads only. */
      readonly evidence?: Readonly<Record<string, EvidenceFile>>;
      readonly survey?: Survey | null;
    }
  | {
      readonly ok: false;
      /** `settings`: an agent changed what decides which programs git starts there. `large`: files are, and nobody said yes. */
      readonly code: 'dirty' | 'blocked' | 'conflict' | 'settings' | 'large';
      readonly message: string;
      readonly files: readonly string[];
    };

/** Where the work of a run goes in the end. */
export type Delivery = 'commit' | 'branch' | 'push' | 'pr';
