// No run comes to a stand without somebody who can move it on, and no button leads there.
import { currentNode, isRunOver } from '../../src/engine/index.js';
import { Player } from './builders.js';
import { demand } from './chain-invariants.js';
import { chainOf, checkAll, checkoutOf } from './invariants.js';

export function copyOf(player: Player): Player {
  const copy = new Player(player.workflow);
  copy.world = player.world;
  copy.now = player.now;
  return copy;
}

/** Somebody or something will move the run on: an attempt, work on the checkout, an answer, or a "continue" that helps. */
export function checkNoDeadEnd(player: Player): void {
  const { run } = player;
  if (run.status === 'draft' || isRunOver(run.status)) return;
  // A confirmation to abort holds everything, and its "keep" frees it.
  if (player.asks.includes('abort')) {
    checkNoDeadEnd(copyOf(player).answer('keep', null, 'abort'));
    return;
  }
  if (run.level === 'auto' && !run.held) checkStories(player);
  if (isMoving(player)) return;
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

/** Of stories side by side each one moves, or waits for a person; a card that is for all of them holds all of them. */
function checkStories(player: Player): void {
  const { run, open, state } = player;
  if (run.status === 'failed' || open.some(({ subject }) => subject.type === 'fuse')) return;
  for (const { key } of state.items.filter((one) => one.status === 'running')) {
    const checkout = checkoutOf(player, key);
    const isWorked = [...run.live, ...run.ops.map((op) => ({ chain: chainOf(op) }))].some(
      ({ chain }) => checkoutOf(player, chain) === checkout,
    );
    const isAsked = open.some((one) => checkoutOf(player, one.chain) === checkout && one.subject.type !== 'abort');
    demand(isWorked || isAsked, `${key} is running and stands still: ${describe(player)}`);
  }
}

function checkNameable(player: Player): void {
  const asked = copyOf(player).go();
  demand(
    asked.replies.some((one) => one.type === 'name_a_step' && one.steps.length > 0),
    'no step is offered to be named',
  );
  const running = player.state.items.filter((one) => one.status === 'running').map((one) => one.key);
  const tried = (running.length > 0 ? running : ['']).map((chain) => {
    const found = player.world.chains.get(chain);
    const node = found ? currentNode(found) : null;
    const named = copyOf(player).do({ type: 'continue', chain, node: node?.id ?? '', instruction: null, behind: null });
    return { isMoving: isMoving(named), why: `${node?.template ?? 'nothing'}: ${named.refusal}` };
  });
  demand(
    tried.some((one) => one.isMoving),
    `cannot be named: ${tried.map((one) => one.why)} ${describe(player)}`,
  );
}

function isMoving({ run, open }: Player): boolean {
  return run.live.length > 0 || run.ops.length > 0 || open.some((one) => one.subject.type !== 'abort');
}

function describe(player: Player): string {
  const chains = [...player.world.chains.keys()].map((key) => `[${key}] ${player.line(key)}`);
  const { status, pauseReason, held, level, credit } = player.run;
  return `${status}/${pauseReason} held=${held} ${level} credit=${credit} | ${player.stories()} | ${chains.join(' ')} | ${player.asks}`;
}

/** Every offered button does something, breaks nothing, and leads to no dead end. */
export function checkOptions(player: Player): void {
  for (const interaction of player.open) {
    const { id, chain } = interaction;
    for (const option of interaction.options) {
      const pressed = copyOf(player);
      // Whoever asked for the run may be barred from saying yes to it.
      const said = { chain, interaction: id, option: option.id, text: 'because', by: 'bob', behind: null };
      pressed.do({ type: 'answered', ...said });
      const label = `${interaction.subject.type}.${option.id}`;
      demand(pressed.ignored === null, `${label} was offered and is ignored: ${pressed.ignored}`);
      // Where a person names the steps, what has been reached may change under an open card.
      const isBusy = player.run.ops.length > 0 || player.run.live.length > 0 || player.run.level === 'manual';
      demand(pressed.refusal === null || isBusy, `${label} was offered and refused: ${pressed.refusal}`);
      try {
        checkAll(pressed, { before: player.world, events: pressed.events });
        checkNoDeadEnd(pressed);
      } catch (error) {
        throw new Error(`after ${label}: ${String(error)}`);
      }
    }
  }
}
