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
  readonly parent: string;
  readonly complexity: Complexity | null;
  readonly parallelTags: number;
  readonly priority: number | null;
  /** A person gave it: no plan replaces it. */
  readonly isGiven?: boolean;
  readonly isReopened?: boolean;
  /** Phase and milestone, say. */
  readonly values: Readonly<Record<string, string>>;
  /** Null: not parallel. */
  readonly slot: number | null;
  readonly rejections: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Written files that gates judge. */
  readonly wrote?: readonly string[];
  /** Without commit or changed file. */
  readonly unchanged?: boolean;
  readonly commit?: string;
  readonly work?: WorkRange;
  /** People see them once it is done. */
  readonly facts?: ItemFacts;
}

export interface ItemFacts {
  readonly note: string | null;
  readonly diff: DiffStat | null;
  readonly tests: TestCounts | 'ok' | 'failing' | null;
  readonly workedMs: number;
  readonly costUsd: number;
  readonly unpriced: number;
}
