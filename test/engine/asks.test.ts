// What an agent asks while it is at work, what it leaves open when it ends, and which session is gone on with.
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/engine/decide.js';
import { type Envelope, knowsBases, renderResumePrompt } from '../../src/engine/index.js';
import * as build from './builders.js';
import {
  def,
  envelope,
  failing,
  interrupted,
  killed,
  Player,
  pass,
  permissionAsk,
  said,
  workflow,
} from './builders.js';

const flow = workflow([def('impl', { abandons: 1 }), def('look')]);

function resumes(player: Player): string | null {
  return player.nodes().find((node) => node.live)?.live?.resumes ?? null;
}

describe('a running agent that asks a question', () => {
  it('shows the question with its options while the run continues', () => {
    const player = Player.start(flow).agentAsks();
    expect(player.open).toMatchObject([{ kind: 'question', text: 'Which colour?', node: 'n1' }]);
    expect(player.open[0]?.options.map(({ label }) => label)).toEqual(['red', 'blue', 'Another answer', 'Abort']);
    expect([player.run.status, player.live]).toEqual(['running', '/impl']);
  });

  it('receives the answer as a button, as text, or as both', () => {
    const told = (option: string, text: string | null) => Player.start(flow).agentAsks().answer(option, text).told;
    expect(told('pick-2', null)).toEqual([{ kind: 'answered', text: 'blue', by: 'ada' }]);
    expect(told('pick-2', 'but light')).toEqual([{ kind: 'answered', text: 'blue\nbut light', by: 'ada' }]);
    expect(told('answer', ' green ')).toEqual([{ kind: 'answered', text: 'green', by: 'ada' }]);
  });

  it('asks for text when it offers no options', () => {
    const player = Player.start(flow).agentAsks({ ...build.questionAsk, options: [] });
    expect(player.open[0]?.options.map(({ label }) => label)).toEqual(['Answer', 'Abort']);
    expect(player.answer('answer').replies).toMatchObject([{ type: 'needs_text' }]);
  });

  it('opens one question per key, however often it repeats the ask', () => {
    const player = Player.start(flow).agentAsks().agentAsks();
    expect([player.ignored, player.open.length]).toEqual(['asked already', 1]);
    expect(player.agentAsks(build.questionAsk, 'k2').open).toHaveLength(2);
  });

  it('is ignored before the attempt started and after it ended', () => {
    const player = Player.start(flow);
    const [live] = player.run.live;
    const ask = { type: 'agent_asked', attempt: live?.attempt ?? '', key: 'k', ask: build.questionAsk } as const;
    expect(player.do(ask).ignored).toBe('superseded');
    expect(player.settle().do(ask).ignored).toBe('superseded');
  });

  it('lets a person abort the run from the question', () => {
    const player = Player.start(flow).agentAsks().answer('abort');
    expect([player.run.status, player.open]).toEqual(['cancelled', []]);
  });

  it('is cancelled when the question expires, and resumes its session once a person answers', () => {
    const player = Player.start(flow).agentAsks();
    const [card] = player.open;
    player.do({ type: 'ask_expired', attempt: player.run.live[0]?.attempt ?? '', key: 'k1' });
    expect(player.told).toEqual([{ kind: 'expired' }]);
    expect(player.effects).toContainEqual({ type: 'cancel', attempt: player.run.live[0]?.attempt });
    expect(player.answer('pick-1').refusal).toContain('answer again');
    player.settle({ ...killed, session: 'claude:s1' });
    expect(player.node('impl')).toMatchObject({ state: 'needs_human', last: { outcome: 'needs_human' } });
    expect(player.open).toMatchObject([{ id: card?.id, subject: { type: 'question' }, kind: 'question' }]);
    player.answer('pick-1');
    expect(resumes(player)).toBe('claude:s1');
    expect(renderResumePrompt(player.state, 'n1')).toContain('You asked: Which colour?\nThe answer: red');
  });

  it('expires a question once, and ignores the expiry of one that was never asked', () => {
    const player = Player.start(flow).agentAsks();
    const attempt = player.run.live[0]?.attempt ?? '';
    expect(player.do({ type: 'ask_expired', attempt, key: 'other' }).ignored).toBe('not open');
    player.do({ type: 'ask_expired', attempt, key: 'k1' });
    expect(player.do({ type: 'ask_expired', attempt, key: 'k1' }).ignored).toBe('expired already');
  });

  it.each([
    ['passes', pass, 'needs_human', 1],
    ['fails', failing, 'needs_human', 1],
    ['is stopped by a person', killed, 'cancelled', 0],
    ['dies with Bosun', interrupted, 'crashed', 0],
  ])('keeps the question open when it %s only if the answer is still wanted', (_, end, outcome, questions) => {
    const player = Player.start(flow).agentAsks().settle(end);
    expect(player.node('impl').last?.outcome).toBe(outcome);
    expect(player.open.filter(({ subject }) => subject.type === 'question')).toHaveLength(questions);
    expect(player.open.filter(({ subject }) => subject.type === 'agent_question')).toEqual([]);
    expect(player.told).toEqual([{ kind: 'expired' }]);
  });

  it('leaves one open question when it ends with several', () => {
    const player = Player.start(flow).agentAsks().agentAsks(build.questionAsk, 'k2').agentAsks(permissionAsk, 'k3');
    expect(player.settle().asks).toEqual(['question']);
  });

  it('lets a person abort the run while its expired attempt is being stopped', () => {
    const player = Player.start(flow).agentAsks();
    player.do({ type: 'ask_expired', attempt: player.run.live[0]?.attempt ?? '', key: 'k1' });
    expect(player.answer('abort').run.status).toBe('cancelled');
  });
});

