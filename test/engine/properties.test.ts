// Random runs of random workflows: whatever happens to a run, in whatever order, the invariants hold.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { apply, type Event, fold, type World } from '../../src/engine/index.js';
import { experimentSize } from '../size.js';
import { Player, question } from './builders.js';
import { Broken, checkAll, checkNoDeadEnd, checkOptions, copyOf } from './invariants.js';
import { envelopeFor, type Move, move, names, optionOf, type Setup, setup, workResults } from './random-run.js';

let steps = 0;

afterAll(() => {
  expect(steps, 'engine steps in the whole suite').toBeGreaterThan(30_000);
});

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const one of Object.values(value)) freeze(one);
  return value;
}

function freezeWorld(world: World): void {
  freeze(world.state);
  for (const chain of world.chains.values()) freeze(chain);
}

/** One move that fits what is there, or null where nothing does. */
function play(player: Player, one: Move): Player | null {
  return playAttempt(player, one) ?? playAnswer(player, one) ?? playCommand(player, one);
}

function playAttempt(player: Player, { kind, pick, other }: Move): Player | null {
  const { run } = player;
  const [live] = run.live;
  const chain = chainOf(player, other);
  if (kind === 'next') return next(player, pick, other);
  if (kind === 'settle' && live) return player.settle(envelopeFor(live.step, pick));
  if (kind === 'begin' && live) {
    return player.do({ type: 'attempt_started', chain: live.chain, attempt: live.attempt, worker: 'w1' });
  }
  if (kind === 'work' && run.op) return player.worked(workResults[pick % workResults.length]);
  if (kind === 'report') return player.do({ type: 'reported', chain, envelope: envelopeFor('', pick) });
  if (kind === 'stale') {
    return player.do({ type: 'attempt_settled', chain, attempt: `h1-r12-${pick}`, envelope: question });
  }
  return null;
}

function playAnswer(player: Player, { kind, pick, other }: Move): Player | null {
  if (kind === 'answer') return answer(player, pick, other);
  if (kind === 'answer_wrongly') return wrongly(player, pick);
  if (kind !== 'again') return null;
  const heard = player.events.filter((one) => !raisedTypes.has(one.type));
  const old = heard[pick % heard.length];
  return old ? player.do(old) : null;
}

function playCommand(player: Player, { kind, pick, other }: Move): Player | null {
  const chain = chainOf(player, other);
  const nodes = player.nodes(chain);
  const found = nodes[pick % Math.max(nodes.length, 1)];
  const node = found?.id ?? 'n0';
  const items = player.state.items;
  switch (kind) {
    case 'continue':
      return player.go();
    case 'name': {
      const named = other % 3 ? found?.template : names[pick % names.length];
      return player.do({
        type: 'continue',
        chain,
        node: named ?? 'x',
        instruction: other % 2 ? 'so' : null,
        behind: null,
      });
    }
    case 'retry':
      return player.do({ type: 'retry', chain, node, note: pick % 2 ? 'mind the gap' : null });
    case 'skip':
      return player.do({ type: 'skip', chain, node, reason: 'not needed' });
    case 'skip_item': {
      const item = items[pick % Math.max(items.length, 1)]?.key ?? 'US-0';
      return player.do({ type: 'skip_item', chain: pick % 2 ? chain : '', item, reason: 'no' });
    }
    case 'rollback':
      return player.do({ type: 'rollback', chain, node });
    case 'pause':
    case 'kill':
    case 'abort':
      return player.do({ type: kind, chain });
    case 'budget':
      return player.do({ type: 'budget', chain, addUsd: (pick % 5) - 1 });
    case 'start':
      return player.do({ type: 'start', behind: pick % 4 ? null : 'r11' });
    default:
      return null;
  }
}

function chainOf(player: Player, pick: number): string {
  const chains = [...player.world.chains.keys()];
  return chains[pick % chains.length] ?? '';
}

const raisedTypes = new Set([
  'item_opened',
  'item_closed',
  'item_reopened',
  'chain_resumed',
  'chain_cancelled',
  'next_named',
]);

/** Whatever the run waits for. */
function next(player: Player, pick: number, other: number): Player {
  const { run } = player;
  const [live] = run.live;
  if (run.op) return player.worked(workResults[other % 3] ?? workResults[0]);
  if (live) return player.settle(envelopeFor(live.step, pick));
  const isManual = run.level === 'manual' && run.status !== 'draft' && player.open.length === 0;
  const running = player.state.items.find((one) => one.status === 'running')?.key ?? '';
  const due = player.nodes(running).find((one) => one.state === 'waiting' || one.state === 'ready');
  if (isManual && due)
    return player.do({ type: 'continue', chain: running, node: due.id, instruction: null, behind: null });
  return answer(player, pick, other) ?? player.go();
}

