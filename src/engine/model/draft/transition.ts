// All legal moves of runs, items and nodes; a draft throws at others. Attempts and interactions are not checked.
import type { Attempt, InteractionState, ItemStatus, NodeState, RunStatus } from '../model.js';

const nodeMoves: Readonly<Record<NodeState, readonly NodeState[]>> = {
  waiting: ['ready', 'skipped', 'cancelled'],
  // Loops and gates have no job: they run or are judged when reached.
  ready: ['queued', 'running', 'needs_human', 'passed', 'skipped', 'waiting', 'cancelled'],
  queued: ['running', 'ready', 'needs_human', 'failed', 'cancelled', 'passed', 'skipped', 'waiting'],
  running: ['passed', 'ready', 'waiting', 'needs_human', 'failed', 'skipped', 'cancelled'],
  needs_human: ['passed', 'ready', 'waiting', 'skipped', 'failed', 'cancelled'],
  passed: ['waiting'],
  failed: ['ready', 'waiting', 'skipped', 'cancelled'],
  skipped: ['waiting'],
  cancelled: ['ready', 'waiting', 'skipped'],
};

const itemMoves: Readonly<Record<ItemStatus, readonly ItemStatus[]>> = {
  ready: ['running', 'blocked', 'cancelled'],
  blocked: ['ready', 'cancelled'],
  running: ['merging', 'done', 'failed', 'cancelled'],
  merging: ['done', 'running', 'failed', 'cancelled'],
  // By a route back.
  done: ['ready'],
  failed: ['ready', 'running', 'cancelled'],
  cancelled: [],
};

const runMoves: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  draft: ['running', 'cancelled'],
  running: ['paused', 'completed', 'failed', 'cancelled'],
  paused: ['running', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: ['running', 'cancelled'],
  cancelled: [],
};

const attemptMoves: Readonly<Record<Attempt['state'], readonly Attempt['state'][]>> = {
  // A handed-in report had no worker.
  queued: ['running', 'settled'],
  running: ['settled'],
  settled: [],
};

const interactionMoves: Readonly<Record<InteractionState, readonly InteractionState[]>> = {
  open: ['answered', 'expired', 'superseded'],
  answered: [],
  expired: [],
  superseded: [],
};

export const stateMachines = {
  run: runMoves,
  item: itemMoves,
  node: nodeMoves,
  attempt: attemptMoves,
  interaction: interactionMoves,
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export function mayMoveNode(from: NodeState, to: NodeState): boolean {
  return nodeMoves[from].includes(to);
}

export function mayMoveItem(from: ItemStatus, to: ItemStatus): boolean {
  return itemMoves[from].includes(to);
}

export function mayMoveRun(from: RunStatus, to: RunStatus): boolean {
  return runMoves[from].includes(to);
}

export function isRunOver(status: RunStatus): boolean {
  return status === 'completed' || status === 'cancelled';
}
