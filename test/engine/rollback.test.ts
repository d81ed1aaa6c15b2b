import { describe, expect, it } from 'vitest';
import * as build from './builders.js';
import { clean, def, failing, goto, item, loop, Player, pass, policy, workflow } from './builders.js';

const one = { maxAttempts: 1 } as const;
const flow = workflow([def('bdd', one), def('sdd', one), def('impl', one), def('verify', one)]);
const blocked = { ok: false, code: 'blocked', message: 'b.ts was changed by somebody else', files: ['b.ts'] } as const;

function stuckAtImpl(): Player {
  return Player.start(flow).walk(pass, pass, failing);
}

function back(player: Player, node: string, chain = ''): Player {
  return player.do({ type: 'rollback', node, chain });
}

describe('a rollback', () => {
  it.each([
    ['n1', 'bdd', 'h1-r12-_-step-001-g1-d1', 'bdd:queued sdd:waiting impl:waiting verify:waiting'],
    ['n2', 'sdd', 'h1-r12-_-step-002-g1-d1', 'bdd:passed sdd:queued impl:waiting verify:waiting'],
  ])('to %s restores the checkout first, then the chain', (node, step, attempt, line) => {
    const player = back(stuckAtImpl(), node);
    expect(player.replies).toEqual([{ type: 'rolling_back', step }]);
    expect(player.run.ops[0]).toEqual({
      id: 'r12-op2',
      kind: 'rollback',
      chain: '',
      node,
      attempt,
      after: 'go_back',
      keepAs: 'rollbacks/r12-op2.diff',
    });
    expect(player.node('impl').state).toBe('needs_human');
    expect(player.worked().line()).toBe(line);
  });

  it.each([
    ['the present step', 'n3', 'it is at impl already; say retry'],
    ['a later step', 'n4', 'verify has not been reached'],
    ['no step', 'n9', 'no step n9 here'],
  ])('by name to %s is refused', (_name, node, why) => {
    const player = back(stuckAtImpl(), node);
    expect(player.refusal).toBe(why);
    expect(player.asks).toEqual(['stuck']);
  });

  it('is refused while a step runs, while the checkout is busy, and once the run is over', () => {
    const running = Player.start(flow).walk(pass);
    expect(back(running, 'n1').refusal).toBe('sdd is still running; stop it first');
    expect(back(back(stuckAtImpl(), 'n1'), 'n2').refusal).toContain('being worked on');
    expect(back(Player.start(workflow([def('a')])).walk(pass), 'n1').refusal).toBe('the run is over');
  });

  it('can be chosen on the card, the current step included, and cancelled', () => {
    const player = stuckAtImpl().answer('rollback');
    expect(player.open).toMatchObject([{ kind: 'choice', subject: { type: 'rollback_target' } }]);
    expect(player.open[0]?.options.map((option) => option.label)).toEqual(['bdd', 'sdd', 'impl', 'Keep it']);
    player.answer('keep');
    expect(player.asks).toEqual(['stuck']);
    player.answer('rollback').answer('to-n3').worked();
    expect(player.line()).toBe('bdd:passed sdd:passed impl:queued verify:waiting');
  });

  it('undoes what each generation did since its own first attempt', () => {
    const again = workflow([
      def('bdd'),
      def('impl'),
      def('verify', { ...one, onFail: { default: goto('impl') }, maxLoops: 1 }),
    ]);
    const player = Player.start(again).walk(pass, pass, failing, pass, failing);
    expect(back(player, 'n2').run.ops[0]).toMatchObject({ attempt: 'h1-r12-_-step-002-g2-d2' });
  });

  it('to a review undoes no files when nothing ran after it', () => {
    const reviewed = workflow([def('bdd'), def('look', { kind: 'human' }), def('wait', { kind: 'human' }), def('z')]);
    const player = back(Player.start(reviewed).walk(pass).answer('approve'), 'n2');
    expect(player.run.ops).toEqual([]);
    expect(player.line()).toBe('bdd:passed look:needs_human wait:waiting z:waiting');
    expect(player.asks).toEqual(['review']);
  });

  it("resets every budget and keeps a person's notes", () => {
    const verify = def('verify', { ...one, onFail: { default: goto('impl', { budget: 'rejections' }) } });
    const looped = workflow([loop('stories', [def('impl', one), def('look', { kind: 'human' }), verify])]);
    const player = Player.start(looped, { items: [item('US-1')] });
    player.walk(pass).answer('approve').walk(failing, pass).do({ type: 'pause' }).answer('approve', 'mind the gap');
    expect(player.state.items[0]?.rejections).toBe(1);
    back(player, 'n2', 'US-1').worked();
    expect(player.state.items[0]?.rejections).toBe(0);
    expect(player.node('impl', 'US-1').live?.notes).toMatchObject([{ text: 'mind the gap' }]);
    expect(player.run.held).toBe(false);
  });

  it('revives a failed run', () => {
    const player = Player.start(workflow([def('a', one), def('b', { ...one, onExhausted: 'fail' })])).walk(
      pass,
      failing,
    );
    back(player, 'n1');
    expect(player.run).toMatchObject({ status: 'failed', ops: [{ kind: 'rollback' }] });
    expect(player.worked().run.status).toBe('running');
    expect(player.live).toBe('/a');
  });

  it('revives a failed story with its loop and its run', () => {
    const body = [def('a', one), def('b', { ...one, onExhausted: 'fail' })];
    const player = Player.start(workflow([loop('stories', body)]), { items: [item('US-1')] }).walk(pass, failing);
    expect(player.run.status).toBe('failed');
    back(player, 'n2', 'US-1').worked();
    expect([player.run.status, player.stories(), player.line(), player.live]).toEqual([
      'running',
      'US-1:running',
      'stories:running',
      'US-1/a',
    ]);
    expect(player.walk(pass, pass).run.status).toBe('completed');
  });

  it('is refused in a story that is done', () => {
    const player = Player.start(workflow([loop('stories', [def('a')]), def('pr', one)]), { items: [item('US-1')] });
    player.walk(pass, failing);
    expect(back(player, 'n3', 'US-1').refusal).toBe('US-1 is done');
    expect(player.asks).toEqual(['stuck']);
  });

  it('across a loop whose stories have started is refused, and not offered', () => {
    const player = Player.start(workflow([def('plan'), loop('stories', [def('a')]), def('pr', one)]), {
      items: [item('US-1')],
    });
    player.walk(pass, pass, failing);
    expect(back(player, 'n1').refusal).toBe('US-1 has begun; roll back inside it');
    expect(back(player, 'n2').refusal).toBe('stories has not been reached');
    player.answer('rollback');
    expect(player.open[0]?.options.map((option) => option.label)).toEqual(['pr', 'Keep it']);
  });
});

