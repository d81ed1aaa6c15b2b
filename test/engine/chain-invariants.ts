// What must hold of every chain after every event: its nodes and their names, its order, its budgets, its waves.
import type { Chain, Event, Node } from '../../src/engine/index.js';
import { nodesOf, type Player, type WholeNode } from './builders.js';

export class Broken extends Error {}

export function demand(holds: boolean, what: string | (() => string)): void {
  if (!holds) throw new Broken(typeof what === 'string' ? what : what());
}

/** What happened since: the event and what it raised. */
export interface Since {
  readonly before: Player['world'];
  readonly events: readonly Event[];
}

export function checkChains(player: Player, since: Since): void {
  const defs = defsOf(player);
  const ids = new Set<string>();
  checkCounted(player, since);
  for (const [key, chain] of player.world.chains) {
    const old = since.before.chains.get(key);
    for (const node of chain.nodes) {
      demand(!ids.has(node.id), () => `${node.id} is there twice`);
      ids.add(node.id);
      demand(Number(node.id.slice(1)) <= player.run.counters.nodes, () => `${node.id} is not counted`);
      checkNode(key, node);
      checkNodeBudgets(player, node, defOf(defs, node.template));
    }
    checkLabels(key, chain);
    checkGates(key, chain, defs);
    checkLast(key, chain, defs);
    checkEdges(key, chain, defs);
    checkWave(player, key, chain, defs);
    if (old && old !== chain && old.nodes.length > 0) {
      checkKept(key, old, chain, defs, since);
      checkGrowth(player, key, old, chain, since);
    }
  }
}

const indexes = new WeakMap<Player['workflow'], ReadonlyMap<string, WholeNode>>();

export function defsOf({ workflow }: Player): ReadonlyMap<string, WholeNode> {
  const found = indexes.get(workflow) ?? new Map(nodesOf(workflow).map((def) => [def.id, def]));
  indexes.set(workflow, found);
  return found;
}

function defOf(defs: ReadonlyMap<string, WholeNode>, template: string): WholeNode {
  const found = defs.get(template);
  if (!found) throw new Broken(`no definition of ${template}`);
  return found;
}

function checkNode(key: string, node: Node): void {
  const isLive = node.kind !== 'loop' && (node.state === 'queued' || node.state === 'running');
  const what = () => `${key}/${node.label} ${node.template}`;
  demand(!isLive || node.live?.state === node.state, () => `${what()} is ${node.state} without an attempt`);
  demand(!isLive || node.kind === 'task' || node.kind === 'check', () => `${what()} is a ${node.kind} and runs`);
  demand(isLive || node.live === null || node.state === 'cancelled', () => `${what()} keeps a live attempt`);
  const isJudged = node.kind === 'decision' && node.state === 'passed';
  demand(!isJudged || node.verdict !== null, () => `${what()} passed without a verdict`);
  demand(node.state !== 'skipped' || !!node.skipReason, () => `${what()} is skipped and nobody knows why`);
  if (!node.live) return;
  const { id, generation } = node.live;
  demand(id.endsWith(`-${node.label}-g${generation}-d${node.dispatches}`), () => `attempt ${id} is misnamed`);
}

function checkNodeBudgets(player: Player, node: Node, def: WholeNode): void {
  const isRejected = Object.values({ ...def.onFail, ...def.onStatus, ...def.onDecision }).some(
    (route) => route.type === 'retry' && route.budget === 'rejections',
  );
  demand(
    isRejected || node.attempt <= def.maxAttempts,
    () => `${def.id} is at attempt ${node.attempt} of ${def.maxAttempts}`,
  );
  demand(node.abandons <= Math.max(def.abandons, 1), () => `${def.id} was abandoned ${node.abandons} times`);
  demand(node.restarts <= def.maxRestarts, () => `${def.id} began anew ${node.restarts} times of ${def.maxRestarts}`);
  const max = def.gate?.maxRetries ?? null;
  demand(max === null || node.retry <= max, () => `${def.id} added work ${node.retry} times of ${max}`);
  const isKept = def.mandatory || def.pinLast || (def.kind !== 'task' && def.kind !== 'check');
  const by = node.state === 'skipped' ? node.skipReason?.type : undefined;
  const isAllowed = by === 'edit' ? !isKept : by !== 'person' || !def.mandatory;
  demand(isAllowed, () => `${def.id} is mandatory and was skipped`);
  demand(node.template === def.id && node.kind === def.kind, () => `${node.id} is another kind of node than ${def.id}`);
  demand(player.run.status !== 'draft' || node.dispatches === 0, 'a draft dispatched');
}

