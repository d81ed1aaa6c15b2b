// How far a run goes by itself, and what holds it back: levels, reports by hand, and the fuses.
import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../../src/engine/index.js';
import * as build from './builders.js';
import { def, failing, goto, item, loop, Player, pass, policy, said, workflow } from './builders.js';

const flow = workflow([def('bdd', { maxAttempts: 2 }), def('impl'), def('look', { kind: 'human' }), def('ship')]);
const semi = { level: 'semi' } as const;
const manual = { level: 'manual' } as const;

function name(player: Player, node: string, instruction: string | null = null, chain = ''): Player {
  return player.do({ type: 'continue', chain, node, instruction, behind: null });
}

describe('at level auto', () => {
  it('a run walks on until a person is needed', () => {
    const player = Player.start(flow).walk(pass, pass);
    expect(player.asks).toEqual(['review']);
  });
});

describe('at level semi', () => {
  it('each dispatch needs a continue, the first one the start', () => {
    const player = Player.start(flow, semi).settle();
    expect(player.line()).toBe('bdd:passed impl:ready look:waiting ship:waiting');
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'level', credit: 0 });
    expect(player.notices).toContainEqual({ type: 'waits_for_go', item: '', step: 'impl' });
    expect(player.go().live).toBe('/impl');
    expect(player.settle().asks).toEqual(['review']);
  });

  it('says once that a step waits', () => {
    const player = Player.start(flow, semi).settle();
    player.do({ type: 'budget', addUsd: 5 });
    expect(player.notices.filter((one) => one.type === 'waits_for_go')).toEqual([]);
  });

  it('a try again needs a continue as well', () => {
    const player = Player.start(flow, semi).settle(failing);
    expect(player.node('bdd')).toMatchObject({ state: 'ready', attempt: 2 });
    expect(player.go().live).toBe('/bdd');
  });

  it('an approval is no go for the next step, a retry and an answer are one for their own', () => {
    const player = Player.start(flow, semi).settle().go().settle().answer('approve');
    expect([player.live, player.node('ship').state]).toEqual([null, 'ready']);
    const stuck = Player.start(flow, semi).settle(failing).go().settle(failing);
    expect(stuck.answer('retry').live).toBe('/bdd');
    expect(Player.start(flow, semi).settle(build.question).answer('answer', 'blue').live).toBe('/bdd');
  });

  it('a skip and a rollback are none', () => {
    const stuck = () =>
      Player.start(flow, semi).settle().go().settle(failing).go().settle(failing).go().settle(failing);
    expect(stuck().answer('skip').asks).toEqual(['review']);
    const back = stuck().answer('rollback').answer('to-n1').worked();
    expect([back.live, back.node('bdd').state, back.run.pauseReason]).toEqual([null, 'ready', 'level']);
  });

  it('one continue while something runs lets nothing more run after it', () => {
    const player = Player.start(flow, semi).go().settle();
    expect(player.live).toBeNull();
  });

  it('one continue that lifts a pause lets nothing more run after what runs', () => {
    const player = Player.start(flow, semi).do({ type: 'pause' }).go().settle();
    expect(player.live).toBeNull();
  });

  it('the go for the next story is one for its first step', () => {
    const stories = workflow([loop('stories', [def('a'), def('b')])]);
    const player = Player.start(stories, { ...semi, items: [item('A'), item('B')], afterStory: 'propose' });
    player.settle().go().walk(pass).answer('go');
    expect(player.live).toBe('B/a');
    expect(player.settle().live).toBeNull();
  });

  it('a retry of a failed story is one for its failed step', () => {
    const stories = workflow(
      [loop('stories', [def('a', { maxAttempts: 1, onExhausted: 'fail' })])],
      policy({ onItemFailed: 'continue' }),
    );
    const player = Player.start(stories, { ...semi, items: [item('A')] })
      .settle(failing)
      .answer('retry-A');
    expect(player.live).toBe('A/a');
  });
});

