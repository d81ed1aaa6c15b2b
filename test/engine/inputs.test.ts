// Values that a workflow needs and nobody gave: asked for, one after another, before anything is proposed.
import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../../src/engine/index.js';
import { def, Player, policy, workflow } from './builders.js';

const needed = { required: true, default: null };
const flow = workflow([def('a', { prompt: '{{repo}} at {{branch}}' })], {
  inputs: { task: needed, repo: needed, branch: needed, mood: { required: false, default: 'good' } },
});

describe('a required input without a value', () => {
  it('is asked for as a question, one input after another, before the run is proposed', () => {
    const player = Player.create(flow);
    expect(player.open).toMatchObject([
      { kind: 'question', subject: { type: 'input', name: 'repo' }, text: 'test needs "repo". What is it?' },
    ]);
    player.answer('answer', ' shop ');
    expect(player.open).toMatchObject([{ subject: { type: 'input', name: 'branch' } }]);
    player.answer('answer', 'main');
    expect([player.asks, player.run.status]).toEqual([['proposal'], 'draft']);
    player.answer('start').worked();
    expect(renderPrompt(player.stateOf(''), player.node('a').id).text).toContain('shop at main');
    expect(player.run.context).toMatchObject({ mood: 'good', repo: 'shop' });
  });

  it('is all that is asked before an auto-mode run starts', () => {
    const player = Player.create({ ...flow, ...policy({ autoMode: true }) }).answer('answer', 'shop');
    expect([player.answer('answer', 'main').asks, player.run.status]).toEqual([[], 'running']);
  });

  it('shows its question again instead of starting the run', () => {
    const player = Player.create(flow).go();
    expect(player.replies).toMatchObject([{ type: 'shown', interactions: [{ subject: { type: 'input' } }] }]);
    expect(player.do({ type: 'start', behind: null }).run).toMatchObject({ status: 'draft', approved: false });
  });

  it('cancels the draft when a person declines to give it', () => {
    expect(Player.create(flow).answer('cancel').run.status).toBe('cancelled');
  });

  it('asks for text when the answer is blank', () => {
    const player = Player.create(flow).answer('answer', '  ');
    expect(player.replies).toMatchObject([{ type: 'needs_text', option: 'answer' }]);
    expect(player.asks).toEqual(['input']);
  });

  it("is not asked for when the workflow's context gives it", () => {
    const given = { ...flow, context: { repo: 'shop', branch: 'main' } };
    expect(Player.create(given, { propose: true }).asks).toEqual(['proposal']);
    expect(Player.create(given).asks).toEqual([]);
  });
});
