// What steps write down for others: for those after them in the story, and for all stories.
import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../../src/engine/index.js';
import { def, failing, loop, Player, pass, workflow } from './builders.js';
import { oneStory } from './chains.js';

const noted = (run: string, item: string) => ({ ...pass, scratch: { run, item } });

function promptOf(player: Player, template: string, chain = 'A'): string {
  return renderPrompt(player.stateOf(chain), player.node(template, chain).id).text;
}

describe('the scratch notes of a step', () => {
  it('reach the later steps of the story; shared ones reach all stories', () => {
    const flow = workflow([loop('stories', [def('a'), def('b')])]);
    const items = [...oneStory.items, { ...oneStory.items[0], key: 'B' } as never];
    const player = Player.start(flow, { items, afterStory: 'start' });
    player.settle(noted(' the port is 80 \n', 'A only')).settle(noted('', 'more of A'));
    expect(player.world.chains.get('A')?.scratch).toBe('A only\nmore of A');
    const own = promptOf(player, 'b');
    expect(own).toContain('## Written down for all stories\nthe port is 80\n\n## Written down for this story\nA only');
    player.worked();
    const other = promptOf(player, 'a', 'B');
    expect(other).toContain('the port is 80');
    expect(other).not.toContain('A only');
  });

  it('are kept when the step fails, and cut to the newest 16,000 characters', () => {
    const player = Player.start(workflow([def('a')])).settle({ ...failing, scratch: { run: 'learned', item: '' } });
    expect(player.run.scratch).toBe('learned');
    player.settle({ ...failing, scratch: { run: `${'x'.repeat(20_000)}end`, item: '' } });
    expect([player.run.scratch.length, player.run.scratch.endsWith('xend')]).toEqual([16_000, true]);
  });

  it('the progress log stays as the last attempt that wrote one left it', () => {
    const player = Player.start(workflow([def('a', { prompt: '{{progress}}' }), def('b', { prompt: '{{progress}}' })]));
    expect(promptOf(player, 'a', '')).toContain('(no progress file)');
    player.settle({ ...pass, progress: 'half way' });
    expect(promptOf(player, 'b', '')).toContain('half way');
    expect(player.settle(pass).run.progress).toBe('half way');
  });
});