it('a rollback to before a loop is accepted when none of its stories has started', () => {
  const flow = workflow([def('plan'), def('look', { kind: 'human' }), loop('stories', [def('a')])]);
  const player = Player.start(flow, { items: [item('US-1'), item('US-2')] }).walk(pass);
  expect([player.line(), player.stories()]).toEqual([
    'plan:passed look:needs_human stories:waiting',
    'US-1:ready US-2:ready',
  ]);
  expect(back(player, 'n1').refusal).toBeNull();
  expect(player.worked().line()).toBe('plan:queued look:waiting stories:waiting');
});

describe('a rollback that is blocked', () => {
  it('asks a person and can be retried', () => {
    const player = back(stuckAtImpl(), 'n1').worked(blocked);
    expect(player.open).toMatchObject([
      { kind: 'escalation', subject: { type: 'workspace' }, text: 'b.ts was changed by somebody else\nb.ts' },
    ]);
    expect(player.open[0]?.options.map((option) => option.id)).toEqual(['retry', 'go_on', 'abort']);
    player.answer('retry');
    expect(player.run.ops[0]).toMatchObject({ id: 'r12-op3', kind: 'rollback', node: 'n1' });
    expect(player.worked().live).toBe('/bdd');
  });

  it('can be declined, and its earlier card is asked again', () => {
    const player = back(stuckAtImpl(), 'n1').worked(blocked).answer('go_on');
    expect(player.open).toMatchObject([{ subject: { type: 'stuck' }, text: "shop's impl waits for you." }]);
    expect(player.answer('retry').live).toBe('/impl');
  });

  it('can be declined at a review', () => {
    const reviewed = workflow([def('bdd'), def('look', { kind: 'human' })]);
    const player = back(Player.start(reviewed).walk(pass), 'n1').worked(blocked).answer('go_on');
    expect(player.asks).toEqual(['review']);
  });

  it('can be declined at a question', () => {
    const player = back(Player.start(flow).walk(pass).settle(build.question), 'n1').worked(blocked).answer('go_on');
    expect(player.open).toMatchObject([{ subject: { type: 'question' }, text: 'Which colour?' }]);
  });

  it('can be declined when no question was open', () => {
    const player = back(Player.start(flow).do({ type: 'pause' }).walk(pass), 'n1').worked(blocked);
    expect(player.go().replies).toMatchObject([{ type: 'shown' }]);
    expect(player.live).toBeNull();
    expect(player.answer('go_on').live).toBe('/sdd');
  });

  it('can be declined in a failed run, which stays failed', () => {
    const failed = workflow([def('a', one), def('b', { ...one, onExhausted: 'fail' })]);
    const player = back(Player.start(failed).walk(pass, build.said({ STATUS: 'failing' })), 'n1').worked(blocked);
    player.answer('go_on');
    expect(player.run.status).toBe('failed');
    expect(player.asks).toEqual(['stuck']);
  });

  it('lets a person abort the run', () => {
    expect(back(stuckAtImpl(), 'n1').worked(blocked).answer('abort').run.status).toBe('cancelled');
  });
});

