import { describe, expect, it } from 'vitest';
import { take, takeRoute } from '../../src/engine/flow/follow-route.js';
import type { Attempt, NodeDef } from '../../src/engine/index.js';
import { DecisionDraft } from '../../src/engine/model/draft/draft.js';
import * as build from './builders.js';
import { def, failing, goto, Player, pass, said, workflow } from './builders.js';
import { when } from './chains.js';

const steps = [def('bdd'), def('impl'), def('verify')];
const withVerify = (patch: Partial<NodeDef>) => workflow([def('bdd'), def('impl'), def('verify', patch)]);

function lastOf(player: Player, template: string): Attempt {
  const { last } = player.node(template);
  if (!last) throw new Error(`${template} has no attempt`);
  return last;
}

describe('an attempt', () => {
  it('is dispatched once the checkout is prepared, with an id of run, step, generation and dispatch', () => {
    const player = Player.start(workflow(steps));
    expect(player.line()).toBe('bdd:queued impl:waiting verify:waiting');
    expect(player.run.live).toMatchObject([{ attempt: 'h1-r12-_-step-001-g1-d1', step: 'bdd', startedAt: null }]);
    expect(player.effects).toContainEqual({ type: 'dispatch', node: 'n1', attempt: 'h1-r12-_-step-001-g1-d1' });
  });

  it('starts once, when its worker reports it', () => {
    const player = Player.start(workflow(steps));
    const start = { type: 'attempt_started', attempt: 'h1-r12-_-step-001-g1-d1', worker: 'w1' } as const;
    player.do(start);
    expect(player.node('bdd')).toMatchObject({ state: 'running', live: { worker: 'w1', startedAt: player.now } });
    expect(player.run.live[0]?.startedAt).toBe(player.now);
    expect(player.do(start).ignored).toBe('superseded');
  });

  it('leaves other live attempts unchanged when it starts', () => {
    const player = Player.start(workflow(steps));
    const other = { attempt: 'other', chain: 'US-1', node: 'n9', step: 'impl', startedAt: 7 };
    const run = { ...player.run, live: [other, ...player.run.live] };
    player.world = { ...player.world, state: { ...player.state, run } };
    player.do({ type: 'attempt_started', attempt: 'h1-r12-_-step-001-g1-d1', worker: 'w1' });
    expect(player.run.live.map((one) => one.startedAt)).toEqual([7, player.now]);
  });

  it('may settle before its start was reported', () => {
    const player = Player.start(workflow(steps));
    player.do({ type: 'attempt_settled', attempt: player.run.live[0]?.attempt ?? '', envelope: pass });
    expect(player.line()).toBe('bdd:passed impl:queued verify:waiting');
  });

  it('stores its record and adds its cost to the run', () => {
    const player = Player.start(workflow(steps));
    player.settle(
      said(
        { STATUS: 'pass' },
        {
          costUsd: 0.25,
          tokensIn: 100,
          tokensOut: 20,
          durationMs: 5,
          logPath: 'logs/x',
          warnings: ['odd'],
          handoff: build.handoff({ status: 'pass', filesChanged: ['a.ts'] }),
        },
      ),
    );
    expect(lastOf(player, 'bdd')).toMatchObject({
      state: 'settled',
      outcome: 'pass',
      endedAt: player.now,
      filesChanged: ['a.ts'],
      warnings: ['odd'],
      logPath: 'logs/x',
      costUsd: 0.25,
    });
    expect(player.run).toMatchObject({ costUsd: 0.25, tokensIn: 100, tokensOut: 20 });
  });

  it('records the files changed on disk over those its hand-off names', () => {
    const player = Player.start(workflow(steps));
    player.settle(
      said({ STATUS: 'pass' }, { filesChanged: ['b.ts'], handoff: build.handoff({ filesChanged: ['a.ts'] }) }),
    );
    expect(lastOf(player, 'bdd').filesChanged).toEqual(['b.ts']);
  });

  it('that settles twice changes nothing', () => {
    const player = Player.start(workflow(steps)).settle();
    const [, , settled] = player.events.filter(
      (one) => one.type.startsWith('attempt') || one.type === 'workspace_done',
    );
    const before = player.world;
    expect(player.do(settled as never).ignored).toBe('superseded');
    expect(player.effects).toEqual([]);
    expect(player.world).toBe(before);
  });

  it('that settles after its run was aborted is recorded as cancelled, with its cost', () => {
    const player = Player.start(workflow(steps));
    const attempt = player.run.live[0]?.attempt ?? '';
    player.do({ type: 'abort' }).answer('abort');
    expect(player.effects).toContainEqual({ type: 'cancel', attempt });
    player.do({ type: 'attempt_settled', attempt, envelope: said({ STATUS: 'pass' }, { costUsd: 1 }) });
    expect(lastOf(player, 'bdd')).toMatchObject({ outcome: 'cancelled', costUsd: 1 });
    expect(player.line()).toBe('bdd:cancelled impl:waiting verify:waiting');
    expect(player.run).toMatchObject({ status: 'cancelled', costUsd: 1 });
    expect(player.do({ type: 'attempt_settled', attempt, envelope: pass }).ignored).toBe('superseded');
  });
});

