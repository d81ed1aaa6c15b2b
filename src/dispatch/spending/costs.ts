import type { ProjectConfig } from '../../config/index.js';
import type { Run } from '../../engine/index.js';
import type { HomeReader, NodeCost, Spending } from '../../store/index.js';

export interface Costs {
  readonly run: RunCosts | null;
  readonly project: Spending;
}

export interface RunCosts {
  readonly run: Run;
  /** In chain order; '' is the run's own. */
  readonly items: readonly ItemCosts[];
}

export interface ItemCosts extends Cost {
  readonly key: string;
  readonly nodes: readonly (Cost & { readonly node: string; readonly label: string; readonly template: string })[];
}

export type Cost = Pick<NodeCost, 'attempts' | 'durationMs' | 'costUsd' | 'tokensIn' | 'tokensOut'>;

export function costsOf(store: HomeReader, { name, budget }: ProjectConfig, run: Run | null, at: number): Costs {
  return { run: run && runCosts(store, run), project: store.spending(name, at, budget.zone) };
}

function runCosts(store: HomeReader, run: Run): RunCosts {
  const spent = new Map(store.costsOfRun(run.id).map((one) => [one.node, one]));
  const nodes = store.nodes(run.id).flatMap(({ id, chain, label, template }) => {
    const cost = spent.get(id);
    return cost ? [{ ...cost, chain, label, template }] : [];
  });
  const keys = [...new Set(nodes.map(({ chain }) => chain))];
  const items = keys.map((key) => {
    const own = nodes.filter((node) => node.chain === key);
    return { key, ...sumOf(own), nodes: own };
  });
  return { run, items };
}

function sumOf(costs: readonly Cost[]): Cost {
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  const isTold = costs.some(({ costUsd }) => costUsd !== null);
  return {
    attempts: sum((cost) => cost.attempts),
    durationMs: sum((cost) => cost.durationMs),
    costUsd: isTold ? sum((cost) => cost.costUsd ?? 0) : null,
    tokensIn: sum((cost) => cost.tokensIn),
    tokensOut: sum((cost) => cost.tokensOut),
  };
}
