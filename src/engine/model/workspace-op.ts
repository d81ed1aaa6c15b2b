// Operations on a checkout that a run waits for.
import type { Change, DiffStat } from '../report/envelope.js';
import type { Survey } from '../survey/survey.js';

/** Keep changed git settings, or restore the earlier ones. */
type SettingsRuling = 'accept' | 'restore';

/** Ends before the chain continues. The ruling comes first. */
export type WorkspaceOp = Work & {
  readonly settings?: SettingsRuling;
  /** A person has seen the large files. */
  readonly allowsLarge?: true;
};

type Work =
  | {
      readonly id: string;
      readonly kind: 'prepare';
      readonly stash: boolean;
      /** The person's checkout stays untouched. */
      readonly worktree?: boolean;
      readonly deliver?: Delivery;
      /** Discarded, or part of this run's work. */
      readonly left?: { readonly by: LeftBehind; readonly how: 'discard' | 'build'; readonly keepAs: string };
    }
  /** `agents`: kinds that did the work; absent: asked by an earlier version. */
  | {
      readonly id: string;
      readonly kind: 'deliver';
      readonly chain: string;
      readonly message: string;
      readonly agents?: readonly string[];
    }
  /** The branch that a step proposed, checked out without touching files. */
  | { readonly id: string; readonly kind: 'branch'; readonly chain: string; readonly name: string }
  | {
      readonly id: string;
      readonly kind: 'rollback';
      readonly chain: string;
      readonly node: string;
      readonly attempt: string;
      /** `go_back`: the chain returns; `go_on`: retry the node. */
      readonly after: 'go_back' | 'go_on';
      /** With the rolled back changes. */
      readonly keepAs: string;
    }
  | { readonly id: string; readonly kind: 'open'; readonly chain: string; readonly slot: number }
  | {
      readonly id: string;
      readonly kind: 'merge';
      readonly chain: string;
      readonly message: string;
      readonly agents?: readonly string[];
    }
  | { readonly id: string; readonly kind: 'drop'; readonly chain: string; readonly slot: number }
  /** For a gate, or to find the project's position. */
  | {
      readonly id: string;
      readonly kind: 'read';
      readonly chain: string;
      readonly node: string | null;
      readonly files: readonly string[];
      readonly survey: string | null;
      /** Its folder holds the files. */
      readonly phase: string | null;
      /** A person confirmed the gate's verdict. */
      readonly isConfirmed: boolean;
    }
  | {
      readonly id: string;
      readonly kind: 'publish';
      readonly how: Delivery;
      readonly title: string;
      readonly text: string;
    }
  /** To the starting branch; removes its own checkout. `carries`: uncommitted changes go along. */
  | { readonly id: string; readonly kind: 'leave'; readonly carries?: true }
  /** After an abort: what agents left uncommitted in the project's checkout. */
  | { readonly id: string; readonly kind: 'find_left' }
  /** As a diff file, or on a branch. */
  | {
      readonly id: string;
      readonly kind: 'clear_left';
      readonly how: 'discard' | 'commit';
      readonly from: string;
      readonly to: string;
      readonly keepAs: string;
      readonly message: string;
    }
  /** Then the step is retried. */
  | { readonly id: string; readonly kind: 'settle_settings'; readonly chain: string; readonly node: string }
  | { readonly id: string; readonly kind: 'restore'; readonly stash: string };

/** A parsed file that a gate judges, or why there is none. */
export type EvidenceFile =
  /** `path`: from the checkout's root. */
  | { readonly found: true; readonly value: unknown; readonly path?: string }
  | { readonly found: false; readonly why: string };

export type WorkspaceResult =
  | {
      readonly ok: true;
      readonly note: string | null;
      readonly diffStat: DiffStat | null;
      readonly commit: string | null;
      /** `deliver`, `merge`, `publish`: all changes, and their branch. */
      readonly delivered?: { readonly from: string; readonly to: string; readonly branch: string | null };
      readonly stash: string | null;
      /** `prepare`, `branch`: what was checked out. */
      readonly base?: string;
      /** Only `deliver`: the branch with the work. */
      readonly onBranch?: string;
      readonly branch?: { readonly name: string; readonly base: string; readonly folder: string | null };
      /** Only `find_left`; null: nothing. */
      readonly left?: Change | null;
      /** `open`: the project there, and its branch. */
      readonly worktree?: { readonly folder: string; readonly branch: string };
      /** Only after `read`. */
      readonly evidence?: Readonly<Record<string, EvidenceFile>>;
      readonly survey?: Survey | null;
    }
  | {
      readonly ok: false;
      /** `settings`: an agent changed which programs git runs. `large`: needs consent. */
      readonly code: 'dirty' | 'blocked' | 'conflict' | 'settings' | 'large';
      readonly message: string;
      readonly files: readonly string[];
      /** Only `dirty`: some files are an aborted run's. */
      readonly left?: LeftBehind;
    };

/** `files`: as its agents left them. */
export interface LeftBehind {
  readonly run: string;
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
}

export type Delivery = 'commit' | 'branch' | 'push' | 'pr';