describe('a rollback in one of several stories', () => {
  const body = [def('a', one), def('b', { ...one, onExhausted: 'fail' })];
  const stories = workflow([loop('stories', body)], policy({ onItemFailed: 'continue', afterStory: 'start' }));

  it('lets the running story continue and queues its own', () => {
    const player = Player.start(stories, { items: [item('US-1'), item('US-2'), item('US-3')] }).walk(pass, failing);
    player.do({ type: 'pause' }).walk(pass);
    back(player, 'n2', 'US-1').worked();
    expect(player.stories()).toBe('US-1:ready US-2:running US-3:ready');
    expect(player.live).toBe('US-2/b');
    player.walk(pass);
    expect(player.live).toBe('US-1/a');
  });

  it('refuses retry, skip and giving up while it uses the checkout', () => {
    const player = Player.start(stories, { items: [item('US-1'), item('US-2')], afterStory: 'propose' });
    player.walk(pass, pass).answer('go').walk(pass, failing);
    back(player, 'n4', 'US-2');
    const refusals = [
      player.do({ type: 'retry', chain: 'US-2', node: 'n5', note: null }).refusal,
      player.do({ type: 'skip', chain: 'US-2', node: 'n5', reason: 'x' }).refusal,
      player.do({ type: 'skip_item', item: 'US-2', reason: 'x' }).refusal,
      player.answer('retry-US-2').refusal,
    ];
    for (const why of refusals) expect(why).toBe('the checkout is being worked on; try again in a moment');
    expect(player.asks).toEqual(['items_failed']);
    expect(player.answer('abort').run.status).toBe('cancelled');
  });
});

describe('a rollback at the end of a chain', () => {
  it('resolves a blocked delivery', () => {
    const player = Player.start(workflow([def('a'), def('b')]))
      .walk(pass)
      .settle()
      .worked(blocked);
    back(player, 'n1').worked();
    expect(player.line()).toBe('a:queued b:waiting');
    expect(player.asks).toEqual([]);
  });
});

describe('a rollback at level manual', () => {
  it('asks again at every stuck step when it is declined', () => {
    const player = Player.start(workflow([def('a'), def('b', one), def('c', one)]), { level: 'manual' });
    const name = (node: string) => player.do({ type: 'continue', node, instruction: null, behind: null });
    name('a').walk(pass);
    name('b').walk(failing);
    name('c').settle(build.envelope({ result: build.report('failing', null, 'No luck') }));
    back(player, 'n1').worked(blocked).answer('go_on');
    expect(player.open.map((open) => open.text)).toEqual([
      "shop's b waits for you.",
      "shop's c waits for you.\nNo luck",
    ]);
    player.answer('rollback').answer('keep', null, 'rollback_target');
    expect(player.open.map((open) => open.node)).toEqual(['n3', 'n2']);
  });

  it('to a step that has been reset since is refused, and the card comes back', () => {
    const player = Player.start(workflow([def('a'), def('b', one)]), { level: 'manual' });
    const name = (node: string) => player.do({ type: 'continue', node, instruction: null, behind: null });
    name('a').walk(pass);
    name('b').walk(failing).answer('rollback');
    name('a').walk(failing).answer('to-n2');
    expect(player.refusal).toBe('b has not been reached');
    expect(player.asks).toEqual(['stuck']);
  });
});

describe('a rollback to a node that does not exist', () => {
  it('throws', () => {
    const player = back(stuckAtImpl(), 'n1');
    const op = {
      id: 'r12-op2',
      kind: 'rollback',
      chain: '',
      node: 'n99',
      attempt: 'x',
      after: 'go_back',
      keepAs: 'x',
    } as const;
    player.world = { ...player.world, state: { ...player.state, run: { ...player.run, ops: [op] } } };
    expect(() => player.worked(clean)).toThrow('no node n99 to roll back to');
  });
});
