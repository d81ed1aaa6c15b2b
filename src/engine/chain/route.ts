// Routes outcomes in one order of precedence. Reads budgets, spends none.

import { type Node, type Outcome, unreachable } from '../model/model.js';
import type { Output } from '../report/envelope.js';
import type { Ending, Insert, JobDef, Route } from '../workflow/definition.js';

export interface SpentBudgets {
  /** Steps back already taken to the target. */
  loops(target: string): number;
  readonly rejections: number;
  readonly maxRejections: number;
  isBackward(target: string): boolean;
  readonly isInsertionWorn: boolean;
}

/** Other routes hold the node. */
export type NextStep = Extract<Route, { type: 'next' | 'finish' | 'goto' | 'insert' }>;

export type RouteChoice =
  | { readonly type: 'go'; readonly route: NextStep }
  | { readonly type: 'again'; readonly costs: 'attempts' | 'abandons' | 'rejections' | 'nothing' }
  | { readonly type: 'exhausted'; readonly by: Ending | 'cancel_item'; readonly why: string }
  | { readonly type: 'question' }
  | { readonly type: 'stay' };

export function route(def: JobDef, node: Node, outcome: Outcome, spent: SpentBudgets): RouteChoice {
  switch (outcome.kind) {
    case 'pass':
      return passed(def, node, outcome, spent);
    case 'failing':
      return failing(def, node, outcome, spent);
    case 'timeout':
      return def.onTimeout === 'abandon'
        ? abandoned(def, node, outcome, spent)
        : { type: 'exhausted', by: def.onTimeout, why: 'its time limit' };
    case 'crashed':
      return abandoned(def, node, outcome, spent);
    case 'needs_human':
      return { type: 'question' };
    case 'cancelled':
      return node.last?.again ? { type: 'again', costs: 'nothing' } : { type: 'stay' };
    default:
      return unreachable(outcome.kind);
  }
}

/** `bad`: the reason why the outcome is failing. */
export function readDecision(def: JobDef, keys: Output['keys']): { readonly value: string } | { readonly bad: string } {
  const key = def.decisionKey ?? '';
  const found = Object.entries(keys).find(([name]) => name.toLowerCase() === key.toLowerCase());
  const value = found?.[1].trim().toLowerCase() ?? '';
  if (value === '') return { bad: `Decision key ${key} not found in the report.` };
  if (Object.hasOwn(def.onDecision, value)) return { value };
  const known = Object.keys(def.onDecision).join(', ');
  return { bad: `Unknown decision value "${value.slice(0, 80)}" for ${key}; known are ${known}.` };
}

function passed(def: JobDef, node: Node, outcome: Outcome, spent: SpentBudgets): RouteChoice {
  const byStatus = routeByStatus(def, outcome);
  if (byStatus) return take(byStatus, def, node, spent);
  if (def.decisionKey === null) return take(def.onPass, def, node, spent);
  const decision = readDecision(def, outcome.keys);
  const chosen = 'value' in decision ? def.onDecision[decision.value] : undefined;
  return take(chosen ?? tryAgain, def, node, spent);
}

function failing(def: JobDef, node: Node, outcome: Outcome, spent: SpentBudgets): RouteChoice {
  if (outcome.isFinal) return exhausted(def, String(outcome.reason), spent);
  const byStatus = routeByStatus(def, outcome);
  if (byStatus) return take(byStatus, def, node, spent);
  const byReason = outcome.reason === null ? undefined : def.onFail[outcome.reason];
  return take(byReason ?? def.onFail['default'] ?? tryAgain, def, node, spent);
}

/** A report's word routes only if no evidence contradicts it. */
function routeByStatus(def: JobDef, { word, claim }: Outcome): Route | undefined {
  return word !== null && claim === null && Object.hasOwn(def.onStatus, word) ? def.onStatus[word] : undefined;
}

/** Attempts bound retries; a way back is bounded by its edge or the item's rejections. */
function take(chosen: Route, def: JobDef, node: Node, spent: SpentBudgets): RouteChoice {
  switch (chosen.type) {
    case 'next':
    case 'finish':
      return { type: 'go', route: chosen };
    case 'retry':
      return retry(chosen, def, node, spent);
    case 'goto':
      return goTo(chosen, def, spent);
    case 'insert':
      return insert(chosen, def, spent);
    case 'ask':
    case 'fail':
      return { type: 'exhausted', by: chosen.type, why: times(node.attempt, 'attempt') };
    default:
      return unreachable(chosen);
  }
}

const tryAgain: Route = { type: 'retry', budget: 'attempts' };

function retry(chosen: Extract<Route, { type: 'retry' }>, def: JobDef, node: Node, spent: SpentBudgets): RouteChoice {
  if (node.attempt < def.maxAttempts) return { type: 'again', costs: 'attempts' };
  if (chosen.budget !== 'rejections') return exhausted(def, times(node.attempt, 'attempt'), spent);
  if (spent.rejections < spent.maxRejections) return { type: 'again', costs: 'rejections' };
  return exhausted(def, times(spent.rejections + 1, 'rejection'), spent);
}

/** Bounded like a way back, and by the run's total. */
function insert(chosen: Insert, def: JobDef, spent: SpentBudgets): RouteChoice {
  const taken = spent.loops(`+${chosen.fragment}`);
  if (spent.isInsertionWorn) return { type: 'exhausted', by: 'ask', why: "the run's insertions are used up" };
  if (taken < def.maxLoops) return { type: 'go', route: chosen };
  return exhausted(def, times(taken, `${chosen.fragment} inserted`, `${chosen.fragment} insertions`), spent);
}

function goTo(chosen: Extract<Route, { type: 'goto' }>, def: JobDef, spent: SpentBudgets): RouteChoice {
  if (!spent.isBackward(chosen.target)) return { type: 'go', route: chosen };
  if (chosen.budget === 'rejections') {
    if (spent.rejections < spent.maxRejections) return { type: 'go', route: chosen };
    return exhausted(def, times(spent.rejections + 1, 'rejection'), spent);
  }
  const taken = spent.loops(chosen.target);
  if (taken < def.maxLoops) return { type: 'go', route: chosen };
  const why = `${times(taken, 'way back', 'ways back')} to ${chosen.target}`;
  const said = `Decision retries exhausted after ${times(taken, 'attempt')}`;
  return exhausted(def, def.decisionKey === null ? why : `${why}; ${said}`, spent);
}

function abandoned(def: JobDef, node: Node, outcome: Outcome, spent: SpentBudgets): RouteChoice {
  if (outcome.isFinal) return { type: 'exhausted', by: 'ask', why: String(outcome.reason) };
  // Bosun's death interrupted it: one retry even if no other is allowed.
  const allowed = outcome.isInterrupted ? Math.max(def.abandons, 1) : def.abandons;
  if (node.abandons < allowed) return { type: 'again', costs: 'abandons' };
  return exhausted(def, times(node.abandons + 1, 'crash', 'crashes'), spent);
}

/** An exhausted budget may insert work once. */
function exhausted({ onExhausted }: JobDef, why: string, spent: SpentBudgets): RouteChoice {
  if (typeof onExhausted === 'string') return { type: 'exhausted', by: onExhausted, why };
  const isWorn = spent.isInsertionWorn || spent.loops(`+${onExhausted.fragment}`) > 0;
  if (isWorn) return { type: 'exhausted', by: 'ask', why };
  return { type: 'go', route: onExhausted };
}

function times(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
