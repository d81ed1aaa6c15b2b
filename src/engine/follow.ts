// Takes the way that an outcome leads: on, back, again, or to a person.
import { goBack, goForward, positionOf, skipRest } from './chain.js';
import { closeItem } from './finish.js';
import { type Attempt, type Node, type SettledNode, unreachable } from './model.js';
import type { Resolved } from './outcome.js';
import { type Choice, type Onward, route } from './route.js';
import type { Step } from './step.js';
import { askQuestion, openStuck, ownerOf, placeOf } from './stuck.js';

export function follow(step: Step, node: SettledNode, outcome: Resolved): void {
  const choice = route(step.def(node), node, outcome, {
    loops: (target) => step.chain.edges[`${node.template}>${target}`] ?? 0,
    rejections: step.item?.rejections ?? 0,
    maxRejections: step.item ? step.def(step.item).maxRejections : 0,
    isBackward: (target) => positionOf(step.chain, target) <= positionOf(step.chain, node.template),
  });
  step.notice({ type: 'settled', node: node.id, outcome: outcome.kind, leadsTo: leadsTo(choice) });
  take(step, node, outcome, choice);
}

export function take(step: Step, node: SettledNode, outcome: Pick<Resolved, 'keys' | 'summary'>, choice: Choice): void {
  switch (choice.type) {
    case 'go':
      takeRoute(step, node, choice.route, outcome.keys);
      break;
    case 'again':
      again(step, node, choice.costs);
      break;
    case 'exhausted':
      if (choice.by === 'ask') stuck(step, node, choice.why);
      else fail(step, node, choice.why);
      break;
    case 'question':
      askQuestion(step, step.moveNode(node.id, 'needs_human'), outcome.summary);
      break;
    case 'stay':
      openStuck(step, step.moveNode(node.id, 'cancelled'), `${placeOf(step, node)} was stopped.`);
      break;
    default:
      unreachable(choice);
  }
}

export function takeRoute(step: Step, node: Node, chosen: Onward, keys: Readonly<Record<string, string>>): void {
  if (chosen.type === 'goto') {
    takeGoto(step, node, chosen, keys);
    return;
  }
  step.moveNode(node.id, 'passed', { abandons: 0 });
  if (chosen.type === 'finish') skipRest(step, node);
}

type Goto = Extract<Onward, { type: 'goto' }>;

function takeGoto(step: Step, node: Node, chosen: Goto, keys: Readonly<Record<string, string>>): void {
  const target = step.chain.nodes.find((one) => one.template === chosen.target);
  if (!target) throw new Error(`no node ${chosen.target} in chain "${step.chain.key}"`);
  forget(step, chosen.clear);
  carry(step, node, chosen.carry, keys);
  if (positionOf(step.chain, chosen.target) > positionOf(step.chain, node.template)) {
    step.moveNode(node.id, 'passed', { abandons: 0 });
    goForward(step, node, target);
    return;
  }
  countBack(step, node, chosen);
  goBack(step, node, target);
}

/** A cleared key holds again what the workflow gives it, or nothing. */
function forget(step: Step, keys: readonly string[]): void {
  const isKept = ([key]: [string, string]) => !keys.includes(key);
  step.setChain({ context: Object.fromEntries(Object.entries(step.chain.context).filter(isKept)) });
  if (step.chain.key !== '') return;
  const defaults = Object.entries(step.workflow.context).filter(([key]) => keys.includes(key));
  const kept = Object.entries(step.run.context).filter(isKept);
  step.setRun({ context: Object.fromEntries([...kept, ...defaults]) });
}

function carry(step: Step, node: Node, wanted: Goto['carry'], keys: Readonly<Record<string, string>>): void {
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
function countBack(step: Step, node: Node, { budget, target }: Goto): void {
  if (node.kind === 'human') return;
  if (budget === 'rejections' && step.item) {
    step.setItem(step.item.key, { rejections: step.item.rejections + 1 });
    return;
  }
  const edge = `${node.template}>${target}`;
  step.setChain({ edges: { ...step.chain.edges, [edge]: (step.chain.edges[edge] ?? 0) + 1 } });
}

function again(step: Step, node: SettledNode, costs: 'attempts' | 'abandons'): void {
  if (costs === 'attempts') {
    step.moveNode(node.id, 'ready', { attempt: node.attempt + 1 });
    return;
  }
  step.moveNode(node.id, 'ready', { abandons: node.abandons + 1 });
  // Whoever was told died before it could act on it, so the next one is told again.
  step.setChain({ notes: [...node.last.notes, ...step.chain.notes] });
}

function stuck(step: Step, node: SettledNode, why: string): void {
  const { last } = node;
  const text =
    last.outcome === 'timeout'
      ? `${placeOf(step, node)} timed out (${Math.round(step.def(node).timeoutMs / 60_000)} minutes)`
      : `${ownerOf(step)} stuck at ${node.template} (${why})`;
  openStuck(step, step.moveNode(node.id, 'needs_human'), last.summary ? `${text}\n${last.summary}` : text);
}

function fail(step: Step, node: SettledNode, why: string): void {
  const failed = step.moveNode(node.id, 'failed');
  const { summary } = node.last;
  const text = `${placeOf(step, node)} failed (${why})${summary ? `\n${summary}` : ''}`;
  const { item } = step;
  // Where other stories go on, one card at their end asks about all that failed.
  if (!item || step.workflow.policy.onItemFailed === 'fail_run') openStuck(step, failed, text);
  if (!item) {
    step.moveRun('failed');
    return;
  }
  step.moveItem(item.key, 'failed');
  step.notice({ type: 'item_failed', item: item.key });
  closeItem(step, item.key);
}

function leadsTo(choice: Choice): string | null {
  if (choice.type === 'again') return 'retry';
  if (choice.type !== 'go') return null;
  return choice.route.type === 'goto' ? choice.route.target : choice.route.type;
}
