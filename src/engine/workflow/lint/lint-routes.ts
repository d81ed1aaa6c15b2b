import type { JobDef, NodeDef, Route, Workflow } from '../definition.js';
import { definitions } from '../definitions.js';
import { nodesOfItems } from '../fragment-homes.js';
import { asksPerson, hasBody, isRoutedByKey, judgesFiles, runsJob } from '../node-kinds.js';
import { complain, type Path, type ReadState, warn } from '../read/value-readers.js';
import { routesOf } from '../routes.js';
import { didYouMean } from '../vocabulary/nearest.js';
import { routeWords } from '../vocabulary/vocabulary.js';

type Goto = Extract<Route, { type: 'goto' }>;
type Costly = Extract<Route, { type: 'goto' | 'retry' }>;

interface Surroundings {
  readonly chain: readonly NodeDef[];
  readonly ids: readonly string[];
  readonly position: 'chain' | 'body' | 'fragment';
  readonly workflow: Workflow;
  readonly ofItems: ReadonlySet<string>;
}

export function lintRoutes(workflow: Workflow, reading: ReadState): void {
  const context = { workflow, ofItems: nodesOfItems(workflow).nodes };
  lintChain({ ...context, chain: workflow.chain, ids: idsOf(workflow.chain), position: 'chain' }, reading);
  for (const loop of workflow.chain.filter(hasBody)) {
    const ids = idsOf([...loop.body, ...loop.stepTypes]);
    lintChain({ ...context, chain: loop.body, ids, position: 'body' }, reading);
    lintAdded({ ...context, chain: loop.stepTypes, ids, position: 'body' }, reading);
  }
  // Its chain is known only at run time: any node is allowed.
  const ids = idsOf(definitions(workflow));
  const chain = Object.values(workflow.fragments).flatMap((fragment) => fragment.defs);
  lintAdded({ ...context, chain, ids, position: 'fragment' }, reading);
}

function idsOf(nodes: readonly NodeDef[]): readonly string[] {
  return nodes.map((node) => node.id);
}

function lintChain(context: Surroundings, reading: ReadState): void {
  lintAdded(context, reading);
  const { chain } = context;
  const passedBy = unreachable(chain, 'passed by');
  for (const node of unreachable(chain, 'walked')) {
    const at = reading.places.at([node.id]);
    const message = `"${node.id}" is never reached: every`;
    if (passedBy.includes(node)) complain(reading, at, `${message} route before it ends or skips it`);
    // Old designs do this; the node is shown as skipped.
    else warn(reading, at, `${message} value of the decision before it leads elsewhere`);
  }
}

function lintAdded(context: Surroundings, reading: ReadState): void {
  for (const node of context.chain) {
    for (const { path, route } of routesOf(node)) {
      if (route.type === 'goto') lintGoto(node, route, path, context, reading);
      if (route.type === 'goto' || route.type === 'retry') lintBudget(node, route, path, context, reading);
    }
    if (runsJob(node)) lintDecision(node, reading);
    lintRejection(node, reading);
    lintDeadRoutes(node, reading);
  }
}

function lintGoto(node: NodeDef, route: Goto, path: Path, context: Surroundings, reading: ReadState): void {
  const { ids } = context;
  const { target } = route;
  const at = reading.places.at([...path, 'goto']);
  const isBackwardOnly = reading.places.has([...path, 'backward only']);
  if (!ids.includes(target)) complain(reading, at, noTarget(node, target, context));
  else if (target === node.id) complain(reading, at, `"${node.id}" goes to itself; to repeat a node, use "retry"`);
  else if (isBackwardOnly && context.position !== 'fragment' && ids.indexOf(target) > ids.indexOf(node.id)) {
    complain(
      reading,
      at,
      `"${node.id}" retries "${target}", which comes later; retry_step goes back, next_step goes forward`,
    );
  }
}

function lintBudget(node: NodeDef, route: Costly, path: Path, context: Surroundings, reading: ReadState): void {
  if (route.budget !== 'rejections' || context.ofItems.has(node.id)) return;
  complain(
    reading,
    reading.places.at([...path, 'budget']),
    `"${node.id}" is not in a loop, so there is no item whose rejections it could count`,
  );
}

