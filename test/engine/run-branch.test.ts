// A run on a branch of its own: how it begins, where its work goes, and that it is left in every case.
import { describe, expect, it } from 'vitest';
import { clean, def, item, loop, type Options, Player, pass, workflow } from './builders.js';

const flow = workflow([def('impl')]);
const stories = workflow([loop('stories', [def('impl')])]);
const dirty = { ok: false, code: 'dirty', message: 'not clean', files: ['a.ts'] } as const;
const blocked = { ok: false, code: 'blocked', message: 'origin rejected it', files: [] } as const;
const branch = { name: 'bosun/r12-make-it', base: 'main', folder: null } as const;
const beside = { ...branch, folder: '/worktrees/shop/r12/run' } as const;

function begun(options: Options = {}, own: { name: string; base: string; folder: string | null } = branch): Player {
  const player = Player.create(flow, { deliver: 'push', ...options }).do({ type: 'start', behind: null });
  return player.worked({ ...clean, branch: own });
}

const kinds = (player: Player) => player.run.ops.map((op) => op.kind);

/** All is done and committed; what is left is to bring it where it is wanted. */
const atPublish = (options: Options = {}) => begun(options).settle().worked();

describe('a run with a branch of its own', () => {
  it.each(['branch', 'push', 'pr'] as const)('prepares the branch before it starts: %s', (deliver) => {
    const player = Player.create(flow, { deliver }).do({ type: 'start', behind: null });
    expect(player.run.ops).toEqual([{ id: 'r12-op1', kind: 'prepare', stash: false, deliver }]);
    expect(player.worked({ ...clean, branch }).run).toMatchObject({ branch, prepared: true });
  });

  it("prepares the branch also when a person's changes are stashed", () => {
    const player = Player.create(flow, { deliver: 'pr' }).do({ type: 'start', behind: null });
    player.worked(dirty).answer('stash');
    expect(player.run.ops).toEqual([{ id: 'r12-op2', kind: 'prepare', stash: true, deliver: 'pr' }]);
  });

  it('publishes before it completes and leaves the branch afterwards', () => {
    const player = atPublish({ task: '  Make it\nwell ' });
    expect(player.run).toMatchObject({
      status: 'running',
      ops: [{ kind: 'publish', how: 'push', title: 'Make it', text: 'Make it\nwell' }],
    });
    player.worked({ ...clean, note: '1 commit, pushed to origin' });
    expect(player.notices).toContainEqual({ type: 'ended', note: '1 commit, pushed to origin' });
    expect(player.notices).not.toContainEqual(expect.objectContaining({ type: 'told' }));
    expect(player.run.status).toBe('completed');
    expect(kinds(player)).toEqual(['leave']);
    expect(player.worked().run).toMatchObject({ ops: [], branch });
  });

  it('lists only its finished stories in the published text', () => {
    const player = Player.create(stories, { deliver: 'pr', items: [item('US-1'), item('US-2')], afterStory: 'propose' })
      .do({ type: 'start', behind: null })
      .worked({ ...clean, branch })
      .walk(pass)
      .answer('finish');
    expect(player.run.ops[0]).toMatchObject({ kind: 'publish', text: 'Make it\n\nStories:\n- US-1: Title of US-1' });
  });

  it('asks when publishing is refused: retry, end without it, or abort', () => {
    const at = () => atPublish().worked(blocked);
    expect(at().open).toMatchObject([{ kind: 'escalation', text: 'origin rejected it' }]);
    expect(at().open[0]?.options.map(({ id, label }) => [id, label])).toEqual([
      ['retry', 'Retry'],
      ['go_on', 'End without it'],
      ['abort', 'Abort'],
    ]);
    expect(at().go().run.ops).toEqual([]);
    expect(kinds(at().answer('retry'))).toEqual(['publish']);
    const ended = at().answer('go_on');
    expect(ended.notices).toContainEqual({ type: 'ended', note: `the work is on the branch ${branch.name}` });
    expect([ended.run.status, kinds(ended)]).toEqual(['completed', ['leave']]);
    const aborted = at().answer('abort');
    expect([aborted.run.status, kinds(aborted)]).toEqual(['cancelled', ['leave']]);
  });

  it('leaves the branch after an abort, and after one during publishing once that ends', () => {
    const player = begun().do({ type: 'abort' }).answer('abort');
    expect([player.run.status, kinds(player)]).toEqual(['cancelled', ['leave']]);
    const late = atPublish().do({ type: 'abort' }).answer('abort');
    expect(kinds(late)).toEqual(['publish']);
    late.worked({ ...clean, note: 'pushed to origin' });
    expect(late.notices).toContainEqual({ type: 'told', text: 'pushed to origin' });
    expect(kinds(late)).toEqual(['leave']);
  });

  it('leaves a branch that was being made when the run was aborted', () => {
    const player = Player.create(flow, { deliver: 'branch' }).do({ type: 'start', behind: null });
    player.do({ type: 'abort' }).answer('abort');
    expect(kinds(player)).toEqual(['prepare']);
    player.worked({ ...clean, branch });
    expect(kinds(player)).toEqual(['leave']);
    expect(player.worked().run.ops).toEqual([]);
  });

  it('leaves nothing when no branch was made', () => {
    const player = Player.create(flow, { deliver: 'branch' }).do({ type: 'start', behind: null });
    player.do({ type: 'abort' }).answer('abort').worked();
    expect(player.run).toMatchObject({ ops: [], branch: null });
  });
});

