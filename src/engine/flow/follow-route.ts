import { goForward, isBehind, skipRest, targetOf } from '../chain/chain.js';
import { insertFragment } from '../chain/insert.js';
import { type NextStep, type RouteChoice, readDecision, route } from '../chain/route.js';
import { isTakenBack } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { noteForAll } from '../model/draft/scratch-notes.js';
import { type Attempt, type Item, type Node, type Resolved, type SettledNode, unreachable } from '../model/model.js';
import { coded } from '../text/result-codes.js';
import type { Insert } from '../workflow/definition.js';
import { asksPerson, runsAgent, runsJob } from '../workflow/node-kinds.js';
import { closeItem, startOp } from './finish.js';
import { failsRun } from './loops/loop.js';
import { type Return, returnTo } from './loops/reopen.js';
import { askQuestion, openStuck, ownerOf, placeOf } from './stuck-node.js';

export function follow(tx: DecisionDraft, node: SettledNode, outcome: Resolved): void {
  const def = tx.job(node);
  const choice = route(def, node, outcome, {
    loops: (target) => tx.chain.edges[`${node.template}>${target}`] ?? 0,
    rejections: tx.item?.rejections ?? 0,
    maxRejections: tx.item ? tx.loop(tx.item).maxRejections : 0,
    isBackward: (template) => {
      const target = targetOf(tx.chain, node, template);
      return target !== null && isBehind(tx.chain, target, node);
    },
    isInsertionWorn: tx.run.counters.insertions >= tx.run.insertionLimit,
  });
  const decision = readDecision(def, outcome.keys);
  const decided = outcome.kind === 'pass' && 'value' in decision ? { decision: decision.value } : {};
  tx.notice({ type: 'settled', node: node.id, outcome: outcome.kind, leadsTo: leadsTo(choice), ...decided });
  take(tx, node, outcome, choice);
}

/** The step is not at fault: its routes do not apply. */
export function retryWithAnother(
  tx: DecisionDraft,
  node: SettledNode,
  { kind, keys, summary }: Resolved,
  costs: 'nothing' | 'abandons',
): void {
  tx.notice({ type: 'settled', node: node.id, outcome: kind, leadsTo: 'retry' });
  take(tx, node, { keys, summary }, { type: 'again', costs });
}

export function take(
  tx: DecisionDraft,
  node: SettledNode,
  outcome: Pick<Resolved, 'keys' | 'summary'>,
  choice: RouteChoice,
): void {
  switch (choice.type) {
    case 'go':
      takeRoute(tx, node, choice.route, outcome.keys);
      break;
    case 'again':
      again(tx, node, choice.costs);
      break;
    case 'exhausted':
      exhaust(tx, node, choice);
      break;
    case 'question':
      askQuestion(tx, tx.moveNode(node.id, 'needs_human'), node.last);
      break;
    case 'stay':
      openStuck(tx, tx.moveNode(node.id, 'cancelled'), `${placeOf(tx, node)} was stopped.`);
      break;
    default:
      unreachable(choice);
  }
}

function exhaust(tx: DecisionDraft, node: SettledNode, { by, why }: Extract<RouteChoice, { type: 'exhausted' }>): void {
  if (by === 'ask') stuck(tx, node, why);
  else if (by === 'cancel_item') cancelStep(tx, node, why);
  else fail(tx, tx.moveNode(node.id, 'failed'), { why, endsRun: by === 'fail' });
}

export function takeRoute(
  tx: DecisionDraft,
  node: Node,
  chosen: NextStep,
  keys: Readonly<Record<string, string>>,
): void {
  if (chosen.type === 'goto') {
    takeGoto(tx, node, chosen, keys);
    return;
  }
  if (chosen.type === 'insert') {
    takeInsert(tx, node, chosen, keys);
    return;
  }
  tx.moveNode(node.id, 'passed', { abandons: 0 });
  if (chosen.type === 'finish') skipRest(tx, node);
}

type Goto = Extract<NextStep, { type: 'goto' }>;