function noTarget(node: NodeDef, target: string, context: Surroundings): string {
  const { ids, position, workflow } = context;
  const isAdded = Object.values(workflow.fragments).some((one) => one.defs.some((def) => def.id === target));
  if (isAdded) return `"${node.id}" cannot go to "${target}", which is only in a fragment`;
  if (definitions(workflow).some((one) => one.id === target)) {
    return `"${node.id}" cannot go to "${target}", which is ${position === 'body' ? 'outside' : 'inside'} the loop`;
  }
  return `"${node.id}" goes to "${target}", and there is no such node${didYouMean(target, [...ids, ...routeWords])}`;
}

function lintDecision(node: JobDef, reading: ReadState): void {
  const hasRoutes = Object.keys(node.onDecision).length > 0;
  if (node.decisionKey !== null && !hasRoutes) {
    complain(
      reading,
      reading.places.at([node.id, 'decision_key']),
      `"${node.id}" has a decision_key but no on_decision`,
    );
  }
  if (node.decisionKey === null && hasRoutes) {
    complain(reading, reading.places.at([node.id, 'on_decision']), `"${node.id}" has on_decision but no decision_key`);
  }
}

function lintRejection(node: NodeDef, reading: ReadState): void {
  const leads = Object.values(node.onFail).some((route) => route.type !== 'retry');
  if (!asksPerson(node) || leads || node.onAnswer !== null) return;
  warn(reading, reading.places.at([node.id]), `"${node.id}" has no on_fail: after a rejection it asks the same again`);
}

/** Loops and gates have no outcome to route. A rejected review repeats, so it has no `next` or `fail`. */
function lintDeadRoutes(node: NodeDef, reading: ReadState): void {
  const { id, kind } = node;
  for (const [reason, { type }] of Object.entries(asksPerson(node) ? node.onFail : {})) {
    const path = [id, 'on_fail', reason];
    const isDead = type === 'next' || type === 'fail';
    if (!isDead || !reading.places.has(path)) continue;
    complain(
      reading,
      reading.places.at(path),
      `a rejection of "${id}" cannot "${type}": it goes back, inserts or finishes`,
    );
  }
  if (!hasBody(node) && !judgesFiles(node)) return;
  const dead = hasBody(node) ? ['on_pass', 'on_fail'] : ['on_pass'];
  const hint = hasBody(node)
    ? 'write it on the node after the loop; "policy.on_item_failed" says what a failed story does'
    : 'write it on the node after the decision; "on" says what it adds';
  for (const key of dead) {
    if (!reading.places.has([id, key])) continue;
    complain(reading, reading.places.at([id, key]), `"${key}" of the ${kind} "${id}" is never taken; ${hint}`);
  }
}

/** A person's skip is no route. */
function unreachable(chain: readonly NodeDef[], reach: Reach): readonly NodeDef[] {
  const reached = new Set<NodeDef>(chain.slice(0, 1));
  // Grows during the walk.
  for (const node of reached) {
    for (const next of nextOf(node, chain, reach)) reached.add(next);
  }
  return chain.filter((node) => !reached.has(node));
}

/** `passed by` includes nodes that a decision skips. */
type Reach = 'walked' | 'passed by';

function nextOf(node: NodeDef, chain: readonly NodeDef[], reach: Reach): readonly NodeDef[] {
  const following = chain[chain.indexOf(node) + 1];
  const decides = isRoutedByKey(node);
  const routes = routesOf(node).filter((one) => !(decides && one.path[1] === 'on_pass'));
  const skips = decides && routes.some(({ route }) => route.type === 'goto' && comesAfter(chain, node, route.target));
  const leadsOn = (runsJob(node) && typeof node.onExhausted !== 'string') || (skips && reach === 'passed by');
  return (leadsOn && following ? [following] : []).concat(
    routes.flatMap(({ route }) => {
      const to =
        route.type === 'goto'
          ? chain.find((one) => one.id === route.target)
          : route.type === 'next' || route.type === 'insert'
            ? following
            : undefined;
      return to ? [to] : [];
    }),
  );
}

function comesAfter(chain: readonly NodeDef[], node: NodeDef, target: string): boolean {
  return chain.findIndex((one) => one.id === target) > chain.indexOf(node);
}
