// State that another orchestrator left in a project, as plain data: what a person is shown, and where a run may resume.
import type { NewItem } from './event.js';

/** A file as it was when a person was asked about it. */
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
  readonly args?: string;
  /** Of a decision: how often it inserted work already. */
  readonly retry?: number;
}

/** How far one chain has come. */
export interface FoundChain {
  /** In their order; empty where only the step to begin with is known. */
  readonly steps: readonly FoundStep[];
  readonly begin: string | null;
  /** The number of the next attempt of the first open step. */
  readonly attempt: number;
  /** What earlier steps and attempts left for those after them. */
  readonly notes: string;
}

export interface FoundStory {
  readonly item: NewItem;
  readonly status: 'done' | 'begun' | 'open';
  /** null: it has not begun, or is done. */
  readonly chain: FoundChain | null;
}

export interface Resume {
  readonly stories: readonly FoundStory[];
  /** A chain without stories of its own in the file: the run's own steps, and those of the part that it was in. */
  readonly session: FoundChain | null;
  readonly context: Readonly<Record<string, string>>;
}

export interface Takeover {
  /** What was found, in words for a card. */
  readonly words: readonly string[];
  readonly files: readonly SettledFile[];
  /** null: nothing in it can be resumed. */
  readonly resume: Resume | null;
  /** What follows when a person starts afresh; `end`: the run was only made to ask. */
  readonly afresh: 'propose' | 'start' | 'wait' | 'end';
}

/** What of it is yet to be used. */
export interface ResumeLeft {
  readonly chains: Readonly<Record<string, FoundChain>>;
  /** For the story that is opened first, whatever its key. */
  readonly first: FoundChain | null;
  /** The run's own steps are placed; no survey says where it begins. */
  readonly isPlaced: boolean;
}
