// Neighbours side by side: which may be, and what becomes of the chain when they come back.
import { describe, expect, it } from 'vitest';
import type { Envelope, NodeDef } from '../../src/engine/index.js';
import { crash, def, failing, goto, item, loop, Player, pass, policy, question, workflow } from './builders.js';
import { insert, lives, settleIn, step, when, workOn } from './chains.js';

const free = { needs: [] };
const one = { maxAttempts: 1, onExhausted: 'pause' } as const;

function begun(...defs: readonly NodeDef[]): readonly string[] {
  return lives(Player.start(workflow([def('a', free), ...defs]))).map((live) => live.slice(1));
}

describe('parallel steps', () => {
  it.each<[string, readonly NodeDef[], readonly string[]]>([
    ['where each rests on nothing', [def('b', free), def('c', free)], ['a', 'b', 'c']],
    ['where what they rest on is done', [def('b', { needs: ['nowhere'] })], ['a', 'b']],
    ['up to one that says nothing', [def('b'), def('c', free)], ['a']],
    ['up to one that rests on one of them', [def('b', { needs: ['a'] }), def('c', free)], ['a']],
    ['up to a barrier', [def('b', free), def('c', { ...free, barrier: true })], ['a', 'b']],
    ['up to a person', [def('b', { ...free, kind: 'human' })], ['a']],
    ['up to one that may go back', [def('b', { ...free, onFail: { default: goto('a') } })], ['a']],
    ['up to one that may add work', [def('b', { ...free, onPass: insert('x') })], ['a']],
    ['up to one that may end the run', [def('b', { ...free, onStatus: { done: { type: 'finish' } } })], ['a']],
    ['up to one that decides', [def('b', { ...free, decisionKey: 'D' })], ['a']],
    ['up to one that may edit the chain', [step('b', free)], ['a']],
    ['up to one whose tries are taken back', [def('b', { ...free, rollback: true })], ['a']],
    ['up to a team', [def('b', { ...free, team: { mode: { S: 'team', M: 'team', L: 'team' }, roles: {} } })], ['a']],
    [
      'where they write different files',
      [def('b', { ...free, writes: ['b/*.ts'] }), def('c', { ...free, writes: ['c/*.ts'] })],
      ['a', 'b', 'c'],
    ],
    [
      'up to one that writes where another does',
      [def('b', { ...free, writes: ['{{task}}/*'] }), def('c', { ...free, writes: ['Make it/*'] })],
      ['a', 'b'],
    ],
    [
      'up to one whose condition does not hold',
      [def('b', { ...free, when: when('task_x == 1') }), def('c', free)],
      ['a'],
    ],
    ['with one whose condition holds', [def('b', { ...free, when: when('task_x == null') })], ['a', 'b']],
  ])('start together %s', (_, defs, live) => {
    expect(begun(...defs)).toEqual(live);
  });

  it('start one after another in a stored workflow that still has a group key', () => {
    const stored: NodeDef = JSON.parse(JSON.stringify({ ...def('b'), group: 'quality' }));
    expect(begun(stored)).toEqual(['a']);
  });

  it('do not start together with a leading barrier or at level manual', () => {
    expect(lives(Player.start(workflow([def('a', { barrier: true }), def('b', free)])))).toEqual(['/a']);
    const manual = Player.start(workflow([def('a', free), def('b', free)]), { level: 'manual' });
    expect(lives(manual.do({ type: 'continue', node: 'a', instruction: null, behind: null }))).toEqual(['/a']);
  });

  it('start one at a time in a worktree, where each try is rolled back', () => {
    const flow = workflow([loop('stories', [def('a', free), def('b', free)], { isolate: 'worktree' })]);
    const player = Player.start(flow, { items: [item('A')] });
    expect(lives(workOn(player, 'open', 'A'))).toEqual(['A/a']);
  });

  it('need only a single go at level semi', () => {
    const player = Player.start(workflow([def('a', free), def('b', free), def('c')]), { level: 'semi' });
    expect([lives(player), player.run.credit]).toEqual([['/a', '/b'], 0]);
  });

  it('start up to the dispatch limit', () => {
    const flow = workflow([def('a', free), def('b', free), def('c', free)]);
    const player = Player.start({ ...flow, limits: { ...flow.limits, dispatches: 2 } });
    expect([lives(player), player.line(), player.asks]).toEqual([['/a', '/b'], 'a:queued b:queued c:ready', ['fuse']]);
    expect([lives(player.answer('more')), player.refusal]).toEqual([['/a', '/b'], null]);
    expect(lives(player.settle().settle())).toEqual(['/c']);
  });
});

