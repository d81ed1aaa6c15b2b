// What must hold of every run after every event, said without the engine's own tables.
import { type Event, type Item, isRunOver, type Run, type WorkspaceOp } from '../../src/engine/index.js';
import type { Player } from './builders.js';
import { checkChains, defsOf, demand, type Since } from './chain-invariants.js';

export { Broken } from './chain-invariants.js';

export function checkAll(player: Player, since: Since): void {
  const { before } = since;
  checkRun(player, before.state?.run ?? null, since);
  checkItems(player, before.state?.items ?? [], since);
  checkUnderWay(player);
  checkSlots(player.state.items, player);
  checkChains(player, since);
  checkLive(player);
  checkOps(player, since);
  checkAsked(player, before);
  checkStatus(player);
  checkRejections(player);
}

function checkRun(player: Player, old: Run | null, { events }: Since): void {
  if (!old) return;
  const { run } = player;
  if (isRunOver(old.status)) {
    demand(run.status === old.status, `a run that was ${old.status} became ${run.status}`);
    demand(run.endedAt === old.endedAt && run.live.length === 0, 'a run that was over moved on');
  }
  demand(run.status !== 'draft' || old.status === 'draft', 'a run became a draft again');
  demand(old.status !== 'draft' || run.status !== 'completed', 'a draft was completed');
  for (const one of ['dispatches', 'nodes', 'interactions', 'ops', 'insertions'] as const) {
    demand(run.counters[one] >= old.counters[one], `${one} were counted backward`);
  }
  checkDispatches(player, old, events);
  checkPosition(player);
}

/** A fuse holds back whatever a person does not do by hand. */
function checkDispatches({ run, effects }: Player, old: Run, events: readonly Event[]): void {
  const isByHand = events.some((one) => one.type === 'reported');
  const started = effects.filter((one) => one.type === 'dispatch').length;
  const counted = run.counters.dispatches - old.counters.dispatches;
  demand(
    counted === started + Number(isByHand && counted > started),
    `${started} dispatches were counted as ${counted}`,
  );
  if (started === 0 || isByHand) return;
  demand(run.counters.dispatches <= run.dispatchLimit, `${run.counters.dispatches} dispatches of ${run.dispatchLimit}`);
  demand(
    isPaidFor({ run, effects }),
    `$${run.costUsd} were spent, of $${run.budgetUsd} and ${JSON.stringify(run.purse)}`,
  );
}

/** What was to be finished may cost more; everything else needs money that is still there. */
function isPaidFor({ run, effects }: Pick<Player, 'run' | 'effects'>): boolean {
  const started = effects.flatMap((one) => (one.type === 'dispatch' ? [one.node] : []));
  if (started.every((node) => node === run.finishing)) return true;
  const { budgetUsd, costUsd, purse } = run;
  if (budgetUsd !== null && costUsd >= budgetUsd) return false;
  return purse?.projectLimitUsd == null || purse.projectUsd < purse.projectLimitUsd;
}

function checkPosition({ run, workflow }: Player): void {
  const found = workflow.positions.find((one) => one.name === run.position);
  demand(run.position === null || found !== undefined, `the run stands at ${run.position}, which is no position`);
  demand(run.begin === null || run.begin === found?.begin, `it begins with ${run.begin}`);
}

function checkItems(player: Player, old: readonly Item[], { events }: Since): void {
  const now = new Map(player.state.items.map((one) => [one.key, one]));
  demand(now.size === player.state.items.length, 'a story is there twice');
  for (const was of old) {
    const is = now.get(was.key);
    const isPlannedAnew = was.startedAt === null && !was.isGiven && events.some(hasStories);
    demand(is !== undefined || isPlannedAnew, `${was.key} is gone`);
    if (is === undefined) continue;
    const isFinal = was.status === 'done' || was.status === 'cancelled';
    const isAgain = was.status === 'done' && isLoopWalkedAgain(player, was);
    demand(!isFinal || isAgain || is.status === was.status, `${was.key} was ${was.status} and became ${is.status}`);
    demand(was.startedAt === null || is.startedAt === was.startedAt, `${was.key} began twice`);
  }
  if (player.run.status !== 'completed') return;
  const isOver = player.state.items.every((one) => one.status === 'done' || one.status === 'cancelled');
  demand(isOver, 'completed too early');
}

