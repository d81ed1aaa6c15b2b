// Which changes a card is about is fixed when it is asked, whatever the checkout holds later.
import { describe, expect, it } from 'vitest';
import type { Change, Envelope } from '../../src/engine/index.js';
import { clean, def, goto, item, loop, Player, pass, workflow } from './builders.js';

const tree = (letter: string) => letter.repeat(40);

function change(from: string, to: string, files: number): Change {
  return { from: tree(from), to: tree(to), stat: { files, insertions: files, deletions: 0 }, files: [] };
}

function did(whole: Change, since?: Change): Envelope {
  return { ...pass, work: { whole, ...(since && { since }) } };
}

const flow = workflow([def('impl'), def('review', { kind: 'human', onFail: { default: goto('impl') } }), def('docs')]);

function reviewOf(player: Player) {
  const review = player.open.find(({ subject }) => subject.type === 'review');
  if (review === undefined) throw new Error('no review is open');
  return review;
}

describe('the changes that a review is about', () => {
  it('are those from the begin of the chain to the newest attempt, with their counts', () => {
    const player = Player.start(flow).walk(did(change('a', 'b', 2)));
    expect(reviewOf(player).work).toEqual({ from: tree('a'), to: tree('b'), whole: change('a', 'b', 2) });
  });

  it('name on the next round who asked for what, and what changed since', () => {
    const player = Player.start(flow).walk(did(change('a', 'b', 2)));
    const at = player.answer('changes', 'rename total to sum').now;
    player.walk(did(change('a', 'c', 2), change('b', 'c', 1)));
    expect(reviewOf(player).work).toMatchObject({
      to: tree('c'),
      sentBack: { by: 'ada', at, text: 'rename total to sum', to: tree('b') },
      since: { from: tree('b'), to: tree('c'), measured: change('b', 'c', 1) },
    });
  });

  it('forget the request once a person approves', () => {
    const player = Player.start(flow).walk(did(change('a', 'b', 2)));
    player.answer('changes', 'rename it').walk(did(change('a', 'c', 2), change('b', 'c', 1)));
    player.answer('approve');
    expect(player.stateOf('').chain.sentBack).toBeNull();
    expect(player.run.approvedBy).toEqual(['ada']);
  });

  it('are left out if no attempt was measured', () => {
    expect(reviewOf(Player.start(flow).walk(pass))).not.toHaveProperty('work');
  });

  it('are not kept for a run of an earlier version, which would know only its later part', () => {
    const player = Player.start(flow, { isOld: true }).walk(did(change('a', 'b', 2)));
    expect(reviewOf(player)).not.toHaveProperty('work');
    expect(player.run).not.toHaveProperty('work');
  });
});

describe('the changes of what is over', () => {
  const committed = (commit: string) => ({
    ...clean,
    commit: tree(commit),
    delivered: { from: `${tree(commit)}~1`, to: tree(commit), branch: 'main' },
  });
  const stories = workflow([loop('stories', [def('impl')])]);

  it('are fixed by commits: a story’s by its own, the run’s from its begin to its last', () => {
    const player = Player.start(stories, { items: [item('US-1'), item('US-2')], afterStory: 'start' });
    player.settle(did(change('a', 'b', 1))).worked(committed('1'));
    player.settle(did(change('c', 'd', 1))).worked(committed('2'));
    expect(player.run.status).toBe('completed');
    expect(player.state.items.map(({ commit, work }) => ({ commit, work }))).toEqual([
      { commit: tree('1'), work: { from: tree('a'), to: tree('1') } },
      { commit: tree('2'), work: { from: tree('c'), to: tree('2') } },
    ]);
    expect(player.run.work).toEqual({ from: tree('a'), to: tree('2'), branch: 'main' });
  });

  it('are exactly the published commits of a run with its own branch', () => {
    const player = Player.create(workflow([def('impl')]), { deliver: 'branch' });
    player.do({ type: 'start', behind: null });
    player.worked({ ...clean, branch: { name: 'bosun/r12', base: 'main', folder: null } });
    player.settle(did(change('a', 'b', 1))).worked(committed('1'));
    player.worked({ ...clean, delivered: { from: tree('8'), to: tree('9'), branch: 'bosun/r12' } });
    expect(player.run.work).toEqual({ from: tree('8'), to: tree('9'), branch: 'bosun/r12' });
  });

  it('sum up how long the attempts took, without the time that people took', () => {
    const player = Player.start(workflow([def('impl'), def('docs')]));
    player.walk({ ...pass, durationMs: 1_500 }, { ...pass, durationMs: 500 });
    expect(player.run.workedMs).toBe(2_000);
  });
});
