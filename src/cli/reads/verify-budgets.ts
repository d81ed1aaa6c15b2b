import {
  type Chain,
  definitions,
  hasBody,
  type JobDef,
  type NodeDef,
  runsJob,
  type World,
} from '../../engine/index.js';

/** `byHand`: attempts by people's own agents, counted but not limited. */
export function budgetProblems({ state, chains }: World, byHand: number): readonly string[] {
  if (state === null) return [];
  const { run, workflow } = state;
  const defs = new Map(definitions(workflow).map((def) => [def.id, def]));
  const nodes = [...chains.values()].flatMap((chain) => chain.nodes);
  const counted = nodes.reduce((sum, node) => sum + node.dispatches, 0);
  const { dispatches } = run.counters;
  return [
    ...(dispatches > run.dispatchLimit + byHand
      ? [`the run: ${dispatches} dispatches, over its limit of ${run.dispatchLimit}`]
      : []),
    ...(counted > dispatches ? [`the run: it counts ${dispatches} dispatches, but its nodes count ${counted}`] : []),
    ...[...chains.values()].flatMap((chain) => [...attemptProblems(chain, defs), ...loopProblems(chain, defs)]),
    ...state.items.flatMap((item) => {
      const loop = nodes.find((node) => node.id === item.loop);
      const def = defs.get(loop?.template ?? '');
      const max = def && hasBody(def) ? def.maxRejections : item.rejections;
      return item.rejections > max ? [`item ${item.key}: ${item.rejections} rejections of ${max}`] : [];
    }),
  ];
}

type Defs = ReadonlyMap<string, NodeDef>;

function attemptProblems(chain: Chain, defs: Defs): readonly string[] {
  return chain.nodes.flatMap((node) => {
    const max = defs.get(node.template)?.maxAttempts ?? node.attempt;
    // These count as the item's rejections.
    const isCountedThere = Object.values(defs.get(node.template)?.onFail ?? {}).some(costsItem);
    if (!runsJob(node) || isCountedThere || node.attempt <= max) return [];
    return [`node ${[chain.key, node.label].join(' ').trim()}: attempt ${node.attempt} of ${max}`];
  });
}

/** People may send back without limit; rejections are counted elsewhere. */
function loopProblems(chain: Chain, defs: Defs): readonly string[] {
  return Object.entries(chain.edges).flatMap(([edge, count]) => {
    const [from = '', to = ''] = edge.split('>');
    const def = defs.get(from);
    if (!def || !runsJob(def) || count <= def.maxLoops || costsRejections(def, to)) return [];
    return [`${chain.key} from ${from} back to ${to}: ${count} of ${def.maxLoops} loops`.trim()];
  });
}

function costsItem(route: NodeDef['onPass']): boolean {
  return (route.type === 'retry' || route.type === 'goto') && route.budget === 'rejections';
}

function costsRejections(def: JobDef, target: string): boolean {
  const routes = [def.onPass, ...[def.onFail, def.onStatus, def.onDecision].flatMap((one) => Object.values(one))];
  return routes.some((one) => one.type === 'goto' && one.target === target && costsItem(one));
}