describe('a running agent that asks for permission', () => {
  const asked = () => Player.start(flow).agentAsks(permissionAsk);

  it('can be allowed once, allowed for the run, or denied', () => {
    expect(asked().open[0]?.options.map(({ label }) => label)).toEqual(['Allow once', 'Allow for this run', 'Deny']);
    expect(asked().answer('once').told).toEqual([{ kind: 'allowed', by: 'ada' }]);
    expect(asked().answer('deny', 'too early').told).toEqual([{ kind: 'denied', by: 'ada', why: 'too early' }]);
    expect(asked().answer('deny').told).toEqual([{ kind: 'denied', by: 'ada', why: null }]);
  });

  it('is not asked about again once allowed for the run', () => {
    const player = asked().answer('run').agentAsks(permissionAsk, 'k2');
    expect([player.open, player.told]).toEqual([[], [{ kind: 'allowed', by: 'an earlier answer' }]]);
    expect(asked().answer('once').agentAsks(permissionAsk, 'k2').open).toHaveLength(1);
  });

  it('is refused when the question times out, and its card expires', () => {
    const player = asked();
    player.do({ type: 'ask_expired', attempt: player.run.live[0]?.attempt ?? '', key: 'k1' });
    expect([player.told, player.open, player.live]).toEqual([[{ kind: 'expired' }], [], '/impl']);
    expect(player.notices).toMatchObject([{ type: 'decided', interaction: { state: 'expired' } }]);
  });

  it('throws when no agent is running', () => {
    const player = asked();
    const chain = player.stateOf('').chain;
    const nodes = chain.nodes.map((node) => ({ ...node, live: null }));
    const [card] = player.open;
    const state = { ...player.state, chain: { ...chain, nodes } };
    const answered = { run: 'r12', chain: '', at: 9, by: 'ada', type: 'answered', text: null, behind: null } as const;
    expect(() => decide(state, { ...answered, interaction: card?.id ?? '', option: 'deny' })).toThrow('no agent');
  });

  it('passes without the permission that a person denied', () => {
    expect(
      asked()
        .answer('deny')
        .settle({ ...pass, asks: [permissionAsk] }).live,
    ).toBe('/look');
  });
});

describe('an agent that ended without a permission it needed', () => {
  const denied = () => Player.start(flow).settle({ ...pass, asks: [permissionAsk], session: 'claude:s1' });

  it('needs a human instead of passing', () => {
    const player = denied();
    expect(player.node('impl').last).toMatchObject({ outcome: 'needs_human', reason: 'permission_denied' });
    expect(player.open).toMatchObject([{ kind: 'permission', text: 'Bash: npm publish', subject: { type: 'denied' } }]);
    expect(Player.start(flow).settle({ ...failing, asks: [permissionAsk] }).asks).toEqual(['denied']);
  });

  it('can be granted it for the rest of the run and resumes its session', () => {
    const player = denied().answer('run', 'only once');
    expect([player.run.grants, resumes(player)]).toEqual([[permissionAsk.permission], 'claude:s1']);
    expect(player.node('impl').live?.notes[0]?.text).toBe('You may do this now:\nBash: npm publish\nonly once');
    // Asked for once more, it is allowed once more and kept once.
    player.settle({ ...pass, asks: [permissionAsk] }).answer('run');
    expect(player.run.grants).toEqual([permissionAsk.permission]);
  });

  it('can continue without it, be skipped, or abort the run', () => {
    expect(denied().answer('deny').node('impl').live?.notes[0]?.text).toContain('You may not do this');
    expect(denied().answer('deny').run.grants).toEqual([]);
    expect(denied().answer('skip').live).toBe('/look');
    expect(denied().answer('abort').run.status).toBe('cancelled');
  });

  it('still counts as crashed when it crashed', () => {
    const player = Player.start(flow).settle({ ...build.crash, asks: [permissionAsk] });
    expect(player.node('impl').state).toBe('queued');
  });
});