describe('the next step of a run', () => {
  it('is the next node after a pass, and the run completes after the last', () => {
    const player = Player.start(workflow(steps)).walk(pass, pass, pass);
    expect(player.run.status).toBe('completed');
    expect(player.notices.at(-1)).toEqual({ type: 'ended', note: 'nothing to commit' });
    expect(player.line()).toBe('bdd:passed impl:passed verify:passed');
  });

  it('is the same node after a failing attempt, with the attempt counted', () => {
    const player = Player.start(workflow(steps)).settle(failing);
    expect(player.node('bdd')).toMatchObject({ state: 'queued', attempt: 2, generation: 1, dispatches: 2 });
    expect(player.run.live[0]?.attempt).toBe('h1-r12-_-step-001-g1-d2');
    expect(player.notices).toContainEqual({ type: 'settled', node: 'n1', outcome: 'failing', leadsTo: 'retry' });
  });

  it('is a card after the last attempt, with the count and the last summary', () => {
    const player = Player.start(workflow(steps)).walk(
      failing,
      failing,
      said({ STATUS: 'failing' }, { result: build.report('failing', null, 'No luck') }),
    );
    expect(player.node('bdd').state).toBe('needs_human');
    expect(player.open).toMatchObject([{ kind: 'escalation', text: 'shop stuck at bdd (3 attempts)\nNo luck' }]);
    expect(player.open[0]?.options.map((one) => one.label)).toEqual([
      'Retry',
      'Retry with a note',
      'Skip',
      'Rollback',
      'Abort',
    ]);
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'escalation' });
    expect(player.notices).toContainEqual({ type: 'settled', node: 'n1', outcome: 'failing', leadsTo: null });
  });

  it('is tried again with the words of its card', () => {
    const player = Player.start(workflow(steps)).walk(failing, failing, failing);
    player.answer('retry_note', 'add items to the fixture');
    expect(player.node('bdd').live?.notes).toMatchObject([{ kind: 'remark', text: 'add items to the fixture' }]);
  });

  it('is a failed run when on_exhausted is fail, still with a card', () => {
    const player = Player.start(workflow([def('bdd', { maxAttempts: 1, onExhausted: 'fail' })])).settle(failing);
    expect(player.node('bdd').state).toBe('failed');
    expect(player.run).toMatchObject({ status: 'failed', pauseReason: null });
    expect(player.open).toMatchObject([{ subject: { type: 'stuck' }, text: "shop's bdd failed (1 attempt)" }]);
  });

  it('is the same node after a crash, at the same attempt number, until the abandons run out', () => {
    const player = Player.start(workflow(steps)).settle(build.crash);
    expect(player.node('bdd')).toMatchObject({ state: 'queued', attempt: 1, abandons: 1 });
    player.settle(build.crash).settle(build.crash);
    expect(player.asks).toEqual(['stuck']);
    expect(player.node('bdd').abandons).toBe(2);
  });

  it('a pass resets the crash count', () => {
    const player = Player.start(workflow(steps)).settle(build.crash).settle(pass);
    expect(player.node('bdd').abandons).toBe(0);
  });

  it('is a card that gives the limit in minutes after a timeout with on_timeout ask', () => {
    const player = Player.start(workflow([def('bdd', { onTimeout: 'ask', timeoutMs: 300_000 })])).settle(build.timeout);
    expect(player.open[0]?.text).toBe("shop's bdd timed out (5 minutes)");
  });

  it('is a question for needs_human, and the same node receives the answer', () => {
    const player = Player.start(workflow(steps)).settle(build.question);
    expect(player.open).toMatchObject([{ kind: 'question', text: 'Which colour?' }]);
    expect(player.run.pauseReason).toBe('decision');
    player.answer('answer', 'Blue');
    expect(player.node('bdd')).toMatchObject({ state: 'queued', attempt: 1 });
    expect(player.node('bdd').live?.notes).toEqual([
      { kind: 'answer', question: 'Which colour?', text: 'Blue', by: 'ada' },
    ]);
  });

  it('is a question even when the agent gave none', () => {
    const player = Player.start(workflow(steps)).settle(build.envelope({ result: build.report('needs_human') }));
    expect(player.open[0]?.text).toBe('The agent asked for help without saying why.');
  });

  it('is a card after a kill', () => {
    const player = Player.start(workflow(steps)).settle(build.killed);
    expect(player.node('bdd').state).toBe('cancelled');
    expect(player.open).toMatchObject([{ subject: { type: 'stuck' }, text: "shop's bdd was stopped." }]);
  });
});

