import { supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Chain, Node } from '../model/model.js';
import { isWalkedAgain, type SkipReason } from '../model/skip.js';
import type { NodeDef } from '../workflow/definition.js';
import { bodyOf } from '../workflow/node-kinds.js';

export function emptyChain(key: string): Chain {
  return { key, nodes: [], labels: 0, edges: {}, notes: [], context: {}, digests: [], scratch: '' };
}

export function layChain(tx: DecisionDraft, defs: readonly NodeDef[]): void {
  const first = tx.run.counters.nodes;
  const nodes = defs.map((def, index) => newNode(def, first + index + 1, index + 1));
  tx.setRun({ counters: { ...tx.run.counters, nodes: first + nodes.length } });
  tx.setChain({ nodes, labels: nodes.length });
  skipDoneBefore(tx);
}

function skipDoneBefore(tx: DecisionDraft): void {
  const { begin, beginBy: by } = tx.run;
  if (begin === null) return;
  const own = positionOf(tx.chain, begin);
  const isLoopOfIt = (node: Node) => bodyOf(tx.def(node)).some((inner) => inner.id === begin);
  const start = own >= 0 ? own : tx.chain.nodes.findIndex(isLoopOfIt);
  if (own >= 0) tx.setRun({ begin: null });
  const why: SkipReason =
    by === undefined ? { type: 'inferred' } : { type: 'person', reason: `it begins with ${begin}`, by };
  for (const node of tx.chain.nodes.slice(0, Math.max(0, start))) skipIfOpen(tx, node, why);
}

export function newNode(def: NodeDef, number: number, label: number): Node {
  return {
    id: `n${number}`,
    label: `step-${String(label).padStart(3, '0')}`,
    template: def.id,
    kind: def.kind,
    title: def.title,
    state: 'waiting',
    generation: 1,
    attempt: 1,
    abandons: 0,
    dispatches: 0,
    live: null,
    last: null,
    firstAttempt: null,
    skipReason: null,
    description: null,
    restarts: 0,
    retry: 0,
    args: null,
    params: {},
    insertedBy: null,
    verdict: null,
  };
}

/**
 * Starts a new generation from `target` to `from`. Nodes that a person or edit skipped stay skipped; insertions of
 * decisions are skipped, because these decide again.
 */
export function goBack(tx: DecisionDraft, from: Node | null, target: Node): void {
  const { nodes } = tx.chain;
  const start = nodes.findIndex((node) => node.id === target.id);
  const end = from ? nodes.findIndex((node) => node.id === from.id) : nodes.length;
  walkAgain(tx, nodes.slice(start, end + 1), target);
  leaveOut(tx, tx.chain.nodes.slice(start, end + 1), target);
  const isBefore = (template: string) => nodes.slice(0, start).some((node) => node.template === template);
  const isStory = (key: string) => tx.items.some((item) => item.key === key);
  tx.setChain({ digests: tx.chain.digests.filter(({ step: of }) => isBefore(of) || isStory(of)) });
}

export function goBackToStart(tx: DecisionDraft): void {
  const { nodes } = tx.chain;
  walkAgain(tx, nodes, null);
  leaveOut(tx, tx.chain.nodes, null);
  tx.setChain({ digests: [] });
}

function leaveOut(tx: DecisionDraft, nodes: readonly Node[], target: Node | null): void {
  const deciding = new Set(nodes.filter((node) => node.state === 'waiting').map((node) => node.id));
  for (const node of nodes) {
    // Edits' additions stay: no one proposes them again.
    const isOfFragment = node.insertedBy !== null && node.description === null;
    if (!isOfFragment || node.id === target?.id || !deciding.has(String(node.insertedBy))) continue;
    deciding.add(node.id);
    skipIfOpen(tx, node, { type: 'decided_anew' });
  }
}

function walkAgain(tx: DecisionDraft, nodes: readonly Node[], target: Node | null): void {
  for (const node of nodes) {
    const isKept = node.state === 'skipped' && !isWalkedAgain(node.skipReason) && node.id !== target?.id;
    if (isKept || node.state === 'waiting') continue;
    supersede(tx, (one) => one.chain === tx.chain.key && one.node === node.id);
    tx.moveNode(node.id, 'waiting', {
      generation: node.generation + 1,
      attempt: 1,
      abandons: 0,
      firstAttempt: null,
      skipReason: null,
      verdict: null,
    });
  }
}

/** Marks the nodes between, so that they never become due. */
export function goForward(tx: DecisionDraft, from: Node, target: Node): void {
  const { nodes } = tx.chain;
  const start = nodes.findIndex((node) => node.id === from.id);
  const end = nodes.findIndex((node) => node.id === target.id);
  for (const node of nodes.slice(start + 1, end)) skipIfOpen(tx, node, { type: 'routed' });
}

export function skipRest(tx: DecisionDraft, from: Node): void {
  const start = tx.chain.nodes.findIndex((node) => node.id === from.id);
  for (const node of tx.chain.nodes.slice(start + 1)) skipIfOpen(tx, node, { type: 'finished' });
}

export function positionOf(chain: Chain, template: string): number {
  return chain.nodes.findIndex((node) => node.template === template);
}

/** The nearest node of the template at or before this one, else after it. */
export function targetOf(chain: Chain, from: Node, template: string): Node | null {
  const here = chain.nodes.findIndex((node) => node.id === from.id);
  const isIt = (node: Node) => node.template === template;
  return chain.nodes.slice(0, here + 1).findLast(isIt) ?? chain.nodes.slice(here + 1).find(isIt) ?? null;
}

export function isBehind(chain: Chain, target: Node, from: Node): boolean {
  return chain.nodes.indexOf(target) <= chain.nodes.findIndex((node) => node.id === from.id);
}

export function currentNode(chain: Chain): Node | null {
  return chain.nodes.find((node) => !isOver(node)) ?? null;
}

export function isOver({ state }: Node): boolean {
  return state === 'passed' || state === 'skipped';
}

export function nodesBefore({ nodes }: Chain, { id }: Node): readonly Node[] {
  return nodes.slice(
    0,
    nodes.findIndex((one) => one.id === id),
  );
}

export function namedNode(chain: Chain, name: string): Node | null {
  const lowered = name.trim().toLowerCase();
  return (
    chain.nodes.find((node) =>
      [node.id, node.label, node.template, node.title].some((known) => known.toLowerCase() === lowered),
    ) ?? null
  );
}

export function skipIfOpen(tx: DecisionDraft, node: Node, skipReason: SkipReason): void {
  if (node.state === 'waiting' || node.state === 'ready') tx.moveNode(node.id, 'skipped', { skipReason });
}
