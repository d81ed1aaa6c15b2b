// Ways in which a run could come to a stand with nobody to move it on: each was once found by a random run.
import { describe, expect, it } from 'vitest';
import { clean, def, failing, goto, item, loop, Player, pass, policy, timeout, workflow } from './builders.js';
import { expression, insert } from './random-gates.js';

const limits = { ...workflow([]).limits, perItem: 0 };
const conflict = { ok: false, code: 'conflict', message: 'it does not apply', files: ['a.ts'] } as const;
const blocked = { ok: false, code: 'blocked', message: 'not now', files: [] } as const;
const lives = ({ run }: Player) => run.live.map((one) => `${one.chain}/${one.step}`);

describe('a limit that holds several stories', () => {
  const start = () =>
    Player.start(
      workflow([loop('stories', [def('a')], { parallel: 3, isolate: 'worktree' })], {
        limits: { ...limits, dispatches: 1 },
      }),
      { items: [item('A'), item('B'), item('C')] },
    )
      .worked()
      .worked()
      .worked();

  it('releases all of them when a person allows more', () => {
    const player = start();
    expect([lives(player), player.asks]).toEqual([['A/a'], ['fuse']]);
    expect(lives(player.answer('more'))).toEqual(['A/a', 'B/a', 'C/a']);
  });

  it('asks for the next story when the one it asked for is given up', () => {
    const player = start().do({ type: 'skip_item', chain: 'C', item: 'B', reason: 'no' });
    expect(player.open.map((one) => [one.subject.type, one.chain])).toEqual([['fuse', 'C']]);
  });
});

describe('a step that fails beside a running one', () => {
  const side = { needs: [], maxAttempts: 1 };
  const start = (keys: readonly string[] = ['A', 'B']) =>
    Player.start(
      workflow(
        [loop('stories', [def('x', { ...side, onExhausted: 'fail' }), def('y', side)])],
        policy({ onItemFailed: 'continue' }),
      ),
      { items: keys.map((key) => item(key)) },
    );

  it('lets the next story use the checkout once the running step ends', () => {
    const player = start().settle(failing);
    expect([player.stories(), lives(player)]).toEqual(['A:failed B:ready', ['A/y']]);
    expect(lives(player.settle())).toEqual(['B/x', 'B/y']);
  });

  it('gets a card when its story is revived through the other step', () => {
    const player = start(['A']).settle(failing).settle(failing);
    player.do({ type: 'retry', chain: 'A', node: player.node('y', 'A').id, note: null });
    expect(player.open.some((one) => one.chain === 'A' && one.node === player.node('x', 'A').id)).toBe(true);
  });

  it('does not keep an abort from cancelling the running step', () => {
    const player = start().settle(failing).do({ type: 'abort' }).answer('abort', null, 'abort');
    expect([player.run.status, player.node('y', 'A').state]).toEqual(['cancelled', 'cancelled']);
  });
});