describe('a goto back to an earlier step', () => {
  const flow = withVerify({ onFail: { default: goto('bdd') }, maxLoops: 1, maxAttempts: 1 });

  it('repeats every step from its target as a new generation', () => {
    const player = Player.start(flow).walk(pass, pass, failing);
    expect(player.line()).toBe('bdd:queued impl:waiting verify:waiting');
    expect(player.nodes().map((one) => one.generation)).toEqual([2, 2, 2]);
    expect(player.run.live[0]?.attempt).toBe('h1-r12-_-step-001-g2-d2');
    expect(player.notices).toContainEqual({ type: 'settled', node: 'n3', outcome: 'failing', leadsTo: 'bdd' });
  });

  it('is limited by max_loops, which repeating the steps does not reset', () => {
    const player = Player.start(flow).walk(pass, pass, failing, pass, pass, failing);
    expect(player.open[0]?.text).toBe('shop stuck at verify (1 way back to bdd)');
    expect(player.world.chains.get('')?.edges).toEqual({ 'verify>bdd': 1 });
  });

  it('is available again once a person retries', () => {
    const player = Player.start(flow).walk(pass, pass, failing, pass, pass, failing).answer('retry').settle(failing);
    expect(player.live).toBe('/bdd');
  });

  it('keeps what a person skipped and repeats what a route skipped', () => {
    const jump = def('a', { onFail: { default: goto('c') }, maxAttempts: 1 });
    const flow = workflow([jump, def('b'), def('c'), def('d', { onFail: { default: goto('a') } })]);
    const player = Player.start(flow).settle(failing);
    expect(player.line()).toBe('a:passed b:skipped c:queued d:waiting');
    expect(player.node('b').skipReason).toEqual({ type: 'routed' });
    player.walk(pass, failing);
    expect(player.line()).toBe('a:queued b:waiting c:waiting d:waiting');
    player.do({ type: 'skip', node: 'n2', reason: 'too much' }).walk(pass, pass, failing);
    expect(player.line()).toBe('a:queued b:skipped c:waiting d:waiting');
    expect(player.node('b').skipReason).toEqual({ type: 'person', reason: 'too much', by: 'ada' });
  });

  it('evaluates conditions again each time', () => {
    const onlyFixes = def('migrate', { when: when("needs_fix == 'yes'") });
    const review = def('review', {
      decisionKey: 'DECISION',
      onDecision: { again: goto('impl'), ok: { type: 'next' } },
    });
    const player = Player.start(workflow([def('impl'), onlyFixes, review])).settle();
    expect(player.node('migrate').skipReason).toEqual({ type: 'condition', when: "needs_fix == 'yes'" });
    player.settle(said({ STATUS: 'pass', DECISION: 'again', NEEDS_FIX: 'yes' })).settle();
    expect(player.line()).toBe('impl:passed migrate:queued review:waiting');
  });

  it('carries the declared values and clears the old ones', () => {
    const back = goto('impl', { carry: { feedback: 'ISSUES', why: 'MISSING' }, clear: ['old', 'note'] });
    const flow = workflow([def('impl'), def('verify', { onFail: { default: back } })], {
      context: { note: 'default' },
    });
    const player = Player.start(flow).settle(said({ STATUS: 'pass', OLD: 'x', NOTE: 'mine' }));
    expect(player.run.context).toMatchObject({ old: 'x', note: 'mine' });
    player.settle(
      said({ STATUS: 'failing', ISSUES: 'two typos' }, { result: build.report('failing', null, 'Not good') }),
    );
    expect(player.run.context).toEqual({ note: 'default' });
    expect(player.world.chains.get('')?.context).toEqual({ feedback: 'two typos', why: 'Not good' });
    player.settle(said({ STATUS: 'pass', FEEDBACK: 'newer' }));
    expect(player.run.context['feedback']).toBe('newer');
    expect(player.world.chains.get('')?.context).toEqual({ why: 'Not good' });
  });

  it("carries a check's failures as FAILURES", () => {
    const back = goto('impl', { carry: { check_failures: 'FAILURES' } });
    const flow = workflow([def('impl'), def('check', { kind: 'check', onFail: { default: back } })]);
    const red = { name: 'tests', command: 'npm test', ok: false, exit: 1, timedOut: false, tail: 'boom' } as const;
    const tests = { pass: 1, fail: 1, skip: 0, failing: ['adds up'] };
    const player = Player.start(flow).walk(pass, { ...pass, result: null, checks: [{ ...red, tests }] });
    expect(player.stateOf('').chain.context).toEqual({ check_failures: 'adds up\nnpm test:\nboom' });
  });

  it('carries an empty value when the report has none', () => {
    const back = goto('impl', { carry: { feedback: 'ISSUES' } });
    const player = Player.start(workflow([def('impl'), def('verify', { onFail: { default: back } })])).walk(
      pass,
      failing,
    );
    expect(player.world.chains.get('')?.context).toEqual({ feedback: '' });
  });

  it('asks a person when its target no longer exists', () => {
    const player = Player.start(withVerify({ onFail: { default: goto('nowhere') } })).walk(pass, pass);
    expect(player.settle(failing).asks).toEqual(['stuck']);
    expect(player.open[0]?.text).toContain('leads to nowhere, which is not there any more');
  });
});

