// The picture of a run: what was put in, what ran how often, what stands side by side.
import { expect, it } from 'vitest';
import type { Node, World } from '../../src/engine/index.js';
import type { Spine } from '../../src/store/runs/run-types.js';
import { Chain } from '../../src/web/pages/run/chain.js';
import { pastView } from '../../src/web/pages/run/run-view.js';
import { def, failing, item, loop, Player, pass, workflow } from '../engine/builders.js';

async function drawn(player: Player, change: (node: Node) => Node = (node) => node): Promise<string> {
  const chains = new Map(
    [...player.world.chains].map(([key, chain]) => [key, { ...chain, nodes: chain.nodes.map(change) }] as const),
  );
  const world: World = { state: player.state, chains };
  const spine: Spine = { run: player.run, items: player.state.items, interactions: [], workflow: player.workflow };
  const view = pastView(spine, world);
  if (view === null) throw new Error('no run');
  const html = String(await Chain({ view, now: player.now, itemsFrom: null }));
  return html
    .replaceAll(/<svg class="arrow".*?<\/svg>/gs, '→')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

it('the chain shows each step in order with its state, attempts and insertions', async () => {
  const steps = [def('plan'), def('impl', { maxAttempts: 3 }), def('gate', { kind: 'decision' }), def('ship')];
  const player = Player.start(workflow(steps)).walk(pass, failing);
  const text = await drawn(player, (node) => (node.template === 'ship' ? { ...node, insertedBy: 'n3' } : node));
  expect(text).toMatch(/^plan done .*→ impl \w+ attempt 2 of 3 .*→ gate gate not started → ship added not started$/);
});

it('the chain distinguishes skipped steps from waiting ones', async () => {
  const flow = workflow([loop('stories', [def('impl'), def('verify')])]);
  const player = Player.start(flow, { items: [item('US-1')] });
  const text = await drawn(player, (node) => (node.template === 'impl' ? { ...node, state: 'skipped' } : node));
  expect(text).toMatch(/impl , skipped verify , not started/);
});

it('a gate shows how often it had something fixed', async () => {
  const player = Player.start(workflow([def('plan'), def('gate', { kind: 'decision' })]));
  expect(await drawn(player, (node) => ({ ...node, retry: 1 }))).toContain('fixed 1 time');
  expect(await drawn(player, (node) => ({ ...node, retry: 1 }))).not.toContain('1 times');
});

it('neighboring steps that may run in parallel are shown side by side', async () => {
  const steps = [def('plan'), def('docs'), def('log', { needs: [] }), def('ship')];
  expect(await drawn(Player.start(workflow(steps)))).toMatch(/plan .*→ Side by side docs .* log .*→ ship/);
});

it('items are shown in waves with their steps and dependencies', async () => {
  const items = [item('US-1'), item('US-2', ['US-1']), item('US-3')];
  const flow = workflow([loop('stories', [def('impl'), def('verify')])]);
  const text = await drawn(Player.start(flow, { items }).walk(pass));
  expect(text).toContain('0 of 3 stories done');
  expect(text).toMatch(
    /Wave 1, 2 stories .*US-1 working .*impl , done .*verify , \w+ .*US-3 .*Wave 2 US-2 not started .*after US-1/,
  );
});