describe('at level manual', () => {
  it('a person names each step', () => {
    const player = Player.start(flow, manual);
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'level' });
    expect(player.go().replies).toEqual([{ type: 'name_a_step', steps: ['bdd', 'impl', 'ship'] }]);
    expect(name(player, 'impl').live).toBe('/impl');
    expect(player.replies).toEqual([{ type: 'going_on', step: 'impl' }]);
    expect(player.settle().line()).toBe('bdd:waiting impl:passed look:waiting ship:waiting');
  });

  it('a story whose last step was skipped meanwhile ends once the checkout is free of what is undone', () => {
    const both = workflow([loop('stories', [def('impl')]), def('ship', { rollback: true })]);
    const player = Player.start(both, { ...manual, items: [item('US-1')] });
    name(player, 'ship').do({
      type: 'skip',
      chain: 'US-1',
      node: player.node('impl', 'US-1').id,
      reason: 'not needed',
    });
    player.settle(failing);
    expect([player.run.ops.map(({ kind }) => kind), player.stories()]).toEqual([['rollback'], 'US-1:running']);
    expect(player.worked().stories()).toBe('US-1:done');
  });

  it.each(['n1', 'step-001', 'BDD', ' bdd '])('a step is found as %s', (called) => {
    expect(name(Player.start(flow, manual), called).live).toBe('/bdd');
  });

  it('the instruction is the prompt, as it was said, and what else was noted waits', () => {
    const player = Player.start(flow, manual);
    name(player, 'bdd').walk(failing);
    name(player, 'bdd').walk(failing).answer('retry', 'a remark').walk(build.killed);
    name(player, 'bdd', 'Write {{item.key}} as a poem');
    expect(renderPrompt(player.stateOf(''), 'n1')).toEqual({ text: 'Write {{item.key}} as a poem', missing: [] });
    expect(player.world.chains.get('')?.notes).toMatchObject([{ text: 'a remark' }]);
    name(player.walk(failing), 'bdd');
    expect(player.node('bdd').live?.notes).toMatchObject([{ text: 'a remark' }]);
  });

  it('a step may be named again after it passed, as a new generation', () => {
    const player = name(Player.start(flow, manual), 'bdd').walk(pass);
    expect(name(player, 'bdd').node('bdd')).toMatchObject({
      state: 'queued',
      generation: 2,
      attempt: 1,
      dispatches: 2,
    });
  });

  it('a review comes when its turn comes', () => {
    const player = name(Player.start(flow, manual), 'bdd').walk(pass);
    expect(name(player, 'impl').walk(pass).asks).toEqual(['review']);
    expect(player.answer('approve').live).toBeNull();
    expect(name(player, 'ship').walk(pass).run.status).toBe('completed');
  });

  it.each([
    ['frobnicate', 'no step "frobnicate" here; there are bdd, impl, ship'],
    ['look', 'look is not run by an executor'],
  ])('naming %s is refused', (called, why) => {
    expect(name(Player.start(flow, manual), called).refusal).toBe(why);
  });

  it('naming a step that is not there is refused with those of the story, or those that may be added to the run', () => {
    const stories = workflow([def('plan'), loop('stories', [def('a'), def('b')])]);
    const player = name(Player.start(stories, { ...manual, items: [item('US-1')] }), 'plan').walk(pass);
    player.do({ type: 'continue', chain: 'US-1', node: 'plan', instruction: null, behind: null });
    expect(player.refusal).toBe('no step "plan" here; there are a, b');
    const mend = { fix: { id: 'fix', params: [], nodes: [], defs: [def('mend')] } };
    const added = Player.start(workflow([def('plan')], { fragments: mend }), manual);
    expect(name(added, 'frobnicate').refusal).toBe('no step "frobnicate" here; there are plan, mend');
  });

  it('a step named before the start begins the run, and runs as soon as there is a chain to find it in', () => {
    const stories = workflow([loop('stories', [def('a'), def('b')])]);
    const player = name(Player.create(stories, manual), 'b', 'mind the gap');
    expect(player.replies).toContainEqual({ type: 'started' });
    expect(player.worked().live).toBe('TASK-12/b');
    expect(player.node('b', 'TASK-12').live?.notes.map((note) => note.text)).toEqual(['mind the gap']);
    expect([player.run.named, player.node('a', 'TASK-12').state]).toEqual([null, 'waiting']);
  });

  it('a name that nobody knows by the time runs nothing', () => {
    const stories = workflow([def('plan'), loop('stories', [def('a')])]);
    for (const step of ['nowhere', 'stories']) {
      const player = name(Player.create(stories, manual), step).worked();
      expect([player.live, player.run.pauseReason]).toEqual([null, 'level']);
    }
  });

  it('naming is refused while something runs, and at other levels', () => {
    const player = name(Player.start(flow, manual), 'bdd');
    expect(name(player, 'impl').refusal).toBe('bdd is still running');
    expect(name(Player.create(flow), 'bdd').refusal).toContain('only at level manual');
    expect(name(Player.start(flow), 'bdd').refusal).toContain('only at level manual');
  });

  it('a retry runs its step, an answer too', () => {
    const player = name(Player.start(flow, manual), 'bdd').walk(failing);
    name(player, 'bdd').walk(failing);
    expect(player.do({ type: 'retry', node: 'n1', note: null }).live).toBe('/bdd');
    expect(player.walk(build.question).answer('answer', 'blue').live).toBe('/bdd');
  });

  it('a retry waits while something else runs', () => {
    const flow = workflow([def('a', { maxAttempts: 1 }), def('b')]);
    const player = name(name(Player.start(flow, manual), 'a').walk(failing), 'b');
    expect(player.answer('retry').refusal).toBe('b is still running; stop it first');
    player.do({ type: 'retry', node: 'n1', note: null });
    expect([player.live, player.node('a').state]).toEqual(['/b', 'ready']);
  });

  it('names the steps of a story in its chain', () => {
    const stories = workflow([def('plan'), loop('stories', [def('a'), def('b')])], {});
    const player = name(Player.start(stories, { ...manual, items: [item('A'), item('B')] }), 'plan').walk(pass);
    expect(player.do({ type: 'continue', chain: 'A', node: null, instruction: null, behind: null }).replies).toEqual([
      { type: 'name_a_step', steps: ['a', 'b'] },
    ]);
    expect(name(player, 'x', null, 'A').refusal).toContain('there are a, b');
    expect(name(player, 'b', null, 'A').live).toBe('A/b');
  });

  it('brings a failed story back by naming its step, unless another one is running', () => {
    const fails = [def('a', { maxAttempts: 1, onExhausted: 'fail' })];
    const stories = workflow([loop('stories', fails)], policy({ onItemFailed: 'continue' }));
    const player = Player.start(stories, { ...manual, items: [item('A'), item('B')] });
    name(player, 'a', null, 'A').walk(failing);
    expect(name(player, 'a', null, 'A').refusal).toBe('another story is running');
    name(player, 'a', null, 'B').walk(failing);
    expect(name(player, 'a', null, 'A').live).toBe('A/a');
    expect(player.stories()).toBe('A:running B:failed');
  });

  it('waits for an answer about the checkout', () => {
    const player = name(Player.start(workflow([def('a')]), manual), 'a').settle();
    player.worked({ ok: false, code: 'blocked', message: 'locked', files: [] });
    expect(name(player, 'a').refusal).toBe('the checkout waits for an answer first');
  });

  it('wakes what had to wait for another chain', () => {
    const stories = workflow([def('a'), loop('stories', [def('b'), def('look', { kind: 'human' })])]);
    const player = name(Player.start(stories, { ...manual, items: [item('A')] }), 'a').walk(pass);
    name(player, 'b', null, 'A').walk(pass);
    name(player, 'a');
    expect(player.answer('approve').refusal).toBe('a is still running; stop it first');
    player.do({ type: 'skip', chain: 'A', node: 'n4', reason: 'fine' });
    expect(player.stories()).toBe('A:running');
    player.settle();
    expect(player.run.ops[0]).toMatchObject({ kind: 'deliver', chain: 'A' });
  });
});

