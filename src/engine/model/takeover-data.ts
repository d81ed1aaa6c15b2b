// Foreign state, as shown to a person, and where a run may resume.
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
  readonly notes?: string;
  readonly args?: string;
  /** A decision's insertions so far. */
  readonly retry?: number;
}

export interface FoundChain {
  /** Empty: only the first step is known. */
  readonly steps: readonly FoundStep[];
  readonly begin: string | null;
  /** Of the first open step. */
  readonly attempt: number;
  /** Notes for later steps. */
  readonly notes: string;
  /** The story's last evidence; absent: the file has none. */
  readonly evidence?: LatestEvidence;
}

export interface FoundStory {
  readonly item: NewItem;
  readonly status: 'done' | 'begun' | 'open';
  /** Null: not begun, or done. */
  readonly chain: FoundChain | null;
}

export interface Resume {
  readonly stories: readonly FoundStory[];
  /** Without stories: the run's steps and those of the part it was in. */
  readonly session: FoundChain | null;
  readonly context: Readonly<Record<string, string>>;
  /** Other keys of the story list. */
  readonly prd?: Readonly<Record<string, unknown>>;
}

export interface Takeover {
  /** The findings, worded for a card. */
  readonly words: readonly string[];
  readonly files: readonly SettledFile[];
  readonly resume: Resume | null;
  /** After "afresh". `end`: the run exists only to ask. */
  readonly afresh: 'propose' | 'start' | 'wait' | 'end';
}

/** The part not used yet. */
export interface ResumeLeft {
  readonly chains: Readonly<Record<string, FoundChain>>;
  /** For the first story that opens, under any key. */
  readonly first: FoundChain | null;
  /** So no survey decides the start. */
  readonly isPlaced: boolean;
}
