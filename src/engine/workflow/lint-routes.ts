// Routes that lead nowhere, for ever, or past nodes that nobody then reaches.
import type { NodeDef, Route, Workflow } from './definition.js';
import { didYouMean } from './nearest.js';
import { complain, type Path, type Reading, warn } from './reading.js';
import { routesOf } from './routes.js';
import { routeWords } from './vocabulary.js';

type Goto = Extract<Route, { type: 'goto' }>;

interface Surroundings {
  readonly chain: readonly NodeDef[];
  readonly everyId: readonly string[];
  readonly isBody: boolean;
}

export function lintRoutes(workflow: Workflow, reading: Reading): void {
  const everyId = workflow.chain.flatMap((node) => [node.id, ...node.body.map((inner) => inner.id)]);
  lintChain({ chain: workflow.chain, everyId, isBody: false }, reading);
  for (const loop of workflow.chain) lintChain({ chain: loop.body, everyId, isBody: true }, reading);
}

function lintChain(around: Surroundings, reading: Reading): void {
  for (const node of around.chain) {
    for (const { path, route } of routesOf(node)) {
      if (route.type === 'goto') lintGoto(node, route, path, around, reading);
    }
    lintDecision(node, reading);
    lintRejection(node, reading);
  }
  for (const node of unreachable(around.chain)) {
    complain(
      reading,
      reading.places.at([node.id]),
      `"${node.id}" is never reached: every route before it ends or passes it by`,
    );
  }
}

function lintGoto(node: NodeDef, route: Goto, path: Path, around: Surroundings, reading: Reading): void {
  const ids = around.chain.map((one) => one.id);
  const { target } = route;
  const at = reading.places.at([...path, 'goto']);
  if (!ids.includes(target)) complain(reading, at, noTarget(node, target, ids, around));
  else if (target === node.id) complain(reading, at, `"${node.id}" goes to itself; to try a node again use "retry"`);
  else if (reading.places.has([...path, 'backward only']) && ids.indexOf(target) > ids.indexOf(node.id)) {
    complain(
      reading,
      at,
      `"${node.id}" retries "${target}", which comes later; retry_step goes back, next_step goes on`,
    );
  }
  if (route.budget === 'rejections' && !around.isBody) {
    complain(
      reading,
      reading.places.at([...path, 'budget']),
      `"${node.id}" is in no loop, so there is no item whose rejections it could cost`,
    );
  }
}

function noTarget(node: NodeDef, target: string, ids: readonly string[], around: Surroundings): string {
  if (around.everyId.includes(target)) {
    return `"${node.id}" cannot go to "${target}", which is ${around.isBody ? 'outside' : 'inside'} the loop`;
  }
  return `there is no node "${target}" for "${node.id}" to go to${didYouMean(target, [...ids, ...routeWords])}`;
}

function lintDecision(node: NodeDef, reading: Reading): void {
  const hasRoutes = Object.keys(node.onDecision).length > 0;
  if (node.decisionKey !== null && !hasRoutes) {
    complain(
      reading,
      reading.places.at([node.id, 'decision_key']),
      `"${node.id}" has a decision_key and no on_decision`,
    );
  }
  if (node.decisionKey === null && hasRoutes) {
    complain(reading, reading.places.at([node.id, 'on_decision']), `"${node.id}" has on_decision and no decision_key`);
  }
}

function lintRejection(node: NodeDef, reading: Reading): void {
  const leads = Object.values(node.onFail).some((route) => route.type !== 'retry');
  if (node.kind !== 'human' || leads) return;
  warn(reading, reading.places.at([node.id]), `"${node.id}" has no on_fail: a rejection only asks the same again`);
}

/** The nodes that no walk from the first one comes to; what a person skips is no walk. */
function unreachable(chain: readonly NodeDef[]): readonly NodeDef[] {
  const reached = new Set<NodeDef>(chain.slice(0, 1));
  // A set that grows while it is walked: each node is visited once.
  for (const node of reached) {
    for (const next of nextOf(node, chain)) reached.add(next);
  }
  return chain.filter((node) => !reached.has(node));
}

function nextOf(node: NodeDef, chain: readonly NodeDef[]): readonly NodeDef[] {
  const following = chain[chain.indexOf(node) + 1];
  const decides = node.decisionKey !== null;
  const routes = routesOf(node).filter((one) => !(decides && one.path[1] === 'on_pass'));
  // What a decision passes by is skipped and shown as such; that is no mistake of the file's.
  const skips = decides && routes.some(({ route }) => route.type === 'goto' && comesAfter(chain, node, route.target));
  const passedBy = skips && following ? [following] : [];
  return passedBy.concat(
    routes.flatMap(({ route }) => {
      const to =
        route.type === 'goto'
          ? chain.find((one) => one.id === route.target)
          : route.type === 'next'
            ? following
            : undefined;
      return to ? [to] : [];
    }),
  );
}

function comesAfter(chain: readonly NodeDef[], node: NodeDef, target: string): boolean {
  return chain.findIndex((one) => one.id === target) > chain.indexOf(node);
}