describe('a goto at level manual', () => {
  const name = (player: Player, node: string) => player.do({ type: 'continue', node, instruction: null, behind: null });

  it('back closes an open review', () => {
    const flow = workflow([def('a'), def('look', { kind: 'human' }), def('b', { onFail: { default: goto('a') } })]);
    const player = name(Player.start(flow, { level: 'manual' }), 'a').walk(pass);
    expect(player.asks).toEqual(['review']);
    name(player, 'b').walk(failing);
    expect(player.asks).toEqual([]);
    expect(player.line()).toBe('a:waiting look:waiting b:waiting');
  });

  it('forward keeps the steps that have passed', () => {
    const flow = workflow([def('a', { onPass: goto('c') }), def('b'), def('c')]);
    const player = name(name(Player.start(flow, { level: 'manual' }), 'b').walk(pass), 'a').walk(pass);
    expect(player.line()).toBe('a:passed b:passed c:waiting');
  });
});

describe('a failure with a summary', () => {
  it('shows the summary on the card', () => {
    const flow = workflow([def('a', { maxAttempts: 1, onExhausted: 'fail' })]);
    const player = Player.start(flow).settle(build.envelope({ result: build.report('failing', null, 'No luck') }));
    expect(player.open[0]?.text).toBe("shop's a failed (1 attempt)\nNo luck");
  });
});