describe('an agent that ends with an open question', () => {
  it("needs a human instead of passing, and offers the question's options", () => {
    const player = Player.start(flow).settle({ ...pass, asks: [build.questionAsk] });
    expect(player.node('impl').last).toMatchObject({ outcome: 'needs_human', reason: 'open_question' });
    expect(player.open[0]?.options.map(({ label }) => label)).toEqual([
      'red',
      'blue',
      'Another answer',
      'Skip',
      'Abort',
    ]);
  });

  it('still counts as failing when it reported a failure', () => {
    const player = Player.start(flow).settle({ ...failing, asks: [build.questionAsk] });
    expect(player.node('impl')).toMatchObject({ state: 'queued', attempt: 2 });
  });

  it('shows its own words when it reports needs_human', () => {
    const player = Player.start(flow).settle({ ...build.question, asks: [build.questionAsk] });
    expect(player.open[0]?.text).toBe('Which colour?');
  });
});

describe('an agent session', () => {
  const remembering = workflow([def('impl', { role: 'dev' }), def('more', { role: 'dev', freshSession: false })]);
  const done = { ...pass, session: 'claude:s1' };

  it('is not resumed by the next step or the next try by default', () => {
    expect(resumes(Player.start(flow).settle(done))).toBeNull();
    expect(resumes(Player.start(flow).settle({ ...failing, session: 'claude:s1' }))).toBeNull();
  });

  it('is resumed from the newest of its role when the step sets fresh_session to false', () => {
    expect(resumes(Player.start(remembering).settle(done))).toBe('claude:s1');
    const again = Player.start(remembering)
      .settle(done)
      .settle({ ...failing, session: 'claude:s2' });
    expect(resumes(again)).toBe('claude:s2');
    expect(resumes(Player.start(remembering).settle())).toBeNull();
  });

  it.each([
    ['is not resumed after a route back, which undid its work', false, null],
    ['is resumed after a route back in a run of an earlier version, as its log says', true, 'claude:s1'],
  ])('%s', (_what, isOld, resumed) => {
    const impl = def('impl', { role: 'dev', freshSession: false });
    const check = def('check', { role: 'qa', maxLoops: 1, maxAttempts: 1, onFail: { default: build.goto('impl') } });
    const player = Player.start(workflow([impl, check]), { isOld })
      .settle(done)
      .settle(failing);
    expect([player.live, player.node('impl').live?.resumes]).toEqual(['/impl', resumed]);
  });

  it('is not shared by steps without a role', () => {
    const player = Player.start(workflow([def('impl'), def('more', { freshSession: false })])).settle(done);
    expect(player.node('more').live?.resumes).toBeNull();
  });
});

describe('a fault that waiting can fix', () => {
  const limited = (waitMs?: number) =>
    envelope({
      fault: { code: 'rate_limited', message: 'slow down', remedy: 'wait', ...(waitMs ? { waitMs } : {}) },
    });

  it('is retried no sooner than the fault says', () => {
    const player = Player.start(flow).settle(limited(90_000));
    expect(player.node('impl').live?.notBefore).toBe(player.now + 90_000);
  });

  it('is retried with growing backoff when it names no wait, and within a day in any case', () => {
    const patient = workflow([def('impl', { abandons: 9 })]);
    const player = Player.start(patient).settle(limited());
    const waits: number[] = [];
    for (let turn = 0; turn < 7; turn++) {
      waits.push((player.node('impl').live?.notBefore ?? 0) - player.now);
      player.settle(limited());
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900].map((seconds) => seconds * 1_000));
    expect(Player.start(flow).settle(limited(9e9)).node('impl').live?.notBefore).toBeLessThan(1e8);
  });

  it('asks a person once its abandons are used up, and then retries without a delay', () => {
    const player = Player.start(flow).settle(limited(90_000)).settle(limited(90_000));
    expect(player.asks).toEqual(['stuck']);
    expect(player.answer('retry').node('impl').live?.notBefore).toBeNull();
  });
});

