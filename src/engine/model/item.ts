import type { DiffStat, TestCounts } from '../report/envelope.js';
import type { Complexity } from '../workflow/definition.js';
import type { NewItem } from './event.js';
import type { WorkRange } from './frozen-work.js';

export type ItemStatus = 'ready' | 'blocked' | 'running' | 'merging' | 'done' | 'failed' | 'cancelled';

export interface Item extends Omit<NewItem, 'isDone'> {
  readonly order: number;
  readonly status: ItemStatus;
  readonly loop: string;
  readonly template: string;
  /** With its loop. */
  readonly parent: string;
  readonly complexity: Complexity | null;
  /** In parallel. */
  readonly parallelTags: number;
  readonly priority: number | null;
  /** By a person: no plan replaces it. */
  readonly isGiven?: boolean;
  /** Until it begins. */
  readonly isReopened?: boolean;
  /** Such as phase or milestone. */
  readonly values: Readonly<Record<string, string>>;
  /** Among parallel items; null: none. */
  readonly slot: number | null;
  readonly rejections: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** For gates. */
  readonly wrote?: readonly string[];
  /** No commit, no changed file. */
  readonly unchanged?: boolean;
  readonly commit?: string;
  /** Once done. */
  readonly work?: WorkRange;
  /** Once done, for people. */
  readonly facts?: ItemFacts;
}

export interface ItemFacts {
  readonly note: string | null;
  readonly diff: DiffStat | null;
  /** Null: none. */
  readonly tests: TestCounts | 'ok' | 'failing' | null;
  readonly workedMs: number;
  readonly costUsd: number;
  readonly unpriced: number;
}