function takeGoto(tx: DecisionDraft, node: Node, chosen: Goto, keys: Readonly<Record<string, string>>): void {
  const target = targetOf(tx.chain, node, chosen.target);
  if (!target) {
    const still = node.state === 'needs_human' ? node : tx.moveNode(node.id, 'needs_human');
    openStuck(tx, still, `${placeOf(tx, node)} leads to ${chosen.target}, which is not there any more`);
    return;
  }
  forget(tx, chosen.clear);
  carry(tx, node, chosen.carry, keys);
  const def = tx.def(node);
  const decided = runsJob(def) ? readDecision(def, keys) : {};
  const why = { to: target.label, ...('value' in decided ? { decision: decided.value } : {}) };
  if (!isBehind(tx.chain, target, node)) {
    tx.record('routed', node, { ...why, direction: 'forward' });
    tx.moveNode(node.id, 'passed', { abandons: 0 });
    goForward(tx, node, target);
    return;
  }
  countBack(tx, node, chosen);
  const count = tx.chain.edges[`${node.template}>${chosen.target}`] ?? tx.item?.rejections ?? 0;
  tx.record('routed', node, { ...why, direction: 'back', reason: node.last?.reason ?? null, count });
  returnTo(tx, { from: node, target, ...saidBy(tx, node, keys) });
}

function saidBy(tx: DecisionDraft, node: Node, keys: Readonly<Record<string, string>>): Pick<Return, 'words' | 'why'> {
  if (asksPerson(node)) return { words: tx.chain.notes.map(({ text }) => text), why: null };
  const values = Object.entries(keys).flatMap(([key, value]) => (key === 'STATUS' ? [] : [`${key}: ${value}`]));
  const words = [node.last?.summary ?? '', failuresOf(node.last), ...values].filter((text) => text.trim() !== '');
  return { words, why: { step: node.template, text: words.join('\n').slice(0, maxSaidChars) } };
}

const maxSaidChars = 4_000;

/** A step that did not pass counts as replaced. */
function takeInsert(tx: DecisionDraft, node: Node, chosen: Insert, keys: Readonly<Record<string, string>>): void {
  carry(tx, node, chosen.carry, keys);
  const why = insertFragment(tx, node, chosen);
  if (why !== null) {
    fail(tx, tx.moveNode(node.id, 'failed'), { why, endsRun: true });
    return;
  }
  countOn(tx, `${node.template}>+${chosen.fragment}`);
  if (chosen.say !== null) tx.notice({ type: 'told', text: chosen.say });
  if (node.last?.outcome === 'pass' || node.last === null) tx.moveNode(node.id, 'passed', { abandons: 0 });
  else tx.moveNode(node.id, 'skipped', { skipReason: { type: 'replaced', fragment: chosen.fragment } });
}

function forget(tx: DecisionDraft, keys: readonly string[]): void {
  const isKept = ([key]: [string, string]) => !keys.includes(key);
  tx.setChain({ context: Object.fromEntries(Object.entries(tx.chain.context).filter(isKept)) });
  if (tx.chain.key !== '') return;
  const defaults = Object.entries(tx.workflow.context).filter(([key]) => keys.includes(key));
  const kept = Object.entries(tx.run.context).filter(isKept);
  tx.setRun({ context: Object.fromEntries([...kept, ...defaults]) });
}

function carry(tx: DecisionDraft, node: Node, mapping: Goto['carry'], keys: Readonly<Record<string, string>>): void {
  const facts: Readonly<Record<string, string>> = { FAILURES: failuresOf(node.last), ...keys };
  const carried = Object.entries(mapping).map(([key, output]) => [key, facts[output] || (node.last?.summary ?? '')]);
  tx.setChain({ context: { ...tx.chain.context, ...Object.fromEntries(carried) } });
}

/** For a report without details. */
function failuresOf(last: Attempt | null): string {
  const tests = last?.tests?.failing ?? [];
  const red = last?.checks.filter((check) => !check.ok) ?? [];
  return [...tests, ...red.map((check) => `${check.command}:\n${check.tail.slice(-1500)}`)].join('\n');
}

/** A person may send back without limit; nodes have budgets. */
function countBack(tx: DecisionDraft, node: Node, { budget, target }: Goto): void {
  if (asksPerson(node)) return;
  if (budget === 'rejections' && tx.item) {
    tx.setItem(tx.item.key, { rejections: tx.item.rejections + 1 });
    return;
  }
  countOn(tx, `${node.template}>${target}`);
}

export function countOn(tx: DecisionDraft, edge: string): void {
  tx.setChain({ edges: { ...tx.chain.edges, [edge]: (tx.chain.edges[edge] ?? 0) + 1 } });
}