describe('a fault that only a person can fix', () => {
  it('asks a person instead of retrying', () => {
    const fault = { code: 'not_logged_in', message: 'Log in: claude /login', remedy: 'ask' } as const;
    const player = Player.start(flow).settle(envelope({ fault }));
    expect(player.open).toMatchObject([{ kind: 'escalation', subject: { type: 'stuck' } }]);
    expect(player.open[0]?.text).toContain('Log in: claude /login');
    expect(player.answer('retry').live).toBe('/impl');
  });
});

describe('a money limit', () => {
  const paid = said({ STATUS: 'pass' }, { costUsd: 2 });
  const purse = { dayUsd: 3, dayEndsAt: 1e9, dayLimitUsd: 5, projectUsd: 10, projectLimitUsd: 100 };
  const three = workflow([def('a'), def('b', { maxAttempts: 2 }), def('c')]);

  it('of the day, counting other runs, holds the next step', () => {
    const player = Player.start(three, { purse }).settle(paid);
    expect(player.open[0]?.text).toBe('Spent $5.00 of the $5.00 for the day.\nNext: b');
    expect(player.run).toMatchObject({ pauseReason: 'budget', purse: { dayUsd: 5, projectUsd: 12 } });
    expect(player.answer('more')).toMatchObject({ live: '/b', run: { purse: { dayLimitUsd: 10 } } });
  });

  it('of the day resets with the next day', () => {
    const short = { ...purse, dayEndsAt: 5_000 };
    const player = Player.start(three, { purse: { ...short, dayUsd: 4.5 } });
    player.now = 3 * 24 * 3_600_000;
    expect(player.settle(paid).live).toBe('/b');
    expect(player.run.purse).toMatchObject({ dayUsd: 2, dayEndsAt: 5_000 + 3 * 24 * 3_600_000 });
  });

  it('of the project holds the next step', () => {
    const player = Player.start(three, { purse: { ...purse, dayLimitUsd: null, projectLimitUsd: 11 } }).settle(paid);
    expect(player.open[0]?.text).toContain('of the $11.00 for the project');
    expect(player.answer('more').run.purse).toMatchObject({ projectLimitUsd: 23 });
  });

  it('counts as known only when each limit that is set has its base from config.yaml', () => {
    const { run } = Player.start(three, { budgetUsd: 1, purse });
    const known = { budgetBaseUsd: 1, purse: { ...purse, dayBaseUsd: 5, projectBaseUsd: 100 } };
    const knows = (patch: Partial<typeof run>) => knowsBases({ ...run, ...known, ...patch });
    expect([knows({}), knows({ purse: null }), knows({ budgetUsd: null, budgetBaseUsd: null })]).toEqual([
      true,
      true,
      true,
    ]);
    const { budgetBaseUsd: _, ...unknown } = run;
    expect(knowsBases(unknown)).toBe(false);
    expect(knows({ purse: { ...purse, dayBaseUsd: 5 } })).toBe(false);
    expect(knows({ purse: { ...purse, projectBaseUsd: 100 } })).toBe(false);
  });

  it('can be lifted to finish one step with its tries, and no other step', () => {
    const player = Player.start(three, { budgetUsd: 1 }).settle(paid);
    expect(player.open[0]?.options.map(({ label }) => label)).toEqual(['Allow $1.00 more', 'Finish b only', 'Abort']);
    expect(player.answer('finish')).toMatchObject({ live: '/b', run: { finishing: 'n2' } });
    expect(player.settle(failing).live).toBe('/b');
    expect(player.settle(paid)).toMatchObject({ live: null, asks: ['fuse'] });
    player.answer('more', null, 'fuse');
    expect([player.live, player.run.finishing]).toEqual(['/c', null]);
  });

  it('that an attempt exceeds kills the attempt and asks before the retry', () => {
    const spent = envelope({ exit: null, killed: 'budget', costUsd: 4 });
    const player = Player.start(three, { budgetUsd: 1 }).settle(spent);
    expect(player.node('a')).toMatchObject({ state: 'ready', last: { outcome: 'crashed', reason: 'budget' } });
    expect(player.asks).toEqual(['fuse']);
  });

  it('is checked against the spending known when the run starts', () => {
    const player = Player.create(three, { purse }).do({ type: 'start', behind: null, purse: { ...purse, dayUsd: 7 } });
    expect(player.worked().asks).toEqual(['fuse']);
  });
});

