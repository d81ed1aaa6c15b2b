// A pass that comes after its time limit: it counts where the workflow says so, and nothing was tried since.
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/engine/index.js';
import { def, failing, goto, item, loop, Player, pass, policy, timeout, workflow } from './builders.js';

const asks = def('a', { onTimeout: 'ask' });
const late = (patch = {}) => workflow([{ ...asks, ...patch }, def('b')], policy({ adoptLate: true }));

/** Out of time; hands over how its agent reports after all. */
function timedOut(flow = late()) {
  const player = Player.start(flow);
  const attempt = player.run.live[0]?.attempt ?? '';
  player.settle(timeout);
  return { player, report: (envelope: Envelope = pass) => player.do({ type: 'attempt_settled', attempt, envelope }) };
}

describe('a report that arrives after its attempt timed out', () => {
  it('is ignored once the run is over', () => {
    const { player, report } = timedOut(late({ onTimeout: 'pause' }));
    player.do({ type: 'abort' }).answer('abort', null, 'abort');
    report();
    expect([player.ignored, player.line(), player.run.status]).toEqual([
      'superseded',
      'a:failed b:waiting',
      'cancelled',
    ]);
  });

  it('replaces the timeout with its pass and closes the timeout card', () => {
    const { player, report } = timedOut();
    expect(player.asks).toEqual(['stuck']);
    report();
    expect([player.line(), player.asks, player.live]).toEqual(['a:passed b:queued', [], '/b']);
    expect(player.node('a')).toMatchObject({ last: { outcome: 'pass' }, dispatches: 1 });
  });

  it('revives a run that the timeout had failed', () => {
    const { player, report } = timedOut(late({ onTimeout: 'fail' }));
    expect(player.run.status).toBe('failed');
    report();
    expect([player.run.status, player.live]).toEqual(['running', '/b']);
  });

  it.each([
    { of: 'a part', first: { costUsd: 2, tokensIn: 100 }, late: { costUsd: 3, tokensIn: 150 }, sums: [3, 150, 0] },
    { of: 'all', first: { costUsd: 3, tokensIn: 150 }, late: { costUsd: 3, tokensIn: 150 }, sums: [3, 150, 0] },
    { of: 'nothing', first: { isUnpriced: true }, late: { costUsd: 3, tokensIn: 150 }, sums: [3, 150, 0] },
    { of: 'more', first: { costUsd: 3, tokensIn: 150 }, late: { isUnpriced: true }, sums: [3, 150, 0] },
    { of: 'as little', first: { isUnpriced: true }, late: { isUnpriced: true }, sums: [0, 0, 1] },
  ])('is charged only once when the timeout already reported $of of its cost', ({ first, late: told, sums }) => {
    const player = Player.start(late());
    const attempt = player.run.live[0]?.attempt ?? '';
    player.do({ type: 'attempt_started', attempt, worker: 'w' }).settle({ ...timeout, ...first });
    player.do({ type: 'attempt_settled', attempt, envelope: { ...pass, ...told } });
    const { costUsd, tokensIn, unpriced = 0 } = player.run;
    expect([costUsd, tokensIn, unpriced]).toEqual(sums);
    expect(player.node('a').last?.costUsd ?? 0).toBe(costUsd);
  });

  it('does not pass a remark that its own agent received on to the next step', () => {
    const player = Player.start(late({ onTimeout: 'abandon', abandons: 0, onExhausted: 'ask', maxAttempts: 1 })).settle(
      failing,
    );
    player.answer('retry', 'mind the gap');
    const attempt = player.run.live[0]?.attempt ?? '';
    player.settle(timeout).do({ type: 'attempt_settled', attempt, envelope: pass });
    expect(player.node('b').live?.notes).toEqual([]);
  });

  it.each<[string, () => ReturnType<typeof timedOut>, Envelope]>([
    ['where the workflow does not say so', () => timedOut(workflow([asks, def('b')])), pass],
    ['that is no pass', () => timedOut(), failing],
    ['of what is tried again already', () => timedOut(late({ onTimeout: 'abandon' })), pass],
    [
      'of what a person has skipped',
      () => {
        const it = timedOut();
        it.player.answer('skip');
        return it;
      },
      pass,
    ],
    [
      'of what is being taken back',
      () => {
        const it = timedOut();
        it.player.answer('rollback').answer(`to-${it.player.node('a').id}`);
        return it;
      },
      pass,
    ],
  ])('is ignored %s', (_, begin, envelope) => {
    const { player, report } = begin();
    const before = player.line();
    report(envelope);
    expect([player.ignored, player.line()]).toEqual(['superseded', before]);
  });

  it('is ignored after a failure other than a timeout, or once its story is over', () => {
    const player = Player.start(late({ maxAttempts: 1 }));
    const attempt = player.run.live[0]?.attempt ?? '';
    player.settle(failing).do({ type: 'attempt_settled', attempt, envelope: pass });
    expect([player.ignored, player.line()]).toEqual(['superseded', 'a:needs_human b:waiting']);
    const flow = workflow([loop('stories', [def('a', { onTimeout: 'fail' })])], policy({ adoptLate: true }));
    const story = Player.start(flow, { items: [item('A')] });
    const own = story.run.live[0]?.attempt ?? '';
    story.settle(timeout).do({ type: 'attempt_settled', chain: 'A', attempt: own, envelope: pass });
    expect([story.ignored, story.stories()]).toEqual(['superseded', 'A:failed']);
  });

  it('counts in a story that still waits for a person', () => {
    const flow = workflow([loop('stories', [asks])], policy({ adoptLate: true }));
    const story = Player.start(flow, { items: [item('A')] });
    const own = story.run.live[0]?.attempt ?? '';
    story.settle(timeout).do({ type: 'attempt_settled', chain: 'A', attempt: own, envelope: pass });
    expect(story.line('A')).toBe('a:passed');
  });

  it('does not refund the rejections that the story has spent', () => {
    const verify = def('verify', { onTimeout: 'ask', onFail: { default: goto('code', { budget: 'rejections' }) } });
    const story = Player.start(workflow([loop('stories', [def('code'), verify])], policy({ adoptLate: true })), {
      items: [item('A')],
    }).walk(pass, failing, pass);
    const attempt = story.run.live[0]?.attempt ?? '';
    story.settle(timeout).do({ type: 'attempt_settled', chain: 'A', attempt, envelope: pass });
    expect([story.line('A'), story.state.items[0]?.rejections]).toEqual(['code:passed verify:passed', 1]);
  });
});
