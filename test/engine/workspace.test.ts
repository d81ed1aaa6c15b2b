import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/engine/index.js';
import { def, handoff, item, loop, Player, pass, workflow } from './builders.js';

const flow = workflow([def('impl')]);
const clean = { ok: true, note: null, diffStat: null, commit: null, stash: null } as const;
const dirty = { ok: false, code: 'dirty', message: 'not clean', files: ['a.ts', 'b.ts'] } as const;
const blocked = { ok: false, code: 'blocked', message: 'somebody holds the lock', files: [] } as const;

function begun(): Player {
  return Player.create(flow).do({ type: 'start', behind: null });
}

describe('the checkout', () => {
  it('is prepared before anything is dispatched', () => {
    expect(begun().live).toBeNull();
    expect(begun().run.ops[0]).toEqual({ id: 'r12-op1', kind: 'prepare', stash: false });
  });

  it("with a person's changes is asked about", () => {
    const player = begun().worked(dirty);
    expect(player.open).toMatchObject([{ kind: 'choice', text: 'shop has uncommitted changes:\na.ts\nb.ts' }]);
    expect(player.open[0]?.options.map((option) => option.label)).toEqual([
      'Stash them until the end',
      'Work in a worktree beside them',
      'Cancel',
    ]);
    expect(player.go().live).toBeNull();
    expect(player.asks).toEqual(['dirty']);
    expect(player.answer('cancel').run.status).toBe('cancelled');
  });

  it('lists ten of many changed files', () => {
    const files = Array.from({ length: 12 }, (_, index) => `f${index}.ts`);
    const text = begun().worked({ ...dirty, files }).open[0]?.text ?? '';
    expect(text).toContain('f9.ts\n… and 2 more');
    expect(text).not.toContain('f10.ts');
  });

  it('stashes the changes and restores them at the end', () => {
    const player = begun().worked(dirty).answer('stash');
    expect(player.run.ops[0]).toEqual({ id: 'r12-op2', kind: 'prepare', stash: true });
    player.worked({ ...clean, stash: 'stash-1' });
    expect(player.run).toMatchObject({ stash: 'stash-1', prepared: true });
    player.walk(pass);
    expect(player.run).toMatchObject({ status: 'completed', ops: [{ kind: 'restore', stash: 'stash-1' }] });
    player.worked({ ...clean, note: 'Your changes are back.' });
    expect(player.run).toMatchObject({ status: 'completed', ops: [], stash: null });
    expect(player.notices).toEqual([{ type: 'told', text: 'Your changes are back.' }]);
  });

  it('restores the changes after an abort as well', () => {
    const player = begun()
      .worked(dirty)
      .answer('stash')
      .worked({ ...clean, stash: 'stash-1' });
    player.do({ type: 'abort' }).answer('abort');
    expect(player.run.ops[0]).toMatchObject({ kind: 'restore', stash: 'stash-1' });
  });

  it('restores changes that were being stashed when the run was aborted', () => {
    const player = begun().worked(dirty).answer('stash').do({ type: 'abort' }).answer('abort');
    expect(player.run).toMatchObject({ status: 'cancelled', ops: [{ kind: 'prepare' }] });
    player.worked({ ...clean, stash: 'stash-1' });
    expect(player.run).toMatchObject({ status: 'cancelled', ops: [{ kind: 'restore', stash: 'stash-1' }] });
    expect(player.worked().run).toMatchObject({ ops: [], stash: null });
  });

  it('delays the restore until the running operation has ended', () => {
    const player = begun()
      .worked(dirty)
      .answer('stash')
      .worked({ ...clean, stash: 'stash-1' })
      .settle();
    expect(player.run.ops[0]).toMatchObject({ kind: 'deliver' });
    player.do({ type: 'abort' }).answer('abort');
    expect(player.run.ops[0]).toMatchObject({ kind: 'deliver' });
    player.worked(blocked);
    expect(player.notices).toContainEqual({ type: 'told', text: 'somebody holds the lock' });
    expect(player.run.ops[0]).toMatchObject({ kind: 'restore' });
  });

  it('reports a failed restore and keeps the stash recorded', () => {
    const player = begun()
      .worked(dirty)
      .answer('stash')
      .worked({ ...clean, stash: 'stash-1' })
      .walk(pass);
    player.worked({ ...blocked, message: 'stash-1 conflicts' });
    expect(player.notices).toEqual([{ type: 'told', text: 'stash-1 conflicts' }]);
    expect(player.run).toMatchObject({ stash: 'stash-1', ops: [] });
  });

  it('that cannot be prepared can be retried, or the run aborted', () => {
    const player = begun().worked(blocked);
    expect(player.open).toMatchObject([{ kind: 'escalation', text: 'somebody holds the lock' }]);
    expect(player.open[0]?.options.map((option) => option.id)).toEqual(['retry', 'abort']);
    expect(player.go().live).toBeNull();
    expect(player.do({ type: 'rollback', node: 'n1' }).asks).toEqual(['workspace']);
    expect(player.answer('retry').worked().live).toBe('/impl');
    expect(begun().worked(blocked).answer('abort').run.status).toBe('cancelled');
  });
});