/** A gate fixes while it has retries, and what it adds counts on; then it escalates. */
function checkGates(key: string, { nodes }: Chain, defs: ReadonlyMap<string, WholeNode>): void {
  for (const node of nodes) {
    const max = defs.get(node.template)?.gate?.maxRetries ?? null;
    if (node.verdict === null || node.verdict === 'pass' || max === null) continue;
    const isFix = node.verdict === 'fix';
    demand(isFix === node.retry < max, () => `${key}/${node.label} gave ${node.verdict} at ${node.retry} of ${max}`);
    const next = nodes.filter((one) => one.insertedBy === node.id && one.template === node.template);
    const isCounted = !isFix || next.length === 0 || next.some((one) => one.retry === node.retry + 1);
    demand(isCounted, () => `what ${key}/${node.label} added does not count on`);
  }
}

/** Every insertion by a route is counted on its edge, and every restart on its node. */
function checkCounted(player: Player, { before }: Since): void {
  const records = player.effects.flatMap((effect) => (effect.type === 'record' ? [effect.record] : []));
  for (const { action, chain, step, details } of records) {
    const nodes = player.nodes(chain);
    const node = nodes.find((one) => one.label === step?.label);
    if (
      action === 'inserted' &&
      (node?.kind === 'task' || node?.kind === 'check') &&
      details['fragment'] !== 'mend_conflict'
    ) {
      const edge = `${node.template}>+${details['fragment']}`;
      const counts = [before, player.world].map((world) => world.chains.get(chain)?.edges[edge] ?? 0);
      // A person's word makes the budget whole before it is used again.
      demand(counts[1] === 1 || counts[1] === (counts[0] ?? 0) + 1, () => `${edge} cost no budget in "${chain}"`);
    }
    if (action !== 'step_restarted' || details['new'] === null || !node) continue;
    const was = before.chains.get(chain)?.nodes.find((one) => one.id === node.id);
    demand(node.restarts === (was?.restarts ?? 0) + 1, () => `${node.label} began anew and nobody counted it`);
  }
}

/** Labels count up from one and are never used again. */
function checkLabels(key: string, chain: Chain): void {
  const labels = new Set(chain.nodes.map((node) => node.label));
  demand(labels.size === chain.nodes.length, () => `a label is there twice in "${key}"`);
  for (const label of labels) demand(numberOf(label) <= chain.labels, () => `${label} is not counted in "${key}"`);
}

function numberOf(label: string): number {
  return Number(label.replace(/^step-/, ''));
}

function checkLast(key: string, { nodes }: Chain, defs: ReadonlyMap<string, WholeNode>): void {
  const pinned = nodes.findIndex((node) => defs.get(node.template)?.pinLast);
  demand(pinned < 0 || pinned === nodes.length - 1, () => `${nodes.at(-1)?.template} comes after the last of "${key}"`);
}

/** A way back and an insertion are bounded alike; people are not. */
function checkEdges(key: string, chain: Chain, defs: ReadonlyMap<string, WholeNode>): void {
  for (const [edge, count] of Object.entries(chain.edges)) {
    const def = defOf(defs, edge.split('>')[0] ?? '');
    if (def.kind === 'human') continue;
    demand(count <= def.maxLoops, () => `${edge} was taken ${count} times of ${def.maxLoops} in "${key}"`);
  }
}

/** Side by side stand only neighbours that may, and that write apart. */
function checkWave(player: Player, key: string, chain: Chain, defs: ReadonlyMap<string, WholeNode>): void {
  const live = player.run.live.filter((one) => one.chain === key);
  if (live.length < 2) return;
  const nodes = live.flatMap((one) => chain.nodes.filter((node) => node.id === one.node));
  const wave = nodes.map((node) => defOf(defs, node.template));
  const written = wave.flatMap((def) => [...new Set(def.writes)]);
  demand(new Set(written).size === written.length, () => `${wave.map((def) => def.id)} write the same`);
  for (const def of wave) {
    const routes = [def.onPass, ...Object.values(def.onFail), ...Object.values(def.onStatus)];
    const isPlain = routes.every(({ type }) => type !== 'goto' && type !== 'insert' && type !== 'finish');
    const mayShare = isPlain && !def.barrier && !def.team && !def.editable && def.decisionKey === null;
    demand(mayShare, () => `${def.id} runs beside another`);
  }
  demand(
    wave.slice(1).every((def) => def.needs !== null),
    () => `${wave.map((def) => def.id)} rest on each other`,
  );
  const places = nodes.map((node) => chain.nodes.indexOf(node));
  const between = chain.nodes.slice(Math.min(...places), Math.max(...places));
  demand(
    nodes.every((node) => defOf(defs, node.template).needs?.every((need) => !isUnmet(chain, need, node)) ?? true),
    () => `one of ${wave.map((def) => def.id)} needs what is not done`,
  );
  demand(
    !between.some((node) => node.state === 'waiting'),
    () => `something waits between ${wave.map((def) => def.id)}`,
  );
}