describe('a report by hand', () => {
  const report = (player: Player, chain = '') =>
    player.do({ type: 'reported', chain, envelope: said({ STATUS: 'pass' }) });

  it('counts as an attempt of the step that was ready', () => {
    const player = report(Player.start(flow, semi).settle());
    expect(player.node('impl')).toMatchObject({
      state: 'passed',
      dispatches: 1,
      last: { worker: 'by hand', number: 1 },
    });
    expect(player.asks).toEqual(['review']);
    expect(player.run.counters.dispatches).toBe(2);
  });

  it('counts for a step that nobody named yet', () => {
    expect(report(Player.start(flow, manual)).line()).toBe('bdd:passed impl:waiting look:waiting ship:waiting');
  });

  it('settles a step that a fuse held back, with its card', () => {
    const player = Player.start(workflow([def('a'), def('b')]), { budgetUsd: 0 });
    expect(report(player).node('a').state).toBe('passed');
    expect(player.open).toMatchObject([{ subject: { type: 'fuse' }, node: 'n2' }]);
  });

  it.each([
    ['before the start', () => Player.create(flow), '', 'the run is draft'],
    [
      'while the checkout is prepared',
      () => Player.create(flow).do({ type: 'start', behind: null }),
      '',
      'the checkout is being worked on',
    ],
    ['while the step runs', () => Player.start(flow), '', 'bdd is queued'],
    ['at a person’s step', () => Player.start(flow).walk(pass, pass), '', 'no step is ready for a report'],
    [
      'in the chain of a loop',
      () => Player.start(workflow([loop('stories', [def('a')])]), manual),
      '',
      'no step is ready for a report',
    ],
    [
      'in a story that waits',
      () => Player.start(workflow([loop('stories', [def('a')])]), { items: [item('A'), item('B')] }),
      'B',
      'B is ready',
    ],
    ['after the end', () => Player.start(workflow([def('a')])).walk(pass), '', 'the run is completed'],
  ])('is ignored %s', (_name, player, chain, why) => {
    expect(report(player(), chain).ignored).toBe(why);
  });
});

