// A run waits for these operations on its checkout.
import type { Change, DiffStat } from '../report/envelope.js';
import type { Survey } from '../survey/survey.js';

type SettingsRuling = 'accept' | 'restore';

/** The chain continues after it. The ruling is applied first. */
export type WorkspaceOp = Work & {
  readonly settings?: SettingsRuling;
  readonly allowsLarge?: true;
};

type Work =
  | {
      readonly id: string;
      readonly kind: 'prepare';
      readonly stash: boolean;
      /** Leaves the person's checkout untouched. */
      readonly worktree?: boolean;
      readonly deliver?: Delivery;
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
  /** Checks out the branch that a step proposed, without touching files. */
  | { readonly id: string; readonly kind: 'branch'; readonly chain: string; readonly name: string }
  | {
      readonly id: string;
      readonly kind: 'rollback';
      readonly chain: string;
      readonly node: string;
      readonly attempt: string;
      /** `go_back`: the chain returns; `go_on`: the node is retried. */
      readonly after: 'go_back' | 'go_on';
      /** Keeps the rolled back changes. */
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
  /** For a gate, or for the project's position. */
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
  /** Returns to the starting branch. `carries`: uncommitted changes go along. */
  | { readonly id: string; readonly kind: 'leave'; readonly carries?: true }
  /** After an abort. */
  | { readonly id: string; readonly kind: 'find_left' }
  /** Keeps them as a diff file, or on a branch. */
  | {
      readonly id: string;
      readonly kind: 'clear_left';
      readonly how: 'discard' | 'commit';
      readonly from: string;
      readonly to: string;
      readonly keepAs: string;
      readonly message: string;
    }
  /** Merges the branch of an ended run into its base. `asked`: the answered card. */
  | { readonly id: string; readonly kind: 'land'; readonly asked: string | null }
  | { readonly id: string; readonly kind: 'settle_settings'; readonly chain: string; readonly node: string }
  | { readonly id: string; readonly kind: 'restore'; readonly stash: string };

export type EvidenceFile =
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
      /** Only `publish`: another run has the folder, so the branch is not merged. */
      readonly isUnlanded?: true;
      readonly stash: string | null;
      /** `prepare`, `branch`: the checked-out one. */
      readonly base?: string;
      /** Only `deliver`: the branch with the work. */
      readonly onBranch?: string;
      readonly branch?: { readonly name: string; readonly base: string; readonly folder: string | null };
      /** Only `find_left`; null: nothing. */
      readonly left?: Change | null;
      readonly worktree?: { readonly folder: string; readonly branch: string };
      readonly evidence?: Readonly<Record<string, EvidenceFile>>;
      readonly survey?: Survey | null;
    }
  | {
      readonly ok: false;
      /** `settings`: an agent changed which programs git runs. `large`: needs consent. `busy`: another run has the folder. */
      readonly code: 'dirty' | 'blocked' | 'conflict' | 'settings' | 'large' | 'busy';
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