describe('a wave of parallel steps', () => {
  const flow = workflow([def('a', { ...free, ...one }), def('b', { ...free, ...one }), def('c')]);

  it('ends when all its steps have settled, in any order', () => {
    const player = Player.start(flow);
    settleIn(player, '/b');
    expect([player.line(), lives(player)]).toEqual(['a:queued b:passed c:waiting', ['/a']]);
    expect(lives(settleIn(player, '/a'))).toEqual(['/c']);
  });

  it('keeps the other results when one step fails, and starts nothing after it', () => {
    const player = Player.start(flow);
    settleIn(player, '/a', failing);
    expect([player.run.status, player.asks]).toEqual(['running', ['stuck']]);
    settleIn(player, '/b', pass);
    expect([player.line(), player.run.status, player.run.pauseReason]).toEqual([
      'a:failed b:passed c:waiting',
      'paused',
      'failure',
    ]);
    expect(lives(player.answer('retry'))).toEqual(['/a']);
    expect(lives(player.settle())).toEqual(['/c']);
  });

  it.each<[string, Envelope, string, string]>([
    ['a retry', failing, 'retry', 'a:ready b:running c:waiting'],
    ['a skip', failing, 'skip', 'a:skipped b:running c:waiting'],
    ['an answer', question, 'answer', 'a:ready b:running c:waiting'],
  ])('accepts %s of one step while another runs, and applies it when that one ends', (_, ended, option, line) => {
    const player = Player.start(flow);
    player.do({ type: 'attempt_started', attempt: String(player.run.live[1]?.attempt), worker: 'w2' });
    settleIn(player, '/a', ended).answer(option, 'euro');
    expect([player.refusal, player.asks, player.line()]).toEqual([null, [], line]);
    player.settle();
    expect(player.live).toBe(option === 'skip' ? '/c' : '/a');
  });

  it('keeps the answer for one step when a neighbour is retried first', () => {
    const player = Player.start(workflow([def('a', free), def('b', free), def('c')]));
    settleIn(player, '/b', question).answer('answer', 'euro');
    settleIn(player, '/a', crash);
    const notes = player.run.live.map(({ step, node }) => {
      const live = player.nodes().find((one) => one.id === node)?.live;
      return [step, live?.notes.map(({ text }) => text)];
    });
    expect(notes).toEqual([
      ['a', []],
      ['b', ['euro']],
    ]);
  });

  it('passes the answer for a skipped step on to the next step', () => {
    const player = Player.start(workflow([def('a', free), def('b', free), def('c')]));
    settleIn(player, '/b', question).answer('answer', 'euro');
    player.do({ type: 'skip', node: player.node('b').id, reason: 'no' });
    settleIn(player, '/a');
    expect(player.node('c').live?.notes.map(({ text }) => text)).toEqual(['euro']);
  });

  it('refuses a rollback while another step runs', () => {
    const player = Player.start(flow);
    settleIn(player, '/a', failing).answer('rollback');
    expect([player.refusal, player.asks]).toEqual(['b is still running; stop it first', ['stuck']]);
  });

  it.each(['accept', 'restore'])('refuses to %s changed git settings while another step runs', (option) => {
    const fault = { code: 'git_settings', message: '.git/config', remedy: 'ask' } as const;
    const player = settleIn(Player.start(flow), '/a', { ...pass, fault }).answer(option);
    expect([player.refusal, player.asks, player.run.ops]).toEqual(['b is still running; stop it first', ['stuck'], []]);
    expect(settleIn(player, '/b').answer(option).run.ops).toMatchObject([{ kind: 'settle_settings' }]);
  });

  it('retries crashed steps beside those still to run', () => {
    const player = Player.start(workflow([def('a', free), def('b', free)]));
    settleIn(player, '/a', crash);
    expect([player.line(), lives(player)]).toEqual(['a:ready b:queued', ['/b']]);
    settleIn(player, '/b', crash);
    expect(lives(player)).toEqual(['/a', '/b']);
    expect(lives(settleIn(settleIn(player, '/b'), '/a', failing))).toEqual(['/a']);
  });

  it('reaches past steps that are passed or skipped already', () => {
    const player = Player.start(workflow([def('a', { barrier: true }), def('b', free), def('x'), def('c', free)]));
    player.do({ type: 'skip', node: player.node('x').id, reason: 'no' });
    expect(lives(player.settle())).toEqual(['/b', '/c']);
  });

  it('closes all stuck cards of its failed story when one is retried beside a running story', () => {
    const body = [def('a', one), def('b', { ...free, ...one, onExhausted: 'fail' })];
    const flow = workflow([loop('stories', body)], policy({ onItemFailed: 'continue' }));
    const player = Player.start(flow, { items: [item('US-1'), item('US-2')], afterStory: 'start' });
    // One step waits for a person, then its neighbour fails the story; the next story waits for a person too.
    for (const step of ['US-1/a', 'US-1/b', 'US-2/a']) settleIn(player, step, failing);
    settleIn(player, 'US-2/b');
    const [first] = player.open;
    const answerFirst = (option: string) => {
      const { id, chain } = player.open.find((one) => one.chain === first?.chain) ?? { id: '', chain: '' };
      return player.do({ type: 'answered', chain, interaction: id, option, text: null, behind: null });
    };
    // To keep the files asks about each step of the story that stands still.
    answerFirst('rollback');
    answerFirst('keep');
    const asked = () => player.open.map((one) => `${one.chain}:${one.subject.type}`);
    expect([player.stories(), asked()]).toEqual([
      'US-1:failed US-2:running',
      ['US-2:stuck', 'US-1:stuck', 'US-1:stuck'],
    ]);
    answerFirst('retry');
    expect([player.stories(), asked()]).toEqual(['US-1:ready US-2:running', ['US-2:stuck']]);
    // Once its turn comes, the story asks again about the step that still stands.
    player.answer('retry').walk(pass);
    expect(lives(player)).toEqual(['US-1/a']);
    settleIn(player, 'US-1/a');
    expect([player.asks, player.answer('retry').refusal]).toEqual([['stuck'], null]);
    expect(lives(player)).toEqual(['US-1/b']);
  });

  it('asks nothing about a story that waits for its turn, because no answer about it is accepted', () => {
    const body = [def('a', { ...one, onExhausted: 'ask' }), def('b', { ...free, ...one, onExhausted: 'fail' })];
    const flow = workflow([loop('stories', body)], policy({ onItemFailed: 'continue' }));
    const player = Player.start(flow, { items: [item('US-1'), item('US-2')], afterStory: 'start' });
    const fault = { code: 'git_settings', message: '.git/config', remedy: 'ask' } as const;
    settleIn(settleIn(player, 'US-1/a', { ...pass, fault }), 'US-1/b', failing);
    settleIn(settleIn(player, 'US-2/a', failing), 'US-2/b');
    // US-1 goes on with the changed settings, but has no room beside US-2, which waits for a person.
    const card = player.open.find(({ chain }) => chain === 'US-1')?.id ?? '';
    player.do({ type: 'answered', chain: 'US-1', interaction: card, option: 'accept', text: null, behind: null });
    workOn(player, 'settle_settings', 'US-1');
    const cards = () => player.open.map(({ chain, node }) => `${chain} ${node}`);
    expect([player.stories(), cards()]).toEqual(['US-1:ready US-2:running', [`US-2 ${player.node('a', 'US-2').id}`]]);
    player.answer('retry').walk(pass);
    expect(lives(player)).toEqual(['US-1/a']);
    settleIn(player, 'US-1/a');
    expect([cards(), player.answer('retry').refusal]).toEqual([[`US-1 ${player.node('b', 'US-1').id}`], null]);
  });
});
