// What an aborted run's agents left in the project's checkout.
import { describe, expect, it } from 'vitest';
import { clean, def, type Options, Player, workflow } from './builders.js';

const flow = workflow([def('impl')]);
const branch = { name: 'bosun/r12-make-it', base: 'main', folder: null } as const;
const left = {
  ...{ from: 'tree-1', to: 'tree-2', stat: { files: 1, insertions: 2, deletions: 0 } },
  files: [{ path: 'a.ts', insertions: 2, deletions: 0 }],
};
const blocked = { ok: false, code: 'blocked', message: 'a merge is unfinished', files: [] } as const;
const kinds = (player: Player) => player.run.ops.map((op) => op.kind);

function aborted(options: Options = {}, prepared = clean as Parameters<Player['worked']>[0]): Player {
  const player = Player.create(flow, { rules: 5, task: 'Make it\nwell', ...options }).do({
    type: 'start',
    behind: null,
  });
  return player.worked(prepared).do({ type: 'abort' }).answer('abort');
}

const asked = () => aborted().worked({ ...clean, left });

describe('an abort', () => {
  it('looks for what the agents left, and says when it was nothing', () => {
    const player = aborted();
    expect([player.run.status, kinds(player)]).toEqual(['cancelled', ['find_left']]);
    player.worked({ ...clean, left: null });
    expect(player.notices).toContainEqual({ type: 'left_settled', note: 'Nothing of it is left in the folder.' });
    expect([kinds(player), player.asks]).toEqual([[], []]);
  });

  it('does not look where no agent worked, or where the run had a checkout of its own', () => {
    const early = Player.create(flow, { rules: 5 }).do({ type: 'start', behind: null }).do({ type: 'abort' });
    expect(kinds(early.answer('abort'))).toEqual(['prepare']);
    const beside = { ...branch, folder: '/worktrees/r12' };
    expect(kinds(aborted({ deliver: 'push' }, { ...clean, branch: beside }))).toEqual(['leave']);
  });

  it('asks what should happen to the changes, and shows exactly those', () => {
    const [card] = asked().open;
    expect(card).toMatchObject({ kind: 'choice', subject: { type: 'leftovers' } });
    expect(card?.work).toMatchObject({ from: 'tree-1', to: 'tree-2', whole: { stat: { files: 1 } } });
    expect(card?.options.map(({ id }) => id)).toEqual(['discard', 'commit', 'leave']);
  });

  it.each(['discard', 'commit'] as const)('takes the changes away: %s', (how) => {
    const player = asked().answer(how);
    expect(player.run.ops).toEqual([
      {
        ...{ id: 'r12-op3', kind: 'clear_left', how, from: 'tree-1', to: 'tree-2' },
        ...{ keepAs: 'left/r12-op3.diff', message: 'Make it (aborted)' },
      },
    ]);
    player.worked({ ...clean, note: 'Discarded 1 file.' });
    expect(player.notices).toContainEqual({ type: 'left_settled', note: 'Discarded 1 file.' });
    expect([player.run.left, kinds(player), player.asks]).toEqual([null, [], []]);
  });

  it('leaves them for the next task, and keeps on record that they are its own', () => {
    const player = asked().answer('leave');
    expect([player.run.left, kinds(player), player.asks]).toEqual([left, [], []]);
  });

  it('asks again, with the reason, when they cannot be taken away', () => {
    const player = asked().answer('discard').worked(blocked);
    expect(player.open).toMatchObject([
      {
        id: 'i12-3',
        text: 'The aborted task left 1 changed file in the folder.\na merge is unfinished',
        work: { to: 'tree-2' },
      },
    ]);
    expect(kinds(player.answer('discard'))).toEqual(['clear_left']);
  });

  it('refuses while another task works in the folder', () => {
    const player = asked();
    const given = { interaction: player.open[0]?.id ?? '', option: 'discard', text: null, behind: 'r13' };
    player.do({ type: 'answered', ...given });
    expect(player.refusal).toContain('another task is working in this folder');
    expect([kinds(player), player.asks]).toEqual([[], ['leftovers']]);
  });

  it('stays on the run’s branch until the answer, then leaves it', () => {
    const own = () => aborted({ deliver: 'push' }, { ...clean, branch }).worked({ ...clean, left });
    expect(kinds(own())).toEqual([]);
    expect(own().answer('leave').run.ops).toEqual([{ id: 'r12-op3', kind: 'leave', carries: true }]);
    const cleared = own().answer('commit').worked();
    expect(cleared.run.ops).toEqual([{ id: 'r12-op4', kind: 'leave' }]);
  });

  it('of an earlier version ends as it did', () => {
    const player = Player.start(flow).do({ type: 'abort' }).answer('abort');
    expect([kinds(player), player.asks]).toEqual([[], []]);
  });

  it('closes its question once the next run took the changes over', () => {
    const player = asked().do({ type: 'left_taken', into: 'r13' });
    expect([player.run.left, player.asks, kinds(player)]).toEqual([null, [], []]);
    player.do({ type: 'left_taken', into: 'r13' });
    expect(player.ignored).toBe('nothing is left over');
  });
});

describe('the next run', () => {
  const by = { run: 'r11', task: 'Order history\nmore', from: 'tree-1', to: 'tree-2', files: ['a.ts', 'b.ts'] };
  const dirty = { ok: false, code: 'dirty', message: 'not clean', files: ['a.ts', 'b.ts'], left: by } as const;
  const begun = () => Player.create(flow, { rules: 5 }).do({ type: 'start', behind: null });

  it('names the aborted task, and offers to discard its changes or to build on them', () => {
    const [card] = begun().worked(dirty).open;
    expect(card?.text).toBe('2 files are left over from “Order history”, which was aborted:\na.ts\nb.ts');
    expect(card?.options.map(({ id }) => id)).toEqual(['discard', 'build', 'worktree', 'cancel']);
  });

  it('names a person’s changes apart, and does not offer to build on those', () => {
    const [card] = begun().worked({ ...dirty, files: [...dirty.files, 'own.ts'] }).open;
    expect(card?.text).toContain('\nshop has uncommitted changes:\nown.ts');
    expect(card?.options.map(({ id }) => id)).toEqual(['discard', 'stash', 'worktree', 'cancel']);
  });

  it.each(['discard', 'build'] as const)('prepares the checkout with the answer: %s', (how) => {
    const player = begun().worked(dirty).answer(how);
    expect(player.run.ops).toEqual([
      { id: 'r12-op2', kind: 'prepare', stash: false, left: { by, how, keepAs: 'left/r12-op2.diff' } },
    ]);
    player.worked();
    expect(player.run.work).toEqual(how === 'build' ? { from: 'tree-1', to: 'tree-2' } : undefined);
    expect(player.live).toBe('/impl');
  });
});