function again(tx: DecisionDraft, node: SettledNode, costs: Extract<RouteChoice, { type: 'again' }>['costs']): void {
  takeBack(tx, node);
  if (costs === 'attempts' || costs === 'rejections') {
    if (costs === 'rejections' && tx.item) tx.setItem(tx.item.key, { rejections: tx.item.rejections + 1 });
    tx.moveNode(node.id, 'ready', { attempt: node.attempt + 1 });
    return;
  }
  tx.moveNode(node.id, 'ready', { abandons: node.abandons + (costs === 'abandons' ? 1 : 0) });
  // The attempt died before it acted on its notes, so the next one gets them.
  tx.setChain({ notes: [...node.last.notes, ...tx.chain.notes] });
}

function stuck(tx: DecisionDraft, node: SettledNode, why: string): void {
  const { last } = node;
  const text =
    last.outcome === 'timeout'
      ? `${placeOf(tx, node)} timed out (${Math.round(tx.def(node).timeoutMs / 60_000)} minutes)`
      : `${ownerOf(tx)} stuck at ${node.template} (${why}${faultOf(last)})`;
  openStuck(tx, tx.moveNode(node.id, 'needs_human'), last.summary ? `${text}\n${last.summary}` : text);
}

/** Only faults outside the work. */
function faultOf({ retryAt, reason }: Attempt): string {
  return retryAt === null || reason === null ? '' : `: ${reason.replaceAll('_', ' ')}`;
}

export function undoAttempt(tx: DecisionDraft, node: SettledNode, isRestart = false): void {
  const { id, last, label } = node;
  const chain = tx.chain.key;
  if (!runsAgent(tx.def(node)) || last.startedAt === null) return;
  const name = `${chain === '' ? '_' : chain}-${label}`;
  const keepAs = isRestart ? `restarts/${name}-${node.restarts + 1}.diff` : `failures/${name}.diff`;
  startOp(tx, (op) => ({ id: op, kind: 'rollback', chain, node: id, attempt: last.id, after: 'go_on', keepAs }));
}

interface Failure {
  readonly why: string;
  /** Else only the item fails. */
  readonly endsRun: boolean;
}

export function fail(tx: DecisionDraft, failed: Node, { why, endsRun }: Failure): void {
  const summary = failed.last?.summary ?? null;
  const text = `${placeOf(tx, failed)} failed (${why})${summary ? `\n${summary}` : ''}`;
  const code = failed.last?.outcome === 'timeout' && !endsRun ? coded('E005', text) : text;
  const { item } = tx;
  // While others continue, one card at the loop's end asks about all failures.
  if (!item || !endsRun || failsRun(tx)) openStuck(tx, failed, code);
  if (!endsRun) return;
  if (item) {
    takeBack(tx, failed);
    failItem(tx, item, failed, why);
  } else {
    tx.moveRun('failed');
  }
}

function cancelStep(tx: DecisionDraft, node: SettledNode, why: string): void {
  const cancelled = tx.moveNode(node.id, 'cancelled');
  if (!tx.item || failsRun(tx)) openStuck(tx, cancelled, `${placeOf(tx, node)} was cancelled (${why})`);
  if (tx.item) {
    takeBack(tx, cancelled);
    failItem(tx, tx.item, cancelled, why);
  } else {
    tx.moveRun('failed');
  }
}

/** Only if the step's definition or worktree asks for it. */
function takeBack(tx: DecisionDraft, node: Node): void {
  const { last } = node;
  if (last && isTakenBack(tx, node)) undoAttempt(tx, { ...node, last });
}

function failItem(tx: DecisionDraft, item: Item, node: Node, why: string): void {
  const said = node.last?.summary?.trim().replace(/\n.*/s, '').slice(0, 200);
  const failure = `${node.template} (${why})${said ? `: ${said}` : ''}`;
  tx.setItem(item.key, { values: { ...item.values, failure } });
  noteForAll(tx, `${item.key} failed at ${failure}`);
  tx.moveItem(item.key, 'failed');
  tx.notice({ type: 'item_failed', item: item.key });
  closeItem(tx, item);
}

function leadsTo(choice: RouteChoice): string | null {
  if (choice.type === 'again') return 'retry';
  if (choice.type !== 'go') return null;
  const { route: chosen } = choice;
  return chosen.type === 'goto' ? chosen.target : chosen.type === 'insert' ? 'next' : chosen.type;
}
