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

describe('a run at level auto', () => {
  it('proceeds until a person is needed', () => {
    const player = Player.start(flow).walk(pass, pass);
    expect(player.asks).toEqual(['review']);
  });
});

describe('a run at level semi', () => {
  it('needs a "continue" for each dispatch; the start counts as the first', () => {
    const player = Player.start(flow, semi).settle();
    expect(player.line()).toBe('bdd:passed impl:ready look:waiting ship:waiting');
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'level', credit: 0 });
    expect(player.notices).toContainEqual({ type: 'waits_for_go', item: '', step: 'impl' });
    expect(player.go().live).toBe('/impl');
    expect(player.settle().asks).toEqual(['review']);
  });

  it('announces once that a step waits for a go', () => {
    const player = Player.start(flow, semi).settle();
    player.do({ type: 'budget', addUsd: 5 });
    expect(player.notices.filter((one) => one.type === 'waits_for_go')).toEqual([]);
  });

  it('needs a "continue" for a retry as well', () => {
    const player = Player.start(flow, semi).settle(failing);
    expect(player.node('bdd')).toMatchObject({ state: 'ready', attempt: 2 });
    expect(player.go().live).toBe('/bdd');
  });

  it('lets a retry or an answer dispatch its own step, but not an approval the next step', () => {
    const player = Player.start(flow, semi).settle().go().settle().answer('approve');
    expect([player.live, player.node('ship').state]).toEqual([null, 'ready']);
    const stuck = Player.start(flow, semi).settle(failing).go().settle(failing);
    expect(stuck.answer('retry').live).toBe('/bdd');
    expect(Player.start(flow, semi).settle(build.question).answer('answer', 'blue').live).toBe('/bdd');
  });

  it('still waits for a go after a skip or a rollback', () => {
    const stuck = () =>
      Player.start(flow, semi).settle().go().settle(failing).go().settle(failing).go().settle(failing);
    expect(stuck().answer('skip').asks).toEqual(['review']);
    const back = stuck().answer('rollback').answer('to-n1').worked();
    expect([back.live, back.node('bdd').state, back.run.pauseReason]).toEqual([null, 'ready', 'level']);
  });

  it('keeps no credit from a "continue" sent while a step runs', () => {
    const player = Player.start(flow, semi).go().settle();
    expect(player.live).toBeNull();
  });

  it('keeps no credit from a "continue" that resumes a pause while a step runs', () => {
    const player = Player.start(flow, semi).do({ type: 'pause' }).go().settle();
    expect(player.live).toBeNull();
  });

  it('starts the first step of the next story on the go for that story', () => {
    const stories = workflow([loop('stories', [def('a'), def('b')])]);
    const player = Player.start(stories, { ...semi, items: [item('A'), item('B')], afterStory: 'propose' });
    player.settle().go().walk(pass).answer('go');
    expect(player.live).toBe('B/a');
    expect(player.settle().live).toBeNull();
  });

  it('starts the failed step of a story when that story is retried', () => {
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

describe('a run at level manual', () => {
  it('runs only the steps that a person names', () => {
    const player = Player.start(flow, manual);
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'level' });
    expect(player.go().replies).toEqual([{ type: 'name_a_step', steps: ['bdd', 'impl', 'ship'] }]);
    expect(name(player, 'impl').live).toBe('/impl');
    expect(player.replies).toEqual([{ type: 'going_on', step: 'impl' }]);
    expect(player.settle().line()).toBe('bdd:waiting impl:passed look:waiting ship:waiting');
  });

  it("ends a story whose last step was skipped once the checkout's rollback is done", () => {
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

  it.each(['n1', 'step-001', 'BDD', ' bdd '])('finds a step named as %s', (called) => {
    expect(name(Player.start(flow, manual), called).live).toBe('/bdd');
  });

  it('uses the instruction verbatim as the prompt and keeps other notes for later', () => {
    const player = Player.start(flow, manual);
    name(player, 'bdd').walk(failing);
    name(player, 'bdd').walk(failing).answer('retry', 'a remark').walk(build.killed);
    name(player, 'bdd', 'Write {{item.key}} as a poem');
    expect(renderPrompt(player.stateOf(''), 'n1')).toEqual({ text: 'Write {{item.key}} as a poem', missing: [] });
    expect(player.world.chains.get('')?.notes).toMatchObject([{ text: 'a remark' }]);
    name(player.walk(failing), 'bdd');
    expect(player.node('bdd').live?.notes).toMatchObject([{ text: 'a remark' }]);
  });

  it('runs a passed step again as a new generation when it is named again', () => {
    const player = name(Player.start(flow, manual), 'bdd').walk(pass);
    expect(name(player, 'bdd').node('bdd')).toMatchObject({
      state: 'queued',
      generation: 2,
      attempt: 1,
      dispatches: 2,
    });
  });

  it('asks its review when its turn comes', () => {
    const player = name(Player.start(flow, manual), 'bdd').walk(pass);
    expect(name(player, 'impl').walk(pass).asks).toEqual(['review']);
    expect(player.answer('approve').live).toBeNull();
    expect(name(player, 'ship').walk(pass).run.status).toBe('completed');
  });

  it.each([
    ['frobnicate', 'no step "frobnicate" here; there are bdd, impl, ship'],
    ['look', 'look has no agent to start'],
  ])('refuses to run %s', (called, why) => {
    expect(name(Player.start(flow, manual), called).refusal).toBe(why);
  });

  it("refuses an unknown step and lists the story's steps, or those of the run and its fragments", () => {
    const stories = workflow([def('plan'), loop('stories', [def('a'), def('b')])]);
    const player = name(Player.start(stories, { ...manual, items: [item('US-1')] }), 'plan').walk(pass);
    player.do({ type: 'continue', chain: 'US-1', node: 'plan', instruction: null, behind: null });
    expect(player.refusal).toBe('no step "plan" here; there are a, b');
    const mend = { fix: { id: 'fix', params: [], nodes: [], defs: [def('mend')] } };
    const added = Player.start(workflow([def('plan')], { fragments: mend }), manual);
    expect(name(added, 'frobnicate').refusal).toBe('no step "frobnicate" here; there are plan, mend');
  });

  it('starts when a step is named in a draft, and runs the step once its chain exists', () => {
    const stories = workflow([loop('stories', [def('a'), def('b')])]);
    const player = name(Player.create(stories, manual), 'b', 'mind the gap');
    expect(player.replies).toContainEqual({ type: 'started' });
    expect(player.worked().live).toBe('TASK-12/b');
    expect(player.node('b', 'TASK-12').live?.notes.map((note) => note.text)).toEqual(['mind the gap']);
    expect([player.run.named, player.node('a', 'TASK-12').state]).toEqual([null, 'waiting']);
  });

  it('runs nothing when the step named in the draft turns out not to exist', () => {
    const stories = workflow([def('plan'), loop('stories', [def('a')])]);
    for (const step of ['nowhere', 'stories']) {
      const player = name(Player.create(stories, manual), step).worked();
      expect([player.live, player.run.pauseReason]).toEqual([null, 'level']);
    }
  });

  it('refuses a named step while another runs; other levels refuse it always', () => {
    const player = name(Player.start(flow, manual), 'bdd');
    expect(name(player, 'impl').refusal).toBe('bdd is still running');
    expect(name(Player.create(flow), 'bdd').refusal).toContain('only at level manual');
    expect(name(Player.start(flow), 'bdd').refusal).toContain('only at level manual');
  });

  it('dispatches a step on retry and on an answer', () => {
    const player = name(Player.start(flow, manual), 'bdd').walk(failing);
    name(player, 'bdd').walk(failing);
    expect(player.do({ type: 'retry', node: 'n1', note: null }).live).toBe('/bdd');
    expect(player.walk(build.question).answer('answer', 'blue').live).toBe('/bdd');
  });

  it('queues a retry while another step runs', () => {
    const flow = workflow([def('a', { maxAttempts: 1 }), def('b')]);
    const player = name(name(Player.start(flow, manual), 'a').walk(failing), 'b');
    expect(player.answer('retry').refusal).toBe('b is still running; stop it first');
    player.do({ type: 'retry', node: 'n1', note: null });
    expect([player.live, player.node('a').state]).toEqual(['/b', 'ready']);
  });

  it("finds the steps of a story in the story's chain", () => {
    const stories = workflow([def('plan'), loop('stories', [def('a'), def('b')])], {});
    const player = name(Player.start(stories, { ...manual, items: [item('A'), item('B')] }), 'plan').walk(pass);
    expect(player.do({ type: 'continue', chain: 'A', node: null, instruction: null, behind: null }).replies).toEqual([
      { type: 'name_a_step', steps: ['a', 'b'] },
    ]);
    expect(name(player, 'x', null, 'A').refusal).toContain('there are a, b');
    expect(name(player, 'b', null, 'A').live).toBe('A/b');
  });

  it('revives a failed story when its step is named, unless another story is running', () => {
    const fails = [def('a', { maxAttempts: 1, onExhausted: 'fail' })];
    const stories = workflow([loop('stories', fails)], policy({ onItemFailed: 'continue' }));
    const player = Player.start(stories, { ...manual, items: [item('A'), item('B')] });
    name(player, 'a', null, 'A').walk(failing);
    expect(name(player, 'a', null, 'A').refusal).toBe('another story is running');
    name(player, 'a', null, 'B').walk(failing);
    expect(name(player, 'a', null, 'A').live).toBe('A/a');
    expect(player.stories()).toBe('A:running B:failed');
  });

  it('refuses a named step while the checkout waits for an answer', () => {
    const player = name(Player.start(workflow([def('a')]), manual), 'a').settle();
    player.worked({ ok: false, code: 'blocked', message: 'locked', files: [] });
    expect(name(player, 'a').refusal).toBe('the checkout waits for an answer first');
  });

  it('refuses an approval while another step uses the checkout', () => {
    const stories = workflow([def('a'), loop('stories', [def('b'), def('look', { kind: 'human' })])]);
    const player = name(Player.start(stories, { ...manual, items: [item('A')] }), 'a').walk(pass);
    name(player, 'b', null, 'A').walk(pass);
    name(player, 'a');
    expect(player.answer('approve').refusal).toBe('a is still running; stop it first');
  });

  it('resumes a chain that had to wait for another one', () => {
    const stories = workflow([def('a'), loop('stories', [def('b'), def('look')])]);
    const player = name(Player.start(stories, { ...manual, items: [item('A')] }), 'a').walk(pass);
    name(player, 'b', null, 'A').walk(pass);
    name(player, 'a');
    player.do({ type: 'skip', chain: 'A', node: 'n4', reason: 'fine' });
    expect(player.stories()).toBe('A:running');
    player.settle();
    expect(player.run.ops[0]).toMatchObject({ kind: 'deliver', chain: 'A' });
  });
});

describe('a manual report', () => {
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

  it('counts for the first step when none was named', () => {
    expect(report(Player.start(flow, manual)).line()).toBe('bdd:passed impl:waiting look:waiting ship:waiting');
  });

  it('settles a step that a limit held back and closes its card', () => {
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

describe('a spending or dispatch limit', () => {
  const paid = said({ STATUS: 'pass' }, { costUsd: 2 });

  it('stops the run at the limit of dispatches and asks once', () => {
    const limited = workflow([def('a'), def('b')], { limits: { ...workflow([]).limits, dispatches: 1 } });
    const player = Player.start(limited).settle();
    expect(player.open).toMatchObject([
      {
        kind: 'budget',
        subject: { type: 'fuse' },
        text: "1 step ran, which is this run's limit.\nNext: b",
      },
    ]);
    expect(player.open[0]?.options.map((option) => option.label)).toEqual(['Allow 100 more', 'Abort']);
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'budget' });
    expect(player.go().asks).toEqual(['fuse']);
    player.answer('more');
    expect([player.run.dispatchLimit, player.live]).toEqual([101, '/b']);
  });

  it('stops the run when its budget is spent and offers the same amount again', () => {
    const player = Player.start(flow, { budgetUsd: 1.5 }).settle(paid);
    expect(player.open).toMatchObject([{ text: 'Spent $2.00 of the $1.50 for this run.\nNext: impl' }]);
    expect(player.open[0]?.options[0]?.label).toBe('Allow $1.50 more');
    player.answer('more');
    expect([player.run.budgetUsd, player.live]).toEqual([3.5, '/impl']);
  });

  it('offers one dollar when the budget was zero', () => {
    const player = Player.start(flow, { budgetUsd: 0 });
    expect(player.open[0]?.options[0]?.label).toBe('Allow $1.00 more');
    expect(player.answer('more').live).toBe('/bdd');
  });

  it('lets a person abort the run from its card', () => {
    expect(Player.start(flow, { budgetUsd: 0 }).answer('abort').run.status).toBe('cancelled');
  });

  it('is lifted by a sufficient budget and asks again after an insufficient one', () => {
    const player = Player.start(flow, { budgetUsd: 1 }).settle(paid).do({ type: 'budget', addUsd: 0.5 });
    expect(player.replies).toEqual([{ type: 'budget', usd: 1.5 }]);
    expect(player.asks).toEqual(['fuse']);
    expect(player.do({ type: 'budget', addUsd: 5 }).live).toBe('/impl');
    expect(player.asks).toEqual([]);
    expect(player.do({ type: 'budget', addUsd: -100 }).run.budgetUsd).toBe(0);
  });

  it('counts a first budget on top of what is spent', () => {
    const player = Player.start(flow).settle(paid).do({ type: 'budget', addUsd: 5 });
    expect(player.run.budgetUsd).toBe(7);
  });

  it('cannot be set once the run is over', () => {
    const player = Player.start(workflow([def('a')]))
      .walk(pass)
      .do({ type: 'budget', addUsd: 5 });
    expect(player.replies).toEqual([{ type: 'nothing_to_do' }]);
    expect(player.run.budgetUsd).toBeNull();
  });

  it('costs no go at level semi', () => {
    const player = Player.start(flow, { level: 'semi', budgetUsd: 0 });
    expect([player.asks, player.run.credit]).toEqual([['fuse'], 1]);
    player.answer('more');
    expect([player.live, player.run.credit]).toEqual(['/bdd', 0]);
  });

  it('lets the named step run at level manual once it is lifted', () => {
    const player = name(Player.start(flow, { level: 'manual', budgetUsd: 0 }), 'impl', 'first');
    expect(player.asks).toEqual(['fuse']);
    name(player, 'impl', 'second');
    expect(player.answer('more').live).toBe('/impl');
    expect(player.node('impl').live?.notes.map((note) => note.text)).toEqual(['second']);
  });

  it('runs nothing at level manual once lifted, when its step was skipped meanwhile', () => {
    const jumps = workflow([def('a', { onPass: goto('c') }), def('b'), def('c')]);
    const player = name(Player.start(jumps, { level: 'manual', budgetUsd: 1 }), 'a');
    player.settle(said({ STATUS: 'failing' }, { costUsd: 2 }));
    name(player, 'b');
    expect(player.open).toMatchObject([{ subject: { type: 'fuse' }, node: 'n2' }]);
    player.do({ type: 'reported', envelope: pass });
    expect(player.line()).toBe('a:passed b:skipped c:waiting');
    player.answer('more');
    expect([player.live, player.asks]).toEqual([null, []]);
    expect([player.line(), player.run.pauseReason, player.run.budgetUsd]).toEqual([
      'a:passed b:skipped c:waiting',
      'level',
      3,
    ]);
    expect(name(player, 'c').live).toBe('/c');
  });
});

describe('manual reports collected at the same time', () => {
  const flow = workflow([def('a', { maxAttempts: 3 }), def('b')]);
  const at = (node: string, dispatches: number) => ({ node, dispatches });

  it('count for the one try that they name, and for no other step', () => {
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

describe('a check node', () => {
  it('takes no notes; they go to the next step that reads them', () => {
    const flow = workflow([def('look', { kind: 'human' }), def('check', { kind: 'check' }), def('fix')]);
    const player = Player.start(flow).answer('approve', 'mind the gap');
    expect(player.node('check').live?.notes).toEqual([]);
    player.settle(build.envelope({ checks: [build.check('tests', true)] }));
    expect(player.node('fix').live?.notes).toMatchObject([{ text: 'mind the gap' }]);
  });
});
