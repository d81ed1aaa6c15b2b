// A story of a loop.

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
  /** The chain that holds its loop. */
  readonly parent: string;
  readonly complexity: Complexity | null;
  /** How many of its parts may run in parallel. */
  readonly parallelTags: number;
  readonly priority: number | null;
  /** Given by a person, so no plan replaces it. */
  readonly isGiven?: boolean;
  /** Reopened by a route back; cleared when it begins. */
  readonly isReopened?: boolean;
  /** Its own template values, such as its phase or milestone. */
  readonly values: Readonly<Record<string, string>>;
  /** Its place among the parallel items; null while it has none. */
  readonly slot: number | null;
  readonly rejections: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Files judged by gates that its steps wrote. */
  readonly wrote?: readonly string[];
  /** Done without a commit or a changed file. */
  readonly unchanged?: boolean;
  readonly commit?: string;
  /** Once done: its own changes. */
  readonly work?: WorkRange;
  /** Once done: what people are told of it. */
  readonly facts?: ItemFacts;
}

export interface ItemFacts {
  readonly note: string | null;
  readonly diff: DiffStat | null;
  /** The newest evidence of its tests; null: none. */
  readonly tests: TestCounts | 'ok' | 'failing' | null;
  readonly workedMs: number;
  readonly costUsd: number;
  readonly unpriced: number;
}
