// Operations on a checkout that a run waits for, and their results.
import type { Change, DiffStat } from '../report/envelope.js';
import type { Survey } from '../survey/survey.js';

/** A person's decision on changed git settings: keep them or restore the earlier ones. */
type SettingsRuling = 'accept' | 'restore';

/** An operation that must end before the chain continues. The ruling on git settings is applied first. */
export type WorkspaceOp = Work & {
  readonly settings?: SettingsRuling;
  /** A person has seen the large files that will be committed or pushed. */
  readonly allowsLarge?: true;
};

type Work =
  | {
      readonly id: string;
      readonly kind: 'prepare';
      readonly stash: boolean;
      /** A separate checkout for the run; the person's stays untouched. */
      readonly worktree?: boolean;
      readonly deliver?: Delivery;
      /** Discards an aborted run's leftovers first, or makes them part of this run's work. */
      readonly left?: { readonly by: LeftBehind; readonly how: 'discard' | 'build'; readonly keepAs: string };
    }
  /** `agents`: the kinds of those that did the work; absent: an earlier version asked for the commit. */
  | {
      readonly id: string;
      readonly kind: 'deliver';
      readonly chain: string;
      readonly message: string;
      readonly agents?: readonly string[];
    }
  /** Creates the branch that a step proposed, and checks it out without touching files. */
  | { readonly id: string; readonly kind: 'branch'; readonly chain: string; readonly name: string }
  | {
      readonly id: string;
      readonly kind: 'rollback';
      readonly chain: string;
      readonly node: string;
      readonly attempt: string;
      /** Afterwards: `go_back` returns the chain to the node, `go_on` only retries the node. */
      readonly after: 'go_back' | 'go_on';
      /** The run's file that keeps the rolled back changes. */
      readonly keepAs: string;
    }
  | { readonly id: string; readonly kind: 'open'; readonly chain: string; readonly slot: number }
  /** Squashes the item's branch onto the base and removes its worktree. */
  | {
      readonly id: string;
      readonly kind: 'merge';
      readonly chain: string;
      readonly message: string;
      readonly agents?: readonly string[];
    }
  /** Removes an unneeded worktree; its branch stays if it holds work. */
  | { readonly id: string; readonly kind: 'drop'; readonly chain: string; readonly slot: number }
  /** Reads files for a gate, or surveys where the project stands. */
  | {
      readonly id: string;
      readonly kind: 'read';
      readonly chain: string;
      readonly node: string | null;
      readonly files: readonly string[];
      readonly survey: string | null;
      /** The current phase, whose folder holds the files. */
      readonly phase: string | null;
      /** A person has confirmed what the gate will do. */
      readonly isConfirmed: boolean;
    }
  /** Publishes the finished run: pushes its branch, opens a pull request, or leaves the branch as it is. */
  | {
      readonly id: string;
      readonly kind: 'publish';
      readonly how: Delivery;
      readonly title: string;
      readonly text: string;
    }
  /**
   * The run is over: switches back to its starting branch, or removes its own checkout. `carries`: uncommitted changes
   * go along.
   */
  | { readonly id: string; readonly kind: 'leave'; readonly carries?: true }
  /** The run was aborted: finds what its agents left uncommitted in the project's checkout. */
  | { readonly id: string; readonly kind: 'find_left' }
  /** Takes that away: into a diff file, or onto a branch. */
  | {
      readonly id: string;
      readonly kind: 'clear_left';
      readonly how: 'discard' | 'commit';
      readonly from: string;
      readonly to: string;
      readonly keepAs: string;
      readonly message: string;
    }
  /** Applies only the ruling; then the step is retried. */
  | { readonly id: string; readonly kind: 'settle_settings'; readonly chain: string; readonly node: string }
  /** Restores a person's changes that were stashed at the start. */
  | { readonly id: string; readonly kind: 'restore'; readonly stash: string };

/** A parsed file that a gate judges, or why there is none. */
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
      /** Only `deliver`, `merge` and `publish`: all changes that it delivers, and the branch that has them. */
      readonly delivered?: { readonly from: string; readonly to: string; readonly branch: string | null };
      readonly stash: string | null;
      /** Only `prepare` and `branch`: the branch that was checked out. */
      readonly base?: string;
      /** Only `deliver`: the branch that holds the work. */
      readonly onBranch?: string;
      /** Only runs with their own branch. */
      readonly branch?: { readonly name: string; readonly base: string; readonly folder: string | null };
      /** Only `find_left`; null: nothing. */
      readonly left?: Change | null;
      /** Only `open`: the project's folder in the worktree, and its branch. */
      readonly worktree?: { readonly folder: string; readonly branch: string };
      /** Only `read`. */
      readonly evidence?: Readonly<Record<string, EvidenceFile>>;
      readonly survey?: Survey | null;
    }
  | {
      readonly ok: false;
      /**
       * `settings`: an agent changed settings that decide which programs git runs. `large`: files too large to take
       * without a person's consent.
       */
      readonly code: 'dirty' | 'blocked' | 'conflict' | 'settings' | 'large';
      readonly message: string;
      readonly files: readonly string[];
      /** Only `dirty`: some of the files are what an aborted run left. */
      readonly left?: LeftBehind;
    };

/** `files`: those that are still there as its agents left them. */
export interface LeftBehind {
  readonly run: string;
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
}

export type Delivery = 'commit' | 'branch' | 'push' | 'pr';