describe('allowing more money', () => {
  const paid = said({ STATUS: 'pass' }, { costUsd: 2 });
  const purse = { dayUsd: 4, dayEndsAt: 1e9, dayLimitUsd: 5, projectUsd: 10, projectLimitUsd: null };

  it("adds the run's original budget to what is spent, however often", () => {
    const player = Player.start(workflow([def('a'), def('b'), def('c')]), { budgetUsd: 1 });
    player.settle(paid).answer('more');
    expect(player.run.budgetUsd).toBe(3);
    player.settle(paid);
    expect(player.open[0]?.options[0]?.label).toBe('Allow $1.00 more');
    expect(player.answer('more').run.budgetUsd).toBe(5);
  });

  it('adds the original day or project limit each time', () => {
    const five = [def('a'), def('b'), def('c'), def('d'), def('e')];
    const day = Player.start(workflow(five), { purse }).settle(paid).answer('more').settle(paid).settle(paid);
    expect(day.settle(paid).open[0]?.options[0]?.label).toBe('Allow $5.00 more');
    const limited = { ...purse, dayLimitUsd: null, projectLimitUsd: 11 };
    const project = Player.start(workflow(five), { purse: limited }).settle(paid).answer('more');
    expect(project.run.purse).toMatchObject({ projectLimitUsd: 23, projectBaseUsd: 11 });
  });

  it('resumes the session of an attempt that the budget killed', () => {
    const spent = envelope({ exit: null, killed: 'budget', costUsd: 4, session: 'claude:s1' });
    const player = Player.start(workflow([def('a'), def('b')]), { budgetUsd: 1 })
      .settle(spent)
      .answer('more');
    expect(resumes(player)).toBe('claude:s1');
  });
});

describe('several asks at once', () => {
  it('are all answered when the same permission is allowed for the run', () => {
    const player = Player.start(flow).agentAsks(permissionAsk).agentAsks(permissionAsk, 'k2').answer('run');
    expect(player.told).toEqual([
      { kind: 'allowed', by: 'ada' },
      { kind: 'allowed', by: 'ada' },
    ]);
    expect(player.open).toEqual([]);
    const other = { ...permissionAsk, permission: { tool: 'Bash', what: 'ls', mark: 'other' } };
    const two = Player.start(flow).agentAsks(permissionAsk).agentAsks(other, 'k2').answer('run');
    expect(two.open).toHaveLength(1);
  });

  it('end as denied, not as a crash, when the agent had said nothing else', () => {
    const player = Player.start(flow).settle(envelope({ asks: [permissionAsk] }));
    expect(player.asks).toEqual(['denied']);
  });
});

describe('the work shown for a step', () => {
  const work = (files: readonly string[], insertions: number) => ({
    filesChanged: files,
    diffStat: { files: files.length, insertions, deletions: 1 },
  });
  const again = workflow([def('impl'), def('look', { kind: 'human' })]);

  it('covers all its tries', () => {
    const player = Player.start(again)
      .settle({ ...failing, ...work(['a', 'b'], 3) })
      .settle({ ...pass, ...work(['b', 'c'], 4) });
    expect(player.node('impl').last).toMatchObject({
      filesChanged: ['a', 'b', 'c'],
      diffStat: { files: 3, insertions: 7, deletions: 2 },
    });
    const told = Player.start(again)
      .settle({ ...failing, ...work(['a'], 3) })
      .settle(pass);
    expect(told.node('impl').last).toMatchObject({ filesChanged: ['a'], diffStat: { insertions: 3 } });
  });

  it('keeps the size of files too large to count lines in', () => {
    const large = (largeBytes: number) => ({
      filesChanged: ['big.bin'],
      diffStat: { files: 1, insertions: 0, deletions: 0, largeBytes },
    });
    const sized = (first: Partial<Envelope>, second: Partial<Envelope>) =>
      Player.start(again)
        .settle({ ...failing, ...first })
        .settle({ ...pass, ...second })
        .node('impl').last?.diffStat;
    expect(sized(large(5_000), work(['a'], 1))).toMatchObject({ largeBytes: 5_000 });
    expect(sized(work(['a'], 1), large(7_000))).toMatchObject({ largeBytes: 7_000 });
    expect(sized({ filesChanged: ['a'] }, large(7_000))).toMatchObject({ largeBytes: 7_000 });
  });

  it('covers only the last try when earlier ones were rolled back', () => {
    const undone = workflow([def('impl', { rollback: true }), def('look', { kind: 'human' })]);
    const player = Player.start(undone)
      .settle({ ...failing, ...work(['a'], 3) })
      .worked()
      .settle({ ...pass, ...work(['b'], 4) });
    expect(player.node('impl').last).toMatchObject({ filesChanged: ['b'], diffStat: { insertions: 4 } });
  });

  it('adds up the cost of all attempts of a chain', () => {
    const player = Player.start(again)
      .settle({ ...failing, costUsd: 1 })
      .settle({ ...pass, costUsd: 2 });
    expect(player.stateOf('').chain.costUsd).toBe(3);
  });
});
