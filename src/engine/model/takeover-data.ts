// Another orchestrator's state in a project, as plain data: what a person is shown, and where a run may resume.
import type { NewItem } from './event.js';
import type { LatestEvidence } from './model.js';

/** A file's content hash at the time a person was asked about it. */
export interface SettledFile {
  /** Relative to the project's root. */
  readonly path: string;
  readonly hash: string;
}

export interface FoundStep {
  readonly template: string;
  readonly state: 'done' | 'skipped' | 'open';
  readonly skipReason?: string;
  readonly description?: string;
  /** The notes of a finished step. */
  readonly notes?: string;
  readonly args?: string;
  /** Decisions: how often it already inserted work. */
  readonly retry?: number;
}

/** The progress of one chain. */
export interface FoundChain {
  /** In order; empty if only the step to begin with is known. */
  readonly steps: readonly FoundStep[];
  readonly begin: string | null;
  /** The number of the first open step's next attempt. */
  readonly attempt: number;
  /** Notes from earlier steps and attempts for later ones. */
  readonly notes: string;
  /** The story's last tests, check and files; absent if the file has none. */
  readonly evidence?: LatestEvidence;
}

export interface FoundStory {
  readonly item: NewItem;
  readonly status: 'done' | 'begun' | 'open';
  /** null: not begun, or done. */
  readonly chain: FoundChain | null;
}

export interface Resume {
  readonly stories: readonly FoundStory[];
  /** A chain without stories in the file: the run's own steps and those of the part it was in. */
  readonly session: FoundChain | null;
  readonly context: Readonly<Record<string, string>>;
  /** Keys of the story list beside its stories. */
  readonly prd?: Readonly<Record<string, unknown>>;
}

export interface Takeover {
  /** The findings, worded for a card. */
  readonly words: readonly string[];
  readonly files: readonly SettledFile[];
  /** null: nothing can be resumed. */
  readonly resume: Resume | null;
  /** What happens if a person starts afresh. `end`: the run exists only to ask. */
  readonly afresh: 'propose' | 'start' | 'wait' | 'end';
}

/** The part of a `Resume` that is not used yet. */
export interface ResumeLeft {
  readonly chains: Readonly<Record<string, FoundChain>>;
  /** For the first story that opens, whatever its key. */
  readonly first: FoundChain | null;
  /** The run's own steps are placed, so no survey decides where it begins. */
  readonly isPlaced: boolean;
}