function answer(player: Player, pick: number, other: number): Player | null {
  const open = player.open[pick % Math.max(player.open.length, 1)];
  if (!open) return null;
  // The way out is taken seldom, or no run would live long.
  const wanted = optionOf(open, other);
  const option = ['abort', 'cancel', 'end'].includes(wanted) && pick % 5 ? optionOf(open, 0) : wanted;
  const text = pick % 3 ? `words ${pick}` : null;
  return player.do({ type: 'answered', chain: open.chain, interaction: open.id, option, text, behind: null });
}

function wrongly(player: Player, pick: number): Player {
  const open = player.open[pick % Math.max(player.open.length, 1)];
  const interaction = open && pick % 3 ? open.id : `i12-${pick % 20}`;
  const chain = pick % 2 ? (open?.chain ?? '') : 'US-1';
  return player.do({
    type: 'answered',
    chain,
    interaction,
    option: pick % 5 ? 'retry' : 'frobnicate',
    text: null,
    behind: null,
  });
}

/** Heard twice, these are as if heard once; commands may be repeated, and then mean it. */
const heardOnce = new Set<Event['type']>([
  'attempt_started',
  'attempt_settled',
  'workspace_done',
  'answered',
  'skip',
  'skip_item',
  'pause',
  'kill',
  'start',
]);

const acting = new Set(['dispatch', 'workspace', 'raise']);

function openOnly(world: World) {
  return { ...world.state, chain: null, interactions: world.state?.interactions.filter((one) => one.state === 'open') };
}

function checkHeardTwice(player: Player, event: Event): void {
  if (!heardOnce.has(event.type)) return;
  const twice = apply(player.world, { ...event, at: player.now }, player.workflow);
  steps++;
  const acts = twice.decision.effects.filter((one) => acting.has(one.type));
  if (acts.length > 0) throw new Broken(`${event.type} heard twice acts twice: ${JSON.stringify(acts)}`);
  expect(openOnly(twice.world)).toEqual(openOnly(player.world));
  expect(twice.world.chains.get(event.chain)).toEqual(player.world.chains.get(event.chain));
}

function checkPure(world: World, events: readonly Event[], player: Player): void {
  freezeWorld(world);
  let again = world;
  for (const event of events) {
    freezeWorld(again);
    again = apply(again, freeze(structuredClone(event)), player.workflow).world;
    steps++;
  }
  expect(again).toEqual(player.world);
}

function playAll(
  { workflow, options }: Setup,
  moves: readonly Move[],
  each: (player: Player, before: World, from: number) => void,
): Player {
  const player = Player.create(workflow, options);
  const first = player.world;
  freezeWorld(first);
  each(player, { state: null, chains: new Map() }, 0);
  for (const one of moves) {
    const before = player.world;
    const from = player.events.length;
    if (play(player, one) === null) continue;
    steps += player.events.length - from;
    freezeWorld(player.world);
    try {
      each(player, before, from);
    } catch (error) {
      throw new Error(`${String(error)}\n${trailOf(player)}`);
    }
  }
  return player;
}

/** The story that led to a failure, shorter than the counterexample. */
function trailOf(player: Player): string {
  const said = player.events.map(
    ({ type, at: _at, run: _run, ...rest }) => `${type} ${JSON.stringify(rest).slice(0, 160)}`,
  );
  return said.slice(-25).join('\n');
}

const moves = fc.array(move, { minLength: 10, maxLength: 80, size: 'max' });

describe('a run, whatever happens to it', { timeout: 60_000 * experimentSize }, () => {
  it('keeps every invariant after every event, and no button of its cards leads astray', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playAll(given, list, (player, before) => {
          checkAll(player, before);
          checkNoDeadEnd(player);
          checkOptions(player);
        });
      }),
      { numRuns: 500 * experimentSize },
    );
  });

  it('hears what comes from outside twice as if once', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playAll(given, list, (player, _before, from) => {
          const event = player.events[from];
          if (event && from > 0) checkHeardTwice(player, event);
        });
      }),
      { numRuns: 250 * experimentSize },
    );
  });

  it('decides the same again, without touching what it was given', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playAll(given, list, (player, before, from) => checkPure(before, player.events.slice(from), player));
      }),
      { numRuns: 250 * experimentSize },
    );
  });

  it('is replayed from its events, also from their text, to the same state', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        const player = playAll(given, list, () => undefined);
        const stored = JSON.parse(JSON.stringify(player.events)) as Event[];
        const replayed = fold(stored, player.workflow);
        steps += stored.length;
        expect(openOnly(replayed)).toEqual(openOnly(player.world));
        expect(replayed.chains).toEqual(player.world.chains);
      }),
      { numRuns: 250 * experimentSize },
    );
  });

  it('goes on after a state that was saved and loaded as it would have without', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playAll(given, list, (player) => {
          const saved = JSON.parse(JSON.stringify(player.state));
          expect(saved).toEqual(player.state);
          const resumed = copyOf(player);
          resumed.world = { state: saved, chains: player.world.chains };
          expect(resumed.go().state).toEqual(copyOf(player).go().state);
        });
      }),
      { numRuns: 60 * experimentSize },
    );
  });
});