describe('a story that failed', () => {
  it('lets the next one start once its files are rolled back', () => {
    const step = def('a', { maxAttempts: 1, onExhausted: 'fail', rollback: true });
    const player = Player.start(workflow([loop('stories', [step])], policy({ onItemFailed: 'continue' })), {
      items: [item('A'), item('B')],
    }).settle(failing);
    expect(player.run.ops.map((op) => op.kind)).toEqual(['rollback']);
    expect(lives(player.worked())).toEqual(['B/a']);
  });

  it('lets the next one start when a person keeps its files', () => {
    const step = def('a', { maxAttempts: 1, onExhausted: 'fail', rollback: true });
    const player = Player.start(workflow([loop('stories', [step])], policy({ onItemFailed: 'continue' })), {
      items: [item('A'), item('B')],
    }).settle(failing);
    expect(lives(player.worked(blocked).answer('go_on', null, 'workspace'))).toEqual(['B/a']);
  });

  it('is not asked about when it was given up while its files were being rolled back', () => {
    const step = def('a', { maxAttempts: 1, onExhausted: 'fail', rollback: true });
    const stories = loop('stories', [step], { isolate: 'worktree' });
    const player = Player.start(workflow([stories], policy({ onItemFailed: 'continue' })), {
      items: [item('A'), item('B')],
    });
    player.worked().settle(failing);
    const undo = player.run.ops.find(({ kind }) => kind === 'rollback')?.id ?? '';
    const open = player.run.ops.find(({ kind }) => kind === 'open')?.id ?? '';
    player.do({ type: 'workspace_done', chain: 'B', op: open, result: clean }).settle(failing);
    player.answer('skip-A', null, 'items_failed');
    player.do({ type: 'workspace_done', chain: 'A', op: undo, result: blocked });
    while (player.run.ops.length > 0) player.worked();
    player.answer('go_on', null, 'workspace');
    expect([player.stories(), player.asks]).toEqual(['A:cancelled B:failed', ['items_failed']]);
  });

  it('has a card when no step could be inserted to resolve its conflict', () => {
    const mend = def('mend', { insertBy: 'system' });
    const stories = loop('stories', [def('a')], {
      isolate: 'worktree',
      stepTypes: [mend],
      onItemDone: { squash: '{{item.key}}', conflict: { insert: 'mend', before: 'a' } },
    });
    const player = Player.start(workflow([stories], { limits: { ...limits, insertions: 0 } }), { items: [item('A')] });
    player.worked().settle().worked(conflict).worked().worked();
    expect([player.run.status, player.asks]).toEqual(['failed', ['stuck']]);
    expect(player.open[0]?.text).toContain("the run's 0 insertions are used up");
    expect(player.answer('retry').run.ops.map((op) => op.kind)).toEqual(['open']);
  });
});

describe('a loop', () => {
  it('with no phase to run can be skipped', () => {
    const player = Player.start(workflow([loop('phases', [def('a')], { over: 'phases' }), def('z')], { survey: '.w' }));
    const survey = { hasFolder: true, hasSources: true, hasRoadmap: true, state: null, problem: null, results: {} };
    player.worked({ ...clean, survey }).answer('skip');
    expect(player.live).toBe('/z');
  });

  it('after another loop gets a story key of its own', () => {
    const player = Player.start(workflow([loop('one', [def('a')]), loop('two', [def('b')])])).walk(pass);
    expect([player.stories(), player.live]).toEqual(['TASK-12:done TASK-12-2:running', 'TASK-12-2/b']);
  });
});

describe('a human step', () => {
  const fragments = {
    more: { id: 'more', params: [], nodes: [{ template: 'a', args: null, retry: 'fresh', when: null }], defs: [] },
  } as const;

  it('asks again on Retry after its route hit the limit of nodes', () => {
    const look = def('look', { kind: 'human', onFail: { default: insert('more', []) } });
    const flow = workflow([def('a'), look], { fragments, limits: { ...limits, nodesPerItem: 2 } });
    const player = Player.start(flow).walk(pass).answer('changes', 'more');
    expect([player.run.status, player.asks]).toEqual(['failed', ['stuck']]);
    expect(player.answer('retry').asks).toEqual(['review']);
  });

  it('asks again on Retry after its route led to a step that does not exist', () => {
    const player = Player.start(workflow([def('a'), def('look', { kind: 'human', onPass: goto('gone') })])).walk(pass);
    expect(player.answer('approve').open[0]?.text).toContain('leads to gone, which is not there any more');
    expect(player.answer('retry').asks).toEqual(['review']);
  });
});

describe('a gate', () => {
  it('that was skipped while its files could not be read lets the chain continue', () => {
    const gate = {
      evidence: [{ file: 'a.json', as: '', isOptional: false }],
      failWhen: expression('passed == false'),
      maxRetries: null,
      onFail: insert('more', []),
      onEscalate: null,
      say: null,
    };
    const player = Player.start(workflow([def('judge', { kind: 'decision', gate }), def('z')])).worked(blocked);
    player.do({ type: 'skip', node: 'n1', reason: 'no' });
    expect([player.node('judge').state, player.live]).toEqual(['skipped', '/z']);
  });
});

