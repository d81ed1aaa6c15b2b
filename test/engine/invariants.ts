// What must hold of every run after every event, said without the engine's own tables.
import { isDeepStrictEqual } from 'node:util';
import {
  currentNode,
  type Item,
  isRunOver,
  type Node,
  type NodeDef,
  type Run,
  type Workflow,
} from '../../src/engine/index.js';
import { Player } from './builders.js';

export class Broken extends Error {}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Broken(what);
}

export function copyOf(player: Player): Player {
  const copy = new Player(player.workflow);
  copy.world = player.world;
  copy.now = player.now;
  return copy;
}

export function checkAll(player: Player, before: Player['world']): void {
  checkRun(player, before.state?.run ?? null);
  checkItems(player, before.state?.items ?? []);
  for (const [key, chain] of player.world.chains) {
    checkNodes(key, before.chains.get(key)?.nodes ?? [], chain.nodes);
    checkBudgets(player, key);
  }
  checkLive(player);
  checkAsked(player, before);
  checkStatus(player);
}

function checkRun({ run }: Player, old: Run | null): void {
  if (!old) return;
  if (isRunOver(old.status)) {
    demand(run.status === old.status, `a run that was ${old.status} became ${run.status}`);
    demand(run.endedAt === old.endedAt && run.live.length === 0, 'a run that was over moved on');
  }
  demand(run.status !== 'draft' || old.status === 'draft', 'a run became a draft again');
  demand(old.status !== 'draft' || run.status !== 'completed', 'a draft was completed');
  for (const one of ['dispatches', 'nodes', 'interactions', 'ops'] as const) {
    demand(run.counters[one] >= old.counters[one], `${one} were counted backward`);
  }
}

function checkItems(player: Player, old: readonly Item[]): void {
  for (const was of old) {
    const is = player.state.items.find((one) => one.key === was.key);
    demand(is !== undefined, `${was.key} is gone`);
    const isFinal = was.status === 'done' || was.status === 'cancelled';
    demand(!isFinal || is?.status === was.status, `${was.key} was ${was.status} and became ${is?.status}`);
  }
  const keys = player.state.items.map((one) => one.key);
  demand(new Set(keys).size === keys.length, 'a story is there twice');
  const running = player.state.items.filter((one) => one.status === 'running');
  demand(running.length <= 1, `${running.length} stories run at once`);
  if (player.run.status === 'completed') {
    demand(
      player.state.items.every((one) => one.status === 'done' || one.status === 'cancelled'),
      'completed too early',
    );
  }
}

/** What is over is walked again only as a new generation; nothing runs that was not dispatched. */
function checkNodes(key: string, old: readonly Node[], nodes: readonly Node[]): void {
  for (const was of old) {
    const is = nodes.find((one) => one.id === was.id);
    if (!is) throw new Broken(`${key}/${was.template} is gone`);
    const what = `${key}/${is.template} went from ${was.state} to ${is.state}`;
    demand(is.generation >= was.generation && is.dispatches >= was.dispatches, `${what}, counted backward`);
    const wasOver = was.state === 'passed' || was.state === 'skipped';
    demand(!wasOver || is.state === was.state || is.generation > was.generation, `${what} in one generation`);
    const isNewlyRunning = is.state === 'running' && was.state !== 'running' && is.kind !== 'loop';
    demand(!isNewlyRunning || was.state === 'queued', `${what} without a dispatch`);
    demand(
      is.state !== 'queued' || was.state === 'queued' || is.dispatches === was.dispatches + 1,
      `${what} uncounted`,
    );
    demand(was.last === null || is.last !== null, `${what} and lost its record`);
  }
  for (const node of nodes) {
    const isLive = node.kind !== 'loop' && (node.state === 'queued' || node.state === 'running');
    demand(!isLive || node.live?.state === node.state, `${key}/${node.template} is ${node.state} without an attempt`);
    demand(isLive || node.live === null || node.state === 'cancelled', `${key}/${node.template} keeps a live attempt`);
    if (node.live) {
      const { id, generation } = node.live;
      demand(id.endsWith(`-g${generation}-d${node.dispatches}`), `attempt ${id} is misnamed`);
    }
  }
}

function defOf(workflow: Workflow, template: string): NodeDef | undefined {
  return workflow.chain.flatMap((one) => [one, ...one.body]).find((one) => one.id === template);
}

function checkBudgets(player: Player, key: string): void {
  const chain = player.world.chains.get(key);
  for (const node of chain?.nodes ?? []) {
    const def = defOf(player.workflow, node.template);
    if (!def) throw new Broken(`no definition of ${node.template}`);
    demand(node.attempt <= def.maxAttempts, `${node.template} is at attempt ${node.attempt} of ${def.maxAttempts}`);
    demand(node.abandons <= Math.max(def.abandons, 1), `${node.template} was abandoned ${node.abandons} times`);
  }
  for (const [edge, count] of Object.entries(chain?.edges ?? {})) {
    const max = defOf(player.workflow, edge.split('>')[0] ?? '')?.maxLoops ?? 0;
    demand(count <= max, `${edge} was taken ${count} times of ${max}`);
  }
  for (const item of player.state.items) {
    const max = defOf(player.workflow, item.template)?.maxRejections ?? 0;
    demand(item.rejections <= max, `${item.key} was rejected ${item.rejections} times of ${max}`);
  }
}

