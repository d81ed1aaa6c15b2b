import type { NewItem } from './event.js';
import type { LatestEvidence } from './model.js';

/** Content hash at the time a person was asked. */
export interface SettledFile {
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
  /** Insertions by the decision so far. */
  readonly retry?: number;
}

export interface FoundChain {
  /** Empty: only the first step is known. */
  readonly steps: readonly FoundStep[];
  readonly begin: string | null;
  /** Counts for the first open step. */
  readonly attempt: number;
  readonly notes: string;
  /** Absent: the file has none. */
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
  /** Without stories: the run's steps and those of its current part. */
  readonly session: FoundChain | null;
  readonly context: Readonly<Record<string, string>>;
  readonly prd?: Readonly<Record<string, unknown>>;
}

export interface Takeover {
  readonly words: readonly string[];
  readonly files: readonly SettledFile[];
  readonly resume: Resume | null;
  /** After "afresh". `end`: the run exists only to ask. */
  readonly afresh: 'propose' | 'start' | 'wait' | 'end';
}

export interface ResumeLeft {
  readonly chains: Readonly<Record<string, FoundChain>>;
  /** The first story to open gets it, under any key. */
  readonly first: FoundChain | null;
  /** No survey decides the start. */
  readonly isPlaced: boolean;
}