describe('a run whose position is not known yet', () => {
  const positions = [{ name: 'new', begin: 'a', when: expression('milestones == 9') }];
  const survey = { hasFolder: true, hasSources: true, hasRoadmap: true, state: null, problem: null, results: {} };
  const start = (level: 'auto' | 'manual') =>
    Player.start(workflow([def('a')], { survey: '.w', positions }), { level }).worked({ ...clean, survey });

  it.each([
    ['a report', 'its position is not known yet', () => start('auto').do({ type: 'reported', envelope: pass }).ignored],
    [
      'a step that is named',
      'the checkout waits for an answer first',
      () => start('manual').do({ type: 'continue', node: 'a', instruction: null, behind: null }).refusal,
    ],
    ['"continue"', null, () => start('auto').go().live],
  ])('does not start on %s', (_what, why, act) => {
    expect(act()).toBe(why);
  });
});

describe('a manual report', () => {
  it('is ignored while another step of the chain is running', () => {
    const player = Player.start(workflow([def('a'), def('b')]), { level: 'manual' });
    player.do({ type: 'continue', node: 'b', instruction: null, behind: null });
    expect(player.do({ type: 'reported', envelope: timeout }).ignored).toBe('b is still running; stop it first');
  });
});

describe('stories whose worktrees cannot be opened', () => {
  const flow = workflow([loop('stories', [def('a')], { parallel: 2, isolate: 'worktree' })]);
  const start = () =>
    Player.start(flow, { items: [item('A'), item('B')] })
      .worked(blocked)
      .worked(blocked);

  it('wait for their own answers', () => {
    const player = start().go();
    expect([player.asks, lives(player)]).toEqual([['workspace', 'workspace'], []]);
    expect(lives(player.answer('retry').worked())).toEqual(['A/a']);
  });

  it('ignore a manual report', () => {
    const player = start().do({ type: 'reported', chain: 'B', envelope: pass });
    expect(player.ignored).toBe('the checkout waits for an answer first');
  });
});

describe('stories of a second loop whose keys repeat those of the first', () => {
  it('get unique keys, and their dependencies follow', () => {
    const list = ['A', 'B'].map((id) => ({ id, title: id, description: id, acceptanceCriteria: ['x'] }));
    const stories = JSON.stringify(list.map((one) => (one.id === 'B' ? { ...one, dependsOn: ['A'] } : one)));
    const flow = workflow([loop('one', [def('a')]), def('plan'), loop('two', [def('b')])]);
    const player = Player.start(flow, { items: [item('A')] }).walk(pass);
    player.settle({ ...pass, output: { ...pass.output, stories } });
    expect([player.stories(), player.state.items[2]?.dependsOn]).toEqual(['A:done A-2:running B:ready', ['A-2']]);
  });
});

describe('a pause around a rollback', () => {
  const undoing = () =>
    Player.start(workflow([def('a'), def('b', { maxAttempts: 1 })]))
      .settle()
      .settle(failing);

  it('holds the run when it comes after the rollback command', () => {
    const player = undoing().do({ type: 'rollback', node: 'n1' }).do({ type: 'pause' }).worked();
    expect([player.run.held, player.live]).toEqual([true, null]);
    expect(player.go().live).toBe('/a');
  });

  it('ends when it comes before the rollback command', () => {
    const player = undoing().do({ type: 'pause' }).do({ type: 'rollback', node: 'n1' }).worked();
    expect([player.run.held, player.live]).toEqual([false, '/a']);
  });
});

describe('a rolled-back try at level semi', () => {
  it('announces that its step waits for a go, also when the files were kept', () => {
    const flow = workflow([def('a', { rollback: true })]);
    const start = () => Player.start(flow, { level: 'semi' }).settle(failing);
    const waits = { type: 'waits_for_go', item: '', step: 'a' };
    expect(start().worked().notices).toContainEqual(waits);
    expect(start().worked(blocked).answer('go_on').notices).toContainEqual(waits);
    expect(start().go().worked()).toMatchObject({ live: '/a', notices: [{ type: 'progress' }] });
  });
});
