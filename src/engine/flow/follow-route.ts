// Takes the way that an outcome leads: on, back, again, or to a person.

import { goForward, isBehind, skipRest, targetOf } from '../chain/chain.js';
import { insertFragment } from '../chain/insert.js';
import { type NextStep, type RouteChoice, readDecision, route } from '../chain/route.js';
import { checkoutOf } from '../model/checkout-use.js';
import type { DecisionDraft } from '../model/draft.js';
import { type Attempt, type Item, type Node, type Resolved, type SettledNode, unreachable } from '../model/model.js';
import { noteForAll } from '../model/scratch-notes.js';
import { coded } from '../text/result-codes.js';
import type { Insert } from '../workflow/definition.js';
import { closeItem, startOp } from './finish.js';
import { failsRun } from './loops/loop.js';
import { type Return, returnTo } from './loops/reopen.js';
import { askQuestion, openStuck, ownerOf, placeOf } from './stuck-node.js';

export function follow(step: DecisionDraft, node: SettledNode, outcome: Resolved): void {
  const choice = route(step.def(node), node, outcome, {
    loops: (target) => step.chain.edges[`${node.template}>${target}`] ?? 0,
    rejections: step.item?.rejections ?? 0,
    maxRejections: step.item ? step.def(step.item).maxRejections : 0,
    isBackward: (template) => {
      const target = targetOf(step.chain, node, template);
      return target !== null && isBehind(step.chain, target, node);
    },
    isInsertionWorn: step.run.counters.insertions >= step.run.insertionLimit,
  });
  const decision = readDecision(step.def(node), outcome.keys);
  const decided = outcome.kind === 'pass' && 'value' in decision ? { decision: decision.value } : {};
  step.notice({ type: 'settled', node: node.id, outcome: outcome.kind, leadsTo: leadsTo(choice), ...decided });
  take(step, node, outcome, choice);
}

export function take(
  step: DecisionDraft,
  node: SettledNode,
  outcome: Pick<Resolved, 'keys' | 'summary'>,
  choice: RouteChoice,
): void {
  switch (choice.type) {
    case 'go':
      takeRoute(step, node, choice.route, outcome.keys);
      break;
    case 'again':
      again(step, node, choice.costs);
      break;
    case 'exhausted':
      exhaust(step, node, choice);
      break;
    case 'question':
      askQuestion(step, step.moveNode(node.id, 'needs_human'), node.last);
      break;
    case 'stay':
      openStuck(step, step.moveNode(node.id, 'cancelled'), `${placeOf(step, node)} was stopped.`);
      break;
    default:
      unreachable(choice);
  }
}

function exhaust(
  step: DecisionDraft,
  node: SettledNode,
  { by, why }: Extract<RouteChoice, { type: 'exhausted' }>,
): void {
  if (by === 'ask') stuck(step, node, why);
  else if (by === 'cancel_item') cancelStep(step, node, why);
  else fail(step, step.moveNode(node.id, 'failed'), { why, endsRun: by === 'fail' });
}

export function takeRoute(
  step: DecisionDraft,
  node: Node,
  chosen: NextStep,
  keys: Readonly<Record<string, string>>,
): void {
  if (chosen.type === 'goto') {
    takeGoto(step, node, chosen, keys);
    return;
  }
  if (chosen.type === 'insert') {
    takeInsert(step, node, chosen, keys);
    return;
  }
  step.moveNode(node.id, 'passed', { abandons: 0 });
  if (chosen.type === 'finish') skipRest(step, node);
}

type Goto = Extract<NextStep, { type: 'goto' }>;

function takeGoto(step: DecisionDraft, node: Node, chosen: Goto, keys: Readonly<Record<string, string>>): void {
  const target = targetOf(step.chain, node, chosen.target);
  if (!target) {
    // An edit may have put other steps in its place.
    const still = node.state === 'needs_human' ? node : step.moveNode(node.id, 'needs_human');
    openStuck(step, still, `${placeOf(step, node)} leads to ${chosen.target}, which is not there any more`);
    return;
  }
  forget(step, chosen.clear);
  carry(step, node, chosen.carry, keys);
  const decided = readDecision(step.def(node), keys);
  const why = { to: target.label, ...('value' in decided ? { decision: decided.value } : {}) };
  if (!isBehind(step.chain, target, node)) {
    step.record('routed', node, { ...why, direction: 'forward' });
    step.moveNode(node.id, 'passed', { abandons: 0 });
    goForward(step, node, target);
    return;
  }
  countBack(step, node, chosen);
  const count = step.chain.edges[`${node.template}>${chosen.target}`] ?? step.item?.rejections ?? 0;
  step.record('routed', node, { ...why, direction: 'back', reason: node.last?.reason ?? null, count });
  returnTo(step, { from: node, target, ...saidBy(step, node, keys) });
}