const none = { files: 0, insertions: 0, deletions: 0 };
const one = { files: 1, insertions: 1, deletions: 0 };
const claimed = handoff({ status: 'pass', filesChanged: ['a.ts'] });

describe('a delivery', () => {
  const stories = workflow([loop('stories', [def('impl')])]);

  it.each([
    [null, null, 'nothing to commit'],
    ['abcdef0123456', null, 'commit abcdef01'],
    ['abcdef0123456', { files: 2, insertions: 30, deletions: 4 }, 'commit abcdef01, 2 files +30 −4'],
    ['abcdef0123456', { files: 1, insertions: 3, deletions: 0 }, 'commit abcdef01, 1 file +3 −0'],
  ])('of %s is announced with the story', (commit, diffStat, note) => {
    const player = Player.start(stories, { items: [item('US-1')] })
      .settle()
      .worked({ ...clean, commit, diffStat });
    expect(player.notices).toContainEqual({ type: 'item_done', item: 'US-1', note });
  });

  it.each<[string, Partial<Envelope>, string | null, boolean]>([
    ['a commit', {}, 'abcdef0123456', false],
    ['no commit and a changed file', { diffStat: one, filesChanged: ['a.ts'] }, null, false],
    ['no commit and an unmeasured step', {}, null, false],
    ['no commit and no changed file', { diffStat: none }, null, true],
    ['no commit and files that are only claimed', { diffStat: none, handoff: claimed }, null, true],
  ])('with %s records whether the story changed anything', (_what, patch, commit, unchanged) => {
    const player = Player.start(stories, { items: [item('US-1')] }).settle({ ...pass, ...patch });
    expect(player.worked({ ...clean, commit }).state.items[0]).toMatchObject({ status: 'done', unchanged });
  });

  it("of a run without stories uses the task's first line as its message", () => {
    const player = Player.start(flow, { task: '  Fix it\nproperly' }).settle();
    expect(player.run.ops[0]).toMatchObject({ kind: 'deliver', chain: '', message: 'Fix it' });
  });

  it('that is blocked can be retried or skipped, or the run aborted', () => {
    const at = () =>
      Player.start(stories, { items: [item('US-1')] })
        .settle()
        .worked(blocked);
    expect(at().open[0]?.options.map((option) => option.id)).toEqual(['retry', 'go_on', 'abort']);
    expect(at().answer('retry').worked().run.status).toBe('completed');
    expect(at().answer('abort').run.status).toBe('cancelled');
    const left = at().answer('go_on');
    expect(left.notices).toContainEqual({ type: 'item_done', item: 'US-1', note: 'not committed' });
    expect(left.run.status).toBe('completed');
  });

  it('that is blocked by changes shows no stash options', () => {
    const player = Player.start(stories, { items: [item('US-1')] })
      .settle()
      .worked(dirty);
    expect(player.open).toMatchObject([{ subject: { type: 'workspace' }, text: 'not clean\na.ts\nb.ts' }]);
  });

  it('with large files asks first and includes them on Accept', () => {
    const large = { ...blocked, code: 'large', message: 'Large files', files: ['huge.bin (30 MB)'] } as const;
    const player = Player.start(stories, { items: [item('US-1')] })
      .settle()
      .worked(large);
    expect(player.open[0]).toMatchObject({ text: 'Large files\nhuge.bin (30 MB)' });
    expect(player.open[0]?.options.map((option) => option.id)).toEqual(['accept', 'retry', 'go_on', 'abort']);
    expect(player.answer('accept').run.ops).toMatchObject([{ kind: 'deliver', allowsLarge: true }]);
    expect(player.worked().run.status).toBe('completed');
  });

  it('is not retried by "continue" while its card is open', () => {
    const player = Player.start(stories, { items: [item('US-1')] })
      .settle()
      .worked(blocked)
      .go();
    expect(player.run.ops).toEqual([]);
    expect(player.asks).toEqual(['workspace']);
  });
});

