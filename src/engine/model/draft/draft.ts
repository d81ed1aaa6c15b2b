// Replaces values instead of mutating, so that untouched parts keep their identity. An illegal move throws.

import { definitions, type JobDef, type LoopDef, type NodeDef, type Workflow } from '../../workflow/index.js';
import { hasBody, runsJob } from '../../workflow/node-kinds.js';
import type { Effect, Notice, RecordAction, Reply } from '../effect.js';
import type { Event } from '../event.js';
import type { Chain, Interaction, Item, ItemStatus, Node, NodeState, Run, RunStatus, State } from '../model.js';
import { skipText } from '../skip.js';
import { mayMoveItem, mayMoveNode, mayMoveRun } from './transition.js';

export class DecisionDraft {
  readonly workflow: Workflow;
  readonly at: number;
  run: Run;
  items: readonly Item[];
  chain: Chain;
  interactions: readonly Interaction[];
  readonly effects: Effect[] = [];

  constructor(state: State, at: number) {
    this.workflow = state.workflow;
    this.at = at;
    this.run = state.run;
    this.items = state.items;
    this.chain = state.chain;
    this.interactions = state.interactions.some((one) => one.state !== 'open')
      ? state.interactions.filter((one) => one.state === 'open')
      : state.interactions;
  }

  get state(): State {
    const { workflow, run, items, chain, interactions } = this;
    return { workflow, run, items, chain, interactions };
  }

  get item(): Item | null {
    return this.items.find((item) => item.key === this.chain.key) ?? null;
  }

  get openInteractions(): readonly Interaction[] {
    return this.interactions.filter((one) => one.state === 'open');
  }

  node(id: string): Node | null {
    return this.chain.nodes.find((node) => node.id === id) ?? null;
  }

  /** A loop's definition stands for its items. */
  def({ template }: { readonly template: string }): NodeDef {
    const found = findDef(this.workflow, template);
    if (!found) throw new Error(`no definition of ${template} in ${this.workflow.name}`);
    return found;
  }

  job(node: { readonly template: string }): JobDef {
    const def = this.def(node);
    if (!runsJob(def)) throw new Error(`${node.template} runs no job`);
    return def;
  }

  loop(item: { readonly template: string }): LoopDef {
    const def = this.def(item);
    if (!hasBody(def)) throw new Error(`${item.template} is no loop`);
    return def;
  }

  setRun(patch: Partial<Run>): void {
    if (changes(this.run, patch)) this.run = Object.assign({ ...this.run }, patch);
  }

  setChain(patch: Partial<Chain>): void {
    if (changes(this.chain, patch)) this.chain = Object.assign({ ...this.chain }, patch);
  }

  setNode(id: string, patch: Partial<Omit<Node, 'state'>>): Node {
    return this.#replaceNode(id, (node) => (changes(node, patch) ? Object.assign({ ...node }, patch) : node));
  }

  moveNode(id: string, to: NodeState, patch: Partial<Omit<Node, 'state'>> = {}): Node {
    const moved = this.#replaceNode(id, (node) => {
      if (!mayMoveNode(node.state, to)) throw new Error(`node ${node.id} may not go from ${node.state} to ${to}`);
      return Object.assign({ ...node }, patch, { state: to });
    });
    this.#keepHistory(
      stepActions[to],
      moved,
      to === 'skipped' ? { reason: moved.skipReason && skipText(moved.skipReason) } : {},
    );
    return moved;
  }

  setItem(key: string, patch: Partial<Omit<Item, 'status'>>): void {
    this.items = this.items.map((item) => (item.key === key ? { ...item, ...patch } : item));
  }

  moveItem(key: string, to: ItemStatus): void {
    this.moveItems(new Set([key]), to);
  }

  moveItems(keys: ReadonlySet<string>, to: ItemStatus): void {
    if (keys.size === 0) return;
    this.items = this.items.map((item) => {
      const { key } = item;
      if (!keys.has(key) || item.status === to) return item;
      if (!mayMoveItem(item.status, to)) throw new Error(`item ${key} may not go from ${item.status} to ${to}`);
      const slot = item.slot === null ? {} : { slot: item.slot };
      // Back from a failed merge: no new claim.
      const isClaimed = item.status !== 'merging' || to !== 'running';
      const action = item.status === 'blocked' ? 'story_unblocked' : storyActions[to];
      if (isClaimed) this.#keepHistory(action, null, slot, key);
      const endedAt = to === 'done' || to === 'failed' || to === 'cancelled' ? this.at : null;
      return { ...item, status: to, startedAt: item.startedAt ?? (to === 'running' ? this.at : null), endedAt };
    });
  }

  moveRun(to: RunStatus, pauseReason: Run['pauseReason'] = null): void {
    const { run } = this;
    if (run.status === to && run.pauseReason === pauseReason) return;
    if (run.status !== to && !mayMoveRun(run.status, to)) {
      throw new Error(`run ${run.id} may not go from ${run.status} to ${to}`);
    }
    const isOver = to === 'completed' || to === 'failed' || to === 'cancelled';
    this.setRun({
      status: to,
      pauseReason,
      startedAt: run.startedAt ?? (to === 'running' ? this.at : null),
      endedAt: isOver ? this.at : null,
    });
  }

  raise(event: Event): void {
    this.effects.push({ type: 'raise', event });
  }

  notice(notice: Notice): void {
    this.effects.push({ type: 'notice', notice });
  }

  reply(reply: Reply): void {
    this.effects.push({ type: 'reply', reply });
  }

  record(
    action: RecordAction,
    node: Node | null,
    details: Readonly<{ [key: string]: unknown }>,
    chain = this.chain.key,
  ): void {
    const step = node && { label: node.label, template: node.template };
    this.effects.push({ type: 'record', record: { action, chain, step, details } });
  }

  /** Only exports show it. */
  #keepHistory(
    action: RecordAction | undefined,
    node: Node | null,
    details: Readonly<{ [key: string]: unknown }>,
    chain = this.chain.key,
  ): void {
    if (action && !(node && hasBody(node)) && this.workflow.exports.includes('workflow-state'))
      this.record(action, node, details, chain);
  }

  #replaceNode(id: string, change: (node: Node) => Node): Node {
    const { nodes } = this.chain;
    const at = nodes.findIndex((node) => node.id === id);
    const node = nodes[at];
    if (node === undefined) throw new Error(`no node ${id} in chain "${this.chain.key}" of ${this.run.id}`);
    const changed = change(node);
    this.setChain({ nodes: nodes.with(at, changed) });
    return changed;
  }
}

/** Empty patches are common. V8 spreads a second object key by key, five times slower than assigning to a clone. */
function changes<T extends object>(value: T, patch: Partial<T>): boolean {
  for (const key in patch) if (value[key] !== patch[key]) return true;
  return false;
}

const stepActions: Partial<Record<NodeState, RecordAction>> = {
  running: 'step_started',
  passed: 'step_completed',
  failed: 'step_failed',
  cancelled: 'step_cancelled',
  skipped: 'step_skipped',
};

const storyActions: Partial<Record<ItemStatus, RecordAction>> = {
  running: 'story_claimed',
  done: 'story_completed',
  failed: 'story_failed',
  blocked: 'story_blocked',
};

/** Cached per workflow, because every decision looks some up. */
const indexes = new WeakMap<Workflow, ReadonlyMap<string, NodeDef>>();

export function findDef(workflow: Workflow, template: string): NodeDef | null {
  const index = indexes.get(workflow) ?? new Map(definitions(workflow).map((def) => [def.id, def]));
  indexes.set(workflow, index);
  return index.get(template) ?? null;
}
