import type { Workflow } from '../workflow/definition.js';
import type { Chain } from './chain.js';
import type { Interaction } from './interaction-model.js';
import type { Item } from './item.js';
import type { Run } from './run.js';

export type * from './attempt.js';
export type * from './chain.js';
export type * from './frozen-work.js';
export type * from './interaction-model.js';
export type * from './item.js';
export type * from './run.js';
export type * from './workspace-op.js';

export interface State {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly items: readonly Item[];
  readonly chain: Chain;
  /** Open ones, and those that the last decision settled. */
  readonly interactions: readonly Interaction[];
}

/** Types rule this case out. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