describe('the fuses', () => {
  const paid = said({ STATUS: 'pass' }, { costUsd: 2 });

  it('stop at the limit of dispatches, and ask once', () => {
    const limited = workflow([def('a'), def('b')], { limits: { ...workflow([]).limits, dispatches: 1 } });
    const player = Player.start(limited).settle();
    expect(player.open).toMatchObject([
      {
        kind: 'budget',
        subject: { type: 'fuse' },
        text: "1 steps were dispatched, which is this run's limit.\nNext would be b.",
      },
    ]);
    expect(player.open[0]?.options.map((option) => option.label)).toEqual(['Allow 100 more', 'Abort']);
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'budget' });
    expect(player.go().asks).toEqual(['fuse']);
    player.answer('more');
    expect([player.run.dispatchLimit, player.live]).toEqual([101, '/b']);
  });

  it('stop when the money is spent, and allow as much again', () => {
    const player = Player.start(flow, { budgetUsd: 1.5 }).settle(paid);
    expect(player.open).toMatchObject([
      { text: 'The budget of this run, $1.50, is spent ($2.00).\nNext would be impl.' },
    ]);
    expect(player.open[0]?.options[0]?.label).toBe('Allow $1.50 more');
    player.answer('more');
    expect([player.run.budgetUsd, player.live]).toEqual([3.5, '/impl']);
  });

  it('allow a dollar where nothing was allowed', () => {
    const player = Player.start(flow, { budgetUsd: 0 });
    expect(player.open[0]?.options[0]?.label).toBe('Allow $1.00 more');
    expect(player.answer('more').live).toBe('/bdd');
  });

  it('may end the run', () => {
    expect(Player.start(flow, { budgetUsd: 0 }).answer('abort').run.status).toBe('cancelled');
  });

  it('are lifted by a budget that is enough, and ask again at one that is not', () => {
    const player = Player.start(flow, { budgetUsd: 1 }).settle(paid).do({ type: 'budget', addUsd: 0.5 });
    expect(player.replies).toEqual([{ type: 'budget', usd: 1.5 }]);
    expect(player.asks).toEqual(['fuse']);
    expect(player.do({ type: 'budget', addUsd: 5 }).live).toBe('/impl');
    expect(player.asks).toEqual([]);
    expect(player.do({ type: 'budget', addUsd: -100 }).run.budgetUsd).toBe(0);
  });

  it('a budget set on a run without one counts from what is spent', () => {
    const player = Player.start(flow).settle(paid).do({ type: 'budget', addUsd: 5 });
    expect(player.run.budgetUsd).toBe(7);
  });

  it('a budget comes too late for a run that is over', () => {
    const player = Player.start(workflow([def('a')]))
      .walk(pass)
      .do({ type: 'budget', addUsd: 5 });
    expect(player.replies).toEqual([{ type: 'nothing_to_do' }]);
    expect(player.run.budgetUsd).toBeNull();
  });

  it('cost no go at level semi', () => {
    const player = Player.start(flow, { level: 'semi', budgetUsd: 0 });
    expect([player.asks, player.run.credit]).toEqual([['fuse'], 1]);
    player.answer('more');
    expect([player.live, player.run.credit]).toEqual(['/bdd', 0]);
  });

  it('let the named step run at level manual', () => {
    const player = name(Player.start(flow, { level: 'manual', budgetUsd: 0 }), 'impl', 'first');
    expect(player.asks).toEqual(['fuse']);
    name(player, 'impl', 'second');
    expect(player.answer('more').live).toBe('/impl');
    expect(player.node('impl').live?.notes.map((note) => note.text)).toEqual(['second']);
  });

  it('whose step was passed by meanwhile let the next one run', () => {
    const jumps = workflow([def('a', { onPass: goto('c') }), def('b'), def('c')]);
    const player = name(Player.start(jumps, { level: 'manual', budgetUsd: 1 }), 'a');
    player.settle(said({ STATUS: 'failing' }, { costUsd: 2 }));
    name(player, 'b');
    expect(player.open).toMatchObject([{ subject: { type: 'fuse' }, node: 'n2' }]);
    player.do({ type: 'reported', envelope: pass });
    expect(player.line()).toBe('a:passed b:skipped c:waiting');
    player.answer('more');
    expect([player.line(), player.run.pauseReason, player.run.budgetUsd]).toEqual([
      'a:passed b:skipped c:waiting',
      'level',
      3,
    ]);
  });
});