describe("a person's stashed changes and a run branch", () => {
  const stashed = () =>
    Player.create(flow, { deliver: 'branch' })
      .do({ type: 'start', behind: null })
      .worked(dirty)
      .answer('stash')
      .worked({ ...clean, stash: '0123456789abcdef', branch })
      .settle()
      .worked()
      .worked();

  it('are restored right after the branch is left', () => {
    const player = stashed();
    expect(kinds(player)).toEqual(['leave']);
    expect(kinds(player.worked())).toEqual(['restore']);
    expect(player.worked().run).toMatchObject({ ops: [], stash: null });
  });

  it('stay recorded when they cannot be restored, and the thread is notified', () => {
    const player = stashed()
      .worked(blocked)
      .worked({ ...blocked, message: 'Your own changes stay in the stash' });
    expect(player.run).toMatchObject({ ops: [], stash: '0123456789abcdef' });
    expect(player.notices).toEqual([{ type: 'told', text: 'Your own changes stay in the stash' }]);
  });

  it('are restored also when they were being stashed as the run was aborted', () => {
    const player = Player.create(flow, { deliver: 'branch' }).do({ type: 'start', behind: null });
    player.worked(dirty).answer('stash').do({ type: 'abort' }).answer('abort');
    player.worked({ ...clean, stash: '0123456789abcdef', branch });
    expect(kinds(player)).toEqual(['leave']);
  });
});

describe("a run in a worktree beside a person's changes", () => {
  const chosen = () => Player.create(flow).do({ type: 'start', behind: null }).worked(dirty).answer('worktree');

  it('is prepared there, and its commits are published to the base', () => {
    const player = chosen();
    expect(player.run.ops).toEqual([{ id: 'r12-op2', kind: 'prepare', stash: false, worktree: true }]);
    player.worked({ ...clean, note: 'It works beside.', branch: beside });
    expect(player.notices).toContainEqual({ type: 'told', text: 'It works beside.' });
    expect(player.run).toMatchObject({ branch: beside, stash: null });
    player.settle().worked();
    expect(player.run.ops[0]).toMatchObject({ kind: 'publish', how: 'commit' });
  });

  it("forgets the worktree's folder once it is left", () => {
    const player = chosen()
      .worked({ ...clean, branch: beside })
      .settle()
      .worked()
      .worked();
    expect(kinds(player)).toEqual(['leave']);
    expect(player.run.branch?.folder).toBe(beside.folder);
    expect(player.worked().run.branch).toEqual({ ...branch, isLeft: true });
  });

  it('can be retried as a worktree when it could not be made', () => {
    const player = chosen().worked(blocked).answer('retry');
    expect(player.run.ops).toEqual([{ id: 'r12-op3', kind: 'prepare', stash: false, worktree: true }]);
  });
});

describe('a run whose branch was never stored', () => {
  /** As a database from before branches were kept might have it. */
  function without(player: Player): Player {
    player.world = { ...player.world, state: { ...player.state, run: { ...player.run, branch: null } } };
    return player;
  }

  it('ends without mentioning a branch', () => {
    const player = without(atPublish().worked(blocked)).answer('go_on');
    expect(player.notices).toContainEqual({ type: 'ended' });
    expect(player.run).toMatchObject({ status: 'completed', ops: [] });
  });

  it('leaves nothing', () => {
    expect(without(atPublish().worked()).worked().run).toMatchObject({ branch: null, ops: [] });
  });
});