describe('a goto forward', () => {
  it('by a decision skips the steps in between', () => {
    const decide = def('review', { decisionKey: 'DECISION', onDecision: { approved: goto('ship') } });
    const flow = workflow([decide, def('x'), def('y'), def('ship')]);
    const player = Player.start(flow).settle(said({ STATUS: 'done', DECISION: 'Approved' }));
    expect(player.line()).toBe('review:passed x:skipped y:skipped ship:queued');
    expect(player.walk(pass).run.status).toBe('completed');
  });

  it('with finish skips the remaining steps and completes the run', () => {
    const player = Player.start(workflow([def('a', { onPass: { type: 'finish' } }), def('b')])).walk(pass);
    expect(player.line()).toBe('a:passed b:skipped');
    expect(player.node('b').skipReason).toEqual({ type: 'finished' });
    expect(player.run.status).toBe('completed');
  });

  it('past a loop cancels its stories that have not started', () => {
    const flow = workflow([def('a', { onPass: { type: 'finish' } }), build.loop('stories', [def('b')])]);
    const player = Player.start(flow, { items: [build.item('US-1')] }).walk(pass);
    expect(player.run.status).toBe('completed');
    expect(player.stories()).toBe('US-1:cancelled');
  });
});

describe('the rejections budget of a story', () => {
  const body = [
    def('implement', { maxAttempts: 1 }),
    def('verify', {
      maxAttempts: 1,
      onExhausted: 'fail',
      onFail: { default: goto('implement', { budget: 'rejections', carry: { verify_feedback: 'ISSUES' } }) },
    }),
  ];
  const flow = workflow([build.loop('stories', body)]);

  it('sends the story back with the issues until it is spent', () => {
    const player = Player.start(flow, { items: [build.item('US-1'), build.item('US-2')] });
    player.walk(pass, said({ STATUS: 'retry', ISSUES: 'two\nlines' }));
    expect(player.live).toBe('US-1/implement');
    expect(player.world.chains.get('US-1')?.context).toEqual({ verify_feedback: 'two\nlines' });
    expect(player.state.items[0]?.rejections).toBe(1);
    player.walk(pass, failing, pass, failing);
    expect(player.stories()).toBe('US-1:failed US-2:ready');
    expect(player.run.status).toBe('failed');
    expect(player.open[0]?.text).toBe("US-1's verify failed (3 rejections)");
    expect(player.line()).toBe('stories:failed');
  });

  it('is reset once a person retries', () => {
    const player = Player.start(flow, { items: [build.item('US-1')] }).walk(
      pass,
      failing,
      pass,
      failing,
      pass,
      failing,
    );
    player.answer('retry');
    expect(player.run.status).toBe('running');
    expect(player.stories()).toBe('US-1:running');
    expect(player.line()).toBe('stories:running');
    player.settle(failing);
    expect(player.live).toBe('US-1/implement');
    expect(player.walk(pass, pass).run.status).toBe('completed');
  });
});