/** What goes with a way back: a person's notes, or what the step found. */
function saidBy(
  step: DecisionDraft,
  node: Node,
  keys: Readonly<Record<string, string>>,
): Pick<Return, 'words' | 'why'> {
  if (node.kind === 'human') return { words: step.chain.notes.map(({ text }) => text), why: null };
  const values = Object.entries(keys).flatMap(([key, value]) => (key === 'STATUS' ? [] : [`${key}: ${value}`]));
  const words = [node.last?.summary ?? '', failuresOf(node.last), ...values].filter((text) => text.trim() !== '');
  return { words, why: { step: node.template, text: words.join('\n').slice(0, maxSaidChars) } };
}

const maxSaidChars = 4_000;

/** What did not pass is shown as replaced by what was put after it. */
function takeInsert(step: DecisionDraft, node: Node, chosen: Insert, keys: Readonly<Record<string, string>>): void {
  carry(step, node, chosen.carry, keys);
  const why = insertFragment(step, node, chosen);
  if (why !== null) {
    fail(step, step.moveNode(node.id, 'failed'), { why, endsRun: true });
    return;
  }
  countOn(step, `${node.template}>+${chosen.fragment}`);
  if (chosen.say !== null) step.notice({ type: 'told', text: chosen.say });
  if (node.last?.outcome === 'pass' || node.last === null) step.moveNode(node.id, 'passed', { abandons: 0 });
  else step.moveNode(node.id, 'skipped', { skipReason: { type: 'replaced', fragment: chosen.fragment } });
}

/** A cleared key holds again what the workflow gives it, or nothing. */
function forget(step: DecisionDraft, keys: readonly string[]): void {
  const isKept = ([key]: [string, string]) => !keys.includes(key);
  step.setChain({ context: Object.fromEntries(Object.entries(step.chain.context).filter(isKept)) });
  if (step.chain.key !== '') return;
  const defaults = Object.entries(step.workflow.context).filter(([key]) => keys.includes(key));
  const kept = Object.entries(step.run.context).filter(isKept);
  step.setRun({ context: Object.fromEntries([...kept, ...defaults]) });
}

function carry(step: DecisionDraft, node: Node, wanted: Goto['carry'], keys: Readonly<Record<string, string>>): void {
  const facts: Readonly<Record<string, string>> = { FAILURES: failuresOf(node.last), ...keys };
  const carried = Object.entries(wanted).map(([key, output]) => [key, facts[output] || (node.last?.summary ?? '')]);
  step.setChain({ context: { ...step.chain.context, ...Object.fromEntries(carried) } });
}

/** What was red, for whoever is to mend it, where no report tells. */
function failuresOf(last: Attempt | null): string {
  const tests = last?.tests?.failing ?? [];
  const red = last?.checks.filter((check) => !check.ok) ?? [];
  return [...tests, ...red.map((check) => `${check.command}:\n${check.tail.slice(-1500)}`)].join('\n');
}

/** A person may send back as often as they like; everybody else has a budget. */
function countBack(step: DecisionDraft, node: Node, { budget, target }: Goto): void {
  if (node.kind === 'human') return;
  if (budget === 'rejections' && step.item) {
    step.setItem(step.item.key, { rejections: step.item.rejections + 1 });
    return;
  }
  countOn(step, `${node.template}>${target}`);
}

function countOn(step: DecisionDraft, edge: string): void {
  step.setChain({ edges: { ...step.chain.edges, [edge]: (step.chain.edges[edge] ?? 0) + 1 } });
}

