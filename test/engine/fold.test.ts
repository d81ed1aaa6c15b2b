import { describe, expect, it } from 'vitest';
import { fold } from '../../src/engine/index.js';
import { def, failing, item, loop, Player, pass, workflow } from './builders.js';

const flow = workflow([loop('stories', [def('impl', { maxAttempts: 1 }), def('look', { kind: 'human' })])]);

describe('folding events into a run', () => {
  it('rebuilds the state from the stored events, raised ones included', () => {
    const player = Player.start(flow, { items: [item('US-1'), item('US-2')], afterStory: 'start' });
    player.walk(failing).answer('retry', 'again').walk(pass).answer('approve').worked().walk(pass);
    expect(player.events.map((event) => event.type)).toContain('item_opened');
    expect(fold(player.events, flow)).toEqual(player.world);
  });

  it('yields no run without events', () => {
    expect(fold([], flow)).toEqual({ state: null, chains: new Map() });
  });

  it('keeps the same objects for chains that an event does not touch', () => {
    const player = Player.start(flow, { items: [item('US-1')] });
    const { chains } = player.world;
    player.do({ type: 'pause' });
    expect(player.world.chains.get('US-1')).toBe(chains.get('US-1'));
  });
});