describe('the results of a passing step', () => {
  it('are stored under declared keys, and never overwrite reserved ones', () => {
    const flow = workflow([def('open'), def('closed', { outputs: ['PR_URL', 'branch'] }), def('last')]);
    const player = Player.start(flow, { task: 'Mine' });
    player.settle(
      said({
        STATUS: 'pass',
        TASK: 'yours',
        PRD_FILE: 'p',
        BRANCH: 'b',
        REPO: 'r',
        CURRENT_STORY_ID: 'x',
        NOTE: '{{task}}',
      }),
    );
    expect(player.run.context).toEqual({ note: '{{task}}' });
    player.settle(said({ STATUS: 'pass', PR_URL: 'u', BRANCH: 'main', OTHER: 'x' }));
    expect(player.run.context).toEqual({ note: '{{task}}', pr_url: 'u', branch: 'main' });
    expect(player.run.task).toBe('Mine');
  });

  it('are not stored when the step did not pass', () => {
    const player = Player.start(workflow(steps)).settle(said({ STATUS: 'failing', NOTE: 'x' }));
    expect(player.run.context).toEqual({});
  });

  it('stay with the story when the step belongs to one', () => {
    const flow = workflow([build.loop('stories', [def('impl'), def('verify')])]);
    const player = Player.start(flow, { items: [build.item('US-1')] }).settle(said({ STATUS: 'pass', NOTE: 'x' }));
    expect(player.world.chains.get('US-1')?.context).toEqual({ note: 'x' });
    expect(player.run.context).toEqual({});
  });

  it('include a review digest and questions, printed or from the hand-off, per step', () => {
    const flow = workflow([def('bdd'), def('sdd'), def('plain'), def('review', { kind: 'human' })]);
    const player = Player.start(flow);
    player.settle(failing);
    player.settle(
      said({ STATUS: 'pass', REVIEW_DIGEST: '3 scenarios', QUESTIONS: '- 20 or 30 seconds?\n\n2) Which colour?' }),
    );
    player.settle(
      said(
        { STATUS: 'pass' },
        { handoff: build.handoff({ reviewDigest: 'delta', questions: ['Why?'], filesChanged: ['d.md'] }) },
      ),
    );
    player.settle(pass);
    expect(player.open[0]?.digests).toEqual([
      { step: 'bdd', text: '3 scenarios', questions: ['20 or 30 seconds?', 'Which colour?'], files: [] },
      { step: 'sdd', text: 'delta', questions: ['Why?'], files: ['d.md'] },
      { step: 'plain', text: null, questions: [], files: [] },
    ]);
  });

  it("include a report's stories, added once", () => {
    const stories = JSON.stringify([
      { id: 'US-1', title: 'One', description: 'First', acceptanceCriteria: ['a'], dependsOn: [] },
      { id: 'US-2', title: 'Two', description: 'Second', acceptanceCriteria: ['b'], dependsOn: ['US-1'] },
    ]);
    const planned = said({ STATUS: 'pass' });
    const report = { ...planned, output: { ...planned.output, stories } };
    const flow = workflow([def('plan'), def('again'), build.loop('stories', [def('impl')])]);
    const player = Player.start(flow).walk(report, report);
    expect(player.stories()).toBe('US-1:running US-2:ready');
    expect(player.state.items[1]).toMatchObject({ criteria: ['b'], dependsOn: ['US-1'], order: 1, loop: 'n3' });
    expect(player.run.dispatchLimit).toBe(500);
  });

  it('leave out stories when no loop runs them', () => {
    const stories = '[{"id":"US-1","title":"One","description":"","acceptanceCriteria":["a"]}]';
    const planned = { ...pass, output: { ...pass.output, stories } };
    expect(Player.start(workflow([def('plan'), def('end')])).settle(planned).state.items).toEqual([]);
  });
});

describe('taking a route', () => {
  const player = Player.start(workflow(steps));
  const done = Player.start(workflow(steps)).settle();
  const step = () => new DecisionDraft(player.stateOf(''), 5);

  it('throws for an unknown route', () => {
    expect(() =>
      take(step(), { ...player.node('bdd'), last: lastOf(done, 'bdd') }, { keys: {}, summary: null }, {
        type: 'bogus',
      } as never),
    ).toThrow('unreachable');
  });

  it('throws for a node that has not run', () => {
    expect(() => takeRoute(step(), player.node('impl'), { type: 'next' }, {})).toThrow(
      'may not go from waiting to passed',
    );
  });
});