function isLoopWalkedAgain(player: Player, { parent, loop }: Item): boolean {
  const node = player.nodes(parent).find(({ id }) => id === loop);
  return node !== undefined && node.generation > 1;
}

function hasStories(event: Event): boolean {
  const isReport = event.type === 'attempt_settled' || event.type === 'reported';
  return isReport && event.envelope.output.stories !== null;
}

function grouped<T>(list: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

function isUnderWay({ status }: Item): boolean {
  return status === 'running' || status === 'merging';
}

function checkUnderWay(player: Player): void {
  const defs = defsOf(player);
  const byLoop = grouped(player.state.items.filter(isUnderWay), (one) => one.loop);
  for (const [loop, items] of byLoop) {
    const most = defs.get(items[0]?.template ?? '')?.parallel ?? 1;
    demand(items.length <= most, `${items.length} stories of ${loop} run at once, ${most} may`);
  }
  for (const item of player.state.items.filter((one) => one.status === 'merging')) {
    const isMoving = player.run.ops.some((op) => op.kind === 'merge' && op.chain === item.key);
    const isAsked = player.open.some(({ subject, chain }) => subject.type === 'workspace' && chain === item.key);
    demand(isMoving || isAsked, `${item.key} is merging, and nobody merges it`);
  }
}

function checkSlots(items: readonly Item[], player: Player): void {
  const taken = items.flatMap((one) => (one.slot === null ? [] : [one.slot]));
  demand(new Set(taken).size === taken.length, `slots ${taken} are not each taken once`);
  const defs = defsOf(player);
  for (const item of items) {
    if (item.slot === null) continue;
    const def = defs.get(item.template);
    demand(item.slot > 0 && def?.isolate === 'worktree', `${item.key} has the slot ${item.slot}`);
    demand(item.status !== 'done', `${item.key} is done and keeps its slot`);
    const isGoing = player.run.ops.some((op) => op.kind === 'drop' && op.chain === item.key);
    const isOver = item.status === 'cancelled' || item.status === 'failed';
    demand(!isOver || isGoing, `${item.key} is ${item.status}, and keeps its worktree`);
  }
}

function checkRejections(player: Player): void {
  const defs = defsOf(player);
  for (const item of player.state.items) {
    const max = defs.get(item.template)?.maxRejections ?? 0;
    demand(item.rejections <= max, `${item.key} was rejected ${item.rejections} times of ${max}`);
  }
}

function checkLive(player: Player): void {
  const { live, status } = player.run;
  const found = [...player.world.chains].flatMap(([key, chain]) =>
    chain.nodes
      .filter((node) => node.kind !== 'loop' && (node.state === 'queued' || node.state === 'running'))
      .map((node) => `${key}/${node.live?.id}`),
  );
  const told = live.map((one) => `${one.chain}/${one.attempt}`);
  demand(told.toSorted().join() === found.toSorted().join(), `the spine says ${told}, the chains say ${found}`);
  demand(live.length === 0 || !isRunOver(status), `a ${status} run has a live attempt`);
  const chains = new Map<string, string>();
  for (const { chain } of live) {
    const checkout = checkoutOf(player, chain);
    const other = chains.get(checkout) ?? chain;
    demand(other === chain, `"${chain}" and "${other}" work in one checkout`);
    chains.set(checkout, chain);
  }
  for (const op of player.run.ops) {
    const checkout = checkoutOf(player, chainOf(op));
    demand(!chains.has(checkout), `an agent works in "${checkout}" while ${op.kind} changes it`);
  }
}

/** One piece of work at a time in each checkout; only a worktree may be taken away after what is under way in it. */
function checkOps(player: Player, { before, events }: Since): void {
  const { ops } = player.run;
  demand(new Set(ops.map((op) => op.id)).size === ops.length, 'a piece of work is there twice');
  const byCheckout = grouped(
    ops.filter((op) => op.kind !== 'drop'),
    (op) => checkoutOf(player, chainOf(op)),
  );
  for (const [checkout, some] of byCheckout) {
    demand(some.length === 1, `${some.map((op) => op.kind)} at once in "${checkout}"`);
  }
  const heard = new Set(events.flatMap((one) => (one.type === 'workspace_done' ? [one.op] : [])));
  const now = new Set(ops.map((op) => op.id));
  for (const { id, kind } of before.state?.run.ops ?? []) {
    demand(now.has(id) || heard.has(id), `${kind} was forgotten before it came back`);
  }
  const started = player.effects.filter((one) => one.type === 'workspace').length;
  const counted = player.run.counters.ops - (before.state?.run.counters.ops ?? 0);
  demand(started === counted, `${started} pieces of work were counted as ${counted}`);
}

const aboutStandstill = new Set([
  'review',
  'reject_reason',
  'question',
  'stuck',
  'gate',
  'gate_stuck',
  'give_up',
  'rollback_target',
  'denied',
]);

function checkAsked(player: Player, before: Player['world']): void {
  const known = new Set(before.state?.interactions.map((one) => one.id));
  const asked = new Set(player.notices.flatMap((one) => (one.type === 'asked' ? [one.interaction.id] : [])));
  for (const one of player.open) {
    demand(known.has(one.id) || asked.has(one.id), `${one.id} was opened and nobody was told`);
    demand(one.options.length > 0, `${one.id} offers nothing`);
    if (one.node === null) continue;
    const node = player.nodes(one.chain).find((node) => node.id === one.node);
    demand(node?.generation === one.generation, `${one.id} asks about an older generation`);
    const isStill = node?.state === 'needs_human' || node?.state === 'failed' || node?.state === 'cancelled';
    const isOfOne = aboutStandstill.has(one.subject.type);
    demand(
      !isOfOne || isStill,
      `${one.id} (${one.subject.type}) asks about ${node?.template}, which is ${node?.state}`,
    );
  }
  for (const { id, subject, chain } of player.open) {
    if (!('attempt' in subject)) continue;
    const node = player.nodes(chain).find((one) => one.live?.id === subject.attempt);
    demand(node?.state === 'running', `${id} asks for an agent that is not at work`);
  }
  const outlives = player.open.filter(({ subject }) => subject.type !== 'leftovers' && subject.type !== 'land');
  if (isRunOver(player.run.status)) demand(outlives.length === 0, 'a question outlived its run');
}

/** A way out that was pressed and asks once more. */
function confirmsWayOut({ subject }: { readonly subject: { readonly type: string } }): boolean {
  return subject.type === 'give_up' || subject.type === 'skip_approval';
}

function checkStatus({ run, open }: Player): void {
  demand((run.status === 'paused') === (run.pauseReason !== null), `${run.status} with reason ${run.pauseReason}`);
  if (run.status === 'failed' && run.ops.length === 0 && run.live.length === 0) {
    demand(
      open.some((one) => one.kind === 'escalation' || one.kind === 'choice' || confirmsWayOut(one)),
      'failed, and no way out',
    );
  }
}

/** The checkout that a chain works in. */
export function checkoutOf(player: Player, chain: string): string {
  const item = player.state.items.find((one) => one.key === chain);
  return item && defsOf(player).get(item.template)?.isolate === 'worktree' ? chain : '';
}

export function chainOf(op: WorkspaceOp): string {
  return 'chain' in op ? op.chain : '';
}