function again(step: DecisionDraft, node: SettledNode, costs: Extract<RouteChoice, { type: 'again' }>['costs']): void {
  takeBack(step, node);
  if (costs === 'attempts' || costs === 'rejections') {
    if (costs === 'rejections' && step.item) step.setItem(step.item.key, { rejections: step.item.rejections + 1 });
    step.moveNode(node.id, 'ready', { attempt: node.attempt + 1 });
    return;
  }
  step.moveNode(node.id, 'ready', { abandons: node.abandons + (costs === 'abandons' ? 1 : 0) });
  // Whoever was told died before it could act on it, so the next one is told again.
  step.setChain({ notes: [...node.last.notes, ...step.chain.notes] });
}

function stuck(step: DecisionDraft, node: SettledNode, why: string): void {
  const { last } = node;
  const text =
    last.outcome === 'timeout'
      ? `${placeOf(step, node)} timed out (${Math.round(step.def(node).timeoutMs / 60_000)} minutes)`
      : `${ownerOf(step)} stuck at ${node.template} (${why}${faultOf(last)})`;
  openStuck(step, step.moveNode(node.id, 'needs_human'), last.summary ? `${text}\n${last.summary}` : text);
}

/** Where nothing is wrong with the work, the name of what is. */
function faultOf({ retryAt, reason }: Attempt): string {
  return retryAt === null || reason === null ? '' : `: ${reason.replaceAll('_', ' ')}`;
}

/** Its files go back to what they were before it; what it did is kept as a diff file. */
export function undoAttempt(step: DecisionDraft, node: SettledNode, isRestart = false): void {
  const { id, last, label } = node;
  const chain = step.chain.key;
  if (step.def(node).kind !== 'task' || last.startedAt === null) return;
  const name = `${chain === '' ? '_' : chain}-${label}`;
  const keepAs = isRestart ? `restarts/${name}-${node.restarts + 1}.diff` : `failures/${name}.diff`;
  startOp(step, (op) => ({ id: op, kind: 'rollback', chain, node: id, attempt: last.id, after: 'go_on', keepAs }));
}

interface Failure {
  readonly why: string;
  /** Whether the item, or the run, fails with it, or only waits. */
  readonly endsRun: boolean;
}

export function fail(step: DecisionDraft, failed: Node, { why, endsRun }: Failure): void {
  const summary = failed.last?.summary ?? null;
  const text = `${placeOf(step, failed)} failed (${why})${summary ? `\n${summary}` : ''}`;
  const code = failed.last?.outcome === 'timeout' && !endsRun ? coded('E005', text) : text;
  const { item } = step;
  // Where other stories go on, one card at their end asks about all that failed.
  if (!item || !endsRun || failsRun(step)) openStuck(step, failed, code);
  if (!endsRun) return;
  if (item) {
    takeBack(step, failed);
    failItem(step, item, failed, why);
  } else {
    step.moveRun('failed');
  }
}

/** A time limit that passed is no failure of the step's: it is cancelled, and its story failed. */
function cancelStep(step: DecisionDraft, node: SettledNode, why: string): void {
  const cancelled = step.moveNode(node.id, 'cancelled');
  if (!step.item || failsRun(step)) openStuck(step, cancelled, `${placeOf(step, node)} was cancelled (${why})`);
  if (step.item) {
    takeBack(step, cancelled);
    failItem(step, step.item, cancelled, why);
  } else {
    step.moveRun('failed');
  }
}

/** What an attempt left half done, where its workflow or its worktree says so. */
function takeBack(step: DecisionDraft, node: Node): void {
  const { last } = node;
  if (last && (step.def(node).rollback || checkoutOf(step, step.chain.key) !== ''))
    undoAttempt(step, { ...node, last });
}

export function failItem(step: DecisionDraft, item: Item, node: Node, why: string): void {
  const said = node.last?.summary?.trim().replace(/\n.*/s, '').slice(0, 200);
  const failure = `${node.template} (${why})${said ? `: ${said}` : ''}`;
  step.setItem(item.key, { values: { ...item.values, failure } });
  noteForAll(step, `${item.key} failed at ${failure}`);
  step.moveItem(item.key, 'failed');
  step.notice({ type: 'item_failed', item: item.key });
  closeItem(step, item);
}

function leadsTo(choice: RouteChoice): string | null {
  if (choice.type === 'again') return 'retry';
  if (choice.type !== 'go') return null;
  const { route: chosen } = choice;
  return chosen.type === 'goto' ? chosen.target : chosen.type === 'insert' ? 'next' : chosen.type;
}