describe('git settings changed by an agent', () => {
  const changed = { ...blocked, code: 'settings' } as const;
  const fault = { code: 'git_settings', message: '.git/config: core.fsmonitor', remedy: 'ask' } as const;
  const ids = (player: Player) => player.open.map(({ options }) => options.map((one) => one.id));

  it.each(['accept', 'restore'] as const)('hold the checkout until a person decides: %s', (option) => {
    const player = begun().worked(changed);
    expect(ids(player)).toEqual([['accept', 'restore', 'abort']]);
    expect(player.go().run.ops).toEqual([]);
    expect(player.answer(option).run.ops).toMatchObject([{ kind: 'prepare', settings: option }]);
    expect(player.worked().live).toBe('/impl');
  });

  it.each(['accept', 'restore'] as const)('hold the step until a person decides, then it is retried: %s', (option) => {
    const player = begun()
      .worked()
      .settle({ ...pass, fault });
    expect([player.live, player.open[0]?.text]).toEqual([null, expect.stringContaining('.git/config: core.fsmonitor')]);
    expect(ids(player)).toEqual([['accept', 'restore', 'abort']]);
    expect(player.answer(option).run.ops).toMatchObject([{ kind: 'settle_settings', settings: option }]);
    expect(player.worked(changed).run.ops).toEqual([]);
    expect(player.answer('accept').worked().live).toBe('/impl');
    expect(player.open).toEqual([]);
  });
});

it('goes on behind a step that a person skipped while its changed git settings could not be settled', () => {
  const fault = { code: 'git_settings', message: '.git/config', remedy: 'ask' } as const;
  const player = Player.start(workflow([def('a'), def('b')]))
    .settle({ ...pass, fault })
    .answer('accept');
  player.worked({ ...blocked, code: 'settings' }).do({ type: 'skip', node: player.node('a').id, reason: 'no' });
  expect([player.live, player.asks]).toEqual([null, ['workspace']]);
  expect(player.answer('accept').worked().live).toBe('/b');
});

describe('the result of a checkout operation', () => {
  const done = (op: string, chain = '') => ({ type: 'workspace_done', op, chain, result: clean }) as const;

  it('counts once, and only for a pending operation', () => {
    const player = begun();
    expect(player.do(done('r12-op9')).ignored).toBe('superseded');
    player.do(done('r12-op1'));
    expect(player.do(done('r12-op1')).ignored).toBe('superseded');
    expect(player.run.live).toHaveLength(1);
  });

  it('counts only in its own chain', () => {
    const player = Player.start(workflow([loop('stories', [def('impl')])]), { items: [item('US-1')] }).settle();
    const id = player.run.ops[0]?.id ?? '';
    expect(player.do(done(id)).ignored).toBe('another chain');
    expect(player.do(done(id, 'US-1')).run.status).toBe('completed');
  });

  it('is announced when it has a note', () => {
    const player = begun().worked({ ...clean, note: 'Checkpoint made.' });
    expect(player.notices[0]).toEqual({ type: 'told', text: 'Checkpoint made.' });
  });

  it('throws for an unknown operation', () => {
    const player = begun();
    const op = { id: 'r12-op1', kind: 'bogus' } as never;
    player.world = { ...player.world, state: { ...player.state, run: { ...player.run, ops: [op] } } };
    expect(() => player.worked()).toThrow('unreachable');
  });
});