function checkLive(player: Player): void {
  const { live, status, dispatchLimit, counters } = player.run;
  demand(live.length <= 1, `${live.length} attempts are live`);
  const found = [...player.world.chains].flatMap(([key, chain]) =>
    chain.nodes
      .filter((node) => node.kind !== 'loop' && (node.state === 'queued' || node.state === 'running'))
      .map((node) => `${key}/${node.live?.id}`),
  );
  demand(
    isDeepStrictEqual(
      live.map((one) => `${one.chain}/${one.attempt}`),
      found,
    ),
    `the spine says ${JSON.stringify(live)}, the chains say ${found.join()}`,
  );
  demand(live.length === 0 || status === 'running' || status === 'paused', `a ${status} run has a live attempt`);
  demand(live.length === 0 || player.run.op === null, 'an agent works while the checkout is being worked on');
  demand(counters.dispatches <= dispatchLimit + 100, 'far more dispatches than allowed');
}

function checkAsked(player: Player, before: Player['world']): void {
  const known = new Set(before.state?.interactions.map((one) => one.id));
  const asked = new Set(player.notices.flatMap((one) => (one.type === 'asked' ? [one.interaction.id] : [])));
  for (const one of player.open) {
    demand(known.has(one.id) || asked.has(one.id), `${one.id} was opened and nobody was told`);
    demand(one.options.length > 0, `${one.id} offers nothing`);
    const node = player.nodes(one.chain).find((node) => node.id === one.node);
    demand(one.node === null || node?.generation === one.generation, `${one.id} asks about an older generation`);
  }
  if (isRunOver(player.run.status)) demand(player.open.length === 0, 'a question outlived its run');
}

function checkStatus({ run, open }: Player): void {
  demand((run.status === 'paused') === (run.pauseReason !== null), `${run.status} with reason ${run.pauseReason}`);
  if (run.status === 'failed' && run.op === null) {
    demand(
      open.some((one) => one.kind === 'escalation' || one.kind === 'choice' || one.subject.type === 'give_up'),
      'failed, and no way out',
    );
  }
}

/** Somebody or something will move the run on: an attempt, work on the checkout, an answer, or a "continue" that helps. */
export function checkNoDeadEnd(player: Player): void {
  const { run } = player;
  if (run.status === 'draft' || isRunOver(run.status) || isMoving(player)) return;
  if (run.held) {
    const resumed = copyOf(player).go();
    demand(!resumed.run.held, '"continue" did not take the hold away');
    checkNoDeadEnd(resumed);
    return;
  }
  demand(run.level !== 'auto', `dead end: ${describe(player)}`);
  if (run.level === 'semi') {
    const resumed = copyOf(player).go();
    demand(isMoving(resumed) || isRunOver(resumed.run.status), `"continue" does nothing: ${describe(player)}`);
  } else {
    checkNameable(player);
  }
}

function checkNameable(player: Player): void {
  const asked = copyOf(player).go();
  demand(
    asked.replies.some((one) => one.type === 'name_a_step' && one.steps.length > 0),
    'no step is offered to be named',
  );
  const chain = player.state.items.find((one) => one.status === 'running')?.key ?? '';
  const found = player.world.chains.get(chain);
  const node = found ? currentNode(found) : null;
  demand(node !== null, `nothing is due: ${describe(player)}`);
  const named = copyOf(player).do({ type: 'continue', chain, node: node?.id ?? '', instruction: null, behind: null });
  demand(isMoving(named), `${node?.template} cannot be named: ${named.refusal} ${describe(player)}`);
}

function isMoving({ run, open }: Player): boolean {
  return run.live.length > 0 || run.op !== null || open.some((one) => one.subject.type !== 'abort');
}

export function describe(player: Player): string {
  const chains = [...player.world.chains.keys()].map((key) => `[${key}] ${player.line(key)}`);
  const { status, pauseReason, held, level, credit } = player.run;
  return `${status}/${pauseReason} held=${held} ${level} credit=${credit} | ${player.stories()} | ${chains.join(' ')} | ${player.asks}`;
}

/** Every offered button does something, breaks nothing, and leads to no dead end. */
export function checkOptions(player: Player): void {
  for (const interaction of player.open) {
    for (const option of interaction.options) {
      const pressed = copyOf(player);
      const { id, chain } = interaction;
      pressed.do({ type: 'answered', chain, interaction: id, option: option.id, text: 'because', behind: null });
      const label = `${interaction.subject.type}.${option.id}`;
      demand(pressed.ignored === null, `${label} was offered and is ignored: ${pressed.ignored}`);
      // Where a person names the steps, what has been reached may change under an open card.
      const isBusy = player.run.op !== null || player.run.level === 'manual';
      demand(pressed.refusal === null || isBusy, `${label} was offered and refused: ${pressed.refusal}`);
      try {
        checkAll(pressed, player.world);
        checkNoDeadEnd(pressed);
      } catch (error) {
        throw new Broken(`after ${label}: ${String(error)}`);
      }
    }
  }
}