function isUnmet(chain: Chain, need: string, node: Node): boolean {
  const before = chain.nodes.slice(0, chain.nodes.indexOf(node)).filter((one) => one.template === need);
  return before.some((one) => one.state !== 'passed' && one.state !== 'skipped');
}

/** What is over is walked again only as a new generation; nothing runs that was not dispatched; nothing is lost. */
function checkKept(key: string, old: Chain, chain: Chain, defs: ReadonlyMap<string, WholeNode>, since: Since): void {
  const byId = new Map(chain.nodes.map((node) => [node.id, node]));
  const fixed: string[] = [];
  for (const was of old.nodes) {
    const is = byId.get(was.id);
    const wasPending = was.state === 'waiting' || was.state === 'ready';
    if (!wasPending) fixed.push(was.id);
    if (is) {
      if (is !== was) checkMoved(key, was, is, since);
      continue;
    }
    const def = defOf(defs, was.template);
    const isJob = def.kind === 'task' || def.kind === 'check';
    const isSplit = wasPending && isJob && !def.mandatory && !def.pinLast && isEdited(since);
    demand(isSplit, () => `${key}/${was.label} ${was.template} (${was.state}) is gone`);
  }
  const wasFixed = new Set(fixed);
  const kept = chain.nodes.flatMap((node) => (wasFixed.has(node.id) ? [node.id] : []));
  demand(kept.join() === fixed.join(), () => `what is begun or over changed its order in "${key}"`);
}

function isEdited({ events }: Since): boolean {
  return events.some((one) => (one.type === 'attempt_settled' || one.type === 'reported') && one.envelope.edits?.ok);
}

function checkMoved(key: string, was: Node, is: Node, { events }: Since): void {
  const what = () => `${key}/${is.template} went from ${was.state} to ${is.state}`;
  demand(is.label === was.label && is.template === was.template, () => `${was.label} became ${is.label}`);
  demand(is.generation >= was.generation && is.dispatches >= was.dispatches, () => `${what()}, counted backward`);
  demand(is.restarts >= was.restarts && is.retry === was.retry, () => `${what()}, and its budget changed`);
  const wasOver = was.state === 'passed' || was.state === 'skipped';
  demand(!wasOver || is.state === was.state || is.generation > was.generation, () => `${what()} in one generation`);
  const isNewlyRunning = is.state === 'running' && was.state !== 'running' && is.kind !== 'loop';
  demand(!isNewlyRunning || was.state === 'queued', () => `${what()} without a dispatch`);
  // What a person reports is one try, and may lead to the next at once.
  const isByHand = events.some((one) => one.type === 'reported');
  const tries = is.dispatches - was.dispatches;
  const isCounted = tries === 1 || (isByHand && tries === 2);
  demand(is.state !== 'queued' || was.state === 'queued' || isCounted, () => `${what()} uncounted`);
  demand(was.last === null || is.last !== null, () => `${what()} and lost its record`);
}

/** New nodes have new names, are counted, and are no more than are allowed. */
function checkGrowth(player: Player, key: string, old: Chain, chain: Chain, { before, events }: Since): void {
  const known = new Set(old.nodes.map((node) => node.id));
  const added = chain.nodes.filter((node) => !known.has(node.id));
  demand(chain.labels >= old.labels, () => `labels of "${key}" were counted backward`);
  if (added.length === 0) return;
  const counted = before.state?.run.counters ?? { nodes: 0, insertions: 0 };
  for (const node of added) {
    demand(numberOf(node.label) > old.labels, () => `${node.label} of "${key}" was used before`);
    demand(Number(node.id.slice(1)) > counted.nodes, () => `${node.id} was used before`);
  }
  const { limits } = player.workflow;
  demand(chain.nodes.length <= limits.nodesPerItem, () => `${chain.nodes.length} nodes in "${key}"`);
  const insertions = player.run.counters.insertions - counted.insertions;
  demand(insertions > 0, () => `${added.map((node) => node.template)} were added and not counted`);
  const isByPerson = events.some((one) => one.type === 'answered');
  const isWorn = player.run.counters.insertions > player.run.insertionLimit;
  demand(!isWorn || isByPerson, () => `${player.run.counters.insertions} insertions of ${player.run.insertionLimit}`);
  // An attempt may both edit the rest and lead to more work; whatever else happens adds work once.
  const most = events.some((one) => one.type === 'attempt_settled' || one.type === 'reported') ? 2 : 1;
  demand(insertions <= most, () => `${insertions} insertions at once`);
}