describe('reports by hand that were gathered at the same time', () => {
  const flow = workflow([def('a', { maxAttempts: 3 }), def('b')]);
  const at = (node: string, dispatches: number) => ({ node, dispatches });

  it('count for one try of the step that they are about, and for no other step', () => {
    const player = Player.start(flow, { level: 'manual' });
    const reported = (envelope: typeof pass, about = at('n1', 0)) => player.do({ type: 'reported', envelope, about });
    reported(said({ STATUS: 'failing' }));
    expect(reported(pass).ignored).toBe('the step that it is about has gone on meanwhile');
    expect(player.line()).toBe('a:ready b:waiting');
    expect(reported(pass, at('n1', 1)).line()).toBe('a:passed b:waiting');
    expect(reported(pass, at('n1', 1)).ignored).toBe('the step that it is about has gone on meanwhile');
    expect(player.line()).toBe('a:passed b:waiting');
  });
});

describe('a check', () => {
  it('takes no notes with it; they go to the next one who reads', () => {
    const flow = workflow([def('look', { kind: 'human' }), def('check', { kind: 'check' }), def('fix')]);
    const player = Player.start(flow).answer('approve', 'mind the gap');
    expect(player.node('check').live?.notes).toEqual([]);
    player.settle(build.envelope({ checks: [build.check('tests', true)] }));
    expect(player.node('fix').live?.notes).toMatchObject([{ text: 'mind the gap' }]);
  });
});
