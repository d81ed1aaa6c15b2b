// Attempts that are at work, with a clock that is handed in: what their card shows, how often, and who is told of silence.
import { describe, expect, it, onTestFinished } from 'vitest';
import { present } from '../../src/bot/index.js';
import { AttemptEvents } from '../../src/dispatch/attempts/attempt-events.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { Progress } from '../../src/jobs/attempt-control.js';
import type { Message } from '../../src/store/index.js';
import { def, item, loop, pass as passing, questionAsk, workflow } from '../engine/builders.js';
import { type Bench, begun, givenBench, liveOf, type RunOptions } from './given.js';

interface AtWork {
  readonly bench: Bench;
  readonly attempts: AttemptEvents;
  readonly attempt: string;
  hear(progress: Progress): void;
  /** Time goes by, with a look every five seconds. */
  pass(seconds: number, every?: (second: number) => void): Promise<void>;
  /** What was posted since the attempt began, or since the last call. */
  news(): readonly Message[];
}

const lookEveryS = 5;
const stallS = 600;

async function given(options: RunOptions = {}): Promise<AtWork> {
  const bench = givenBench({ present });
  await begun(bench, 1, options);
  const attempts = new AttemptEvents({
    ...{ store: bench.store, present, now: () => bench.clock },
    queue: { cancel: async () => 'signalled' } as never,
    submit: (work) => bench.dispatcher.submit(work),
    keep: (work) => bench.dispatcher.submit(work),
    ...{ stallAfterMs: () => stallS * 1_000, leaseMs: 15_000 },
    executorsOf: () => null,
    exportLog: async () => null,
    onRest: () => undefined,
    onError: (error) => expect(error).toBeNull(),
  });
  onTestFinished(() => attempts.close());
  const { attempt } = liveOf(bench, 'r1');
  await attempts.started(attempt, 'w1');
  let seen = bench.store.messages('t1', null, 10_000).at(-1)?.id ?? null;
  return {
    bench,
    attempts,
    attempt,
    hear: (progress) => attempts.progress(attempt, progress),
    async pass(seconds, every = () => undefined) {
      for (let passed = 0; passed < seconds; passed += lookEveryS) {
        every(passed);
        bench.clock += lookEveryS * 1_000;
        await attempts.look();
      }
    },
    news() {
      const messages = bench.store.messages('t1', seen, 10_000);
      seen = messages.at(-1)?.id ?? seen;
      return messages;
    },
  };
}

const action = (text: string): Progress => ({ type: 'action', text });
const stories = workflow([def('plan'), loop('stories', [def('bdd'), def('impl', { maxAttempts: 5 })])]);

describe('the progress card of running attempts', () => {
  it('is first edited 15 s after it was posted, silently, with the agent’s activity', async () => {
    const { bench, hear, pass, news } = await given();
    const card = bench.store.messages('t1', null, 100).at(-1);
    hear(action('editing src/cart.ts'));
    await pass(10);
    expect(news()).toEqual([]);
    await pass(5);
    const [edit, ...more] = news();
    expect([edit?.edits, edit?.view.rings, more]).toEqual([card?.edits ?? card?.id, false, []]);
    expect(edit?.view.text).toBe('shop: executing implement (attempt 1 of 3)\n▸ editing src/cart.ts · 15 s');
  });

  it('shows story, step, tests and the cost so far', async () => {
    const { bench, attempts, pass, news } = await given({
      workflow: stories,
      items: [item('US-1'), item('US-2')],
    });
    const tests = { pass: 42, fail: 2, skip: 0, failing: ['a', 'b'] };
    const check = { name: 'tests', command: 'npm test', ok: true, exit: 0, timedOut: false, tests, tail: '' } as const;
    await attempts.finished(liveOf(bench, 'r1').attempt, { ...passing, costUsd: 0.4 });
    await attempts.started(liveOf(bench, 'r1').attempt, 'w1');
    await attempts.finished(liveOf(bench, 'r1').attempt, { ...passing, checks: [check] });
    const { attempt } = liveOf(bench, 'r1');
    await attempts.started(attempt, 'w1');
    news();
    attempts.progress(attempt, { type: 'usage', costUsd: 0.25, tokensIn: 9_000, tokensOut: 12 });
    attempts.progress(attempt, action('running npm test'));
    await pass(20);
    expect(news().at(-1)?.view.text).toBe(
      [
        'shop: executing US-1 impl (attempt 1 of 5)',
        '▸ running npm test · 15 s',
        'bdd complete, 42/44, 2 failing',
        'story 1 of 2, step 2 of 2',
        '✓ bdd  ▶ impl',
        '$0.65',
      ].join('\n'),
    );
  });

  it.each([
    ['is one line', 'one\ntwo\r\n\tthree', 'one two three'],
    ['cannot turn the writing around or move a cursor', 'a\u202eb\u001b[2Jc\u061cd', 'abcd'],
    ['is cut', 'x'.repeat(5_000), `${'x'.repeat(119)}…`],
    ['shows no key', `token=ghp_${'a'.repeat(30)}`, 'token=[redacted]'],
  ])('shows agent output safely: %s', async (_what, said, shown) => {
    const { hear, pass, news } = await given();
    hear(action(said));
    await pass(15);
    expect(news()[0]?.view.text.split('\n')[1]).toBe(`▸ ${shown} · 15 s`);
  });

  it('falls back to the agent’s last text or output line if it reports no activity', async () => {
    const { hear, pass, news } = await given();
    hear({ type: 'output', line: 'compiling' });
    await pass(60);
    expect(news()[0]?.view.text).toContain('▸ compiling · 1 min');
    hear({ type: 'text', text: 'I look at the cart first.' });
    await pass(60);
    expect(news()[0]?.view.text).toContain('▸ I look at the cart first. · 2 min');
  });

  it('is refreshed silently every minute, and less often the longer the attempt is quiet', async () => {
    const { hear, pass, news } = await given();
    hear(action('thinking'));
    await pass(20);
    news();
    await pass(240);
    const early = news();
    expect(early).toHaveLength(4);
    expect(early.at(-1)?.view.text).toContain('▸ thinking · 4 min · quiet for 4 min');
    await pass(3_600);
    expect(news().filter((one) => one.view.kind === 'progress').length).toBeLessThanOrEqual(20);
    await pass(3_600);
    expect(news().length).toBeLessThanOrEqual(5);
    hear(action('writing'));
    await pass(300);
    expect(news().length).toBeGreaterThanOrEqual(4);
  });

  it('is edited at most four times a minute and 200 times in all, however busy the agent is', async () => {
    const { hear, pass, news } = await given();
    await pass(12 * 3_600, (second) => hear(action(`doing ${second}`)));
    const edits = news();
    expect(edits.length).toBeGreaterThan(150);
    expect(edits.length).toBeLessThanOrEqual(200);
    for (const { at } of edits) {
      expect(edits.filter((one) => one.at >= at && one.at < at + 60_000).length).toBeLessThanOrEqual(4);
    }
  }, 60_000);

  it('is not edited again after its attempt has ended', async () => {
    const { attempts, attempt, hear, pass, news } = await given();
    hear(action('editing'));
    await attempts.finished(attempt, passing);
    news();
    hear(action('still editing'));
    await pass(1_200);
    expect([news(), attempts.lastSign(attempt)]).toEqual([[], null]);
  });

  it('is not edited again after another event has settled its attempt', async () => {
    const { bench, attempts, attempt, hear, pass, news } = await given();
    const told = { run: 'r1', chain: '', at: bench.clock };
    await bench.dispatcher.submitEvent({ ...told, type: 'attempt_settled', attempt, envelope: passing });
    news();
    hear(action('still editing'));
    await pass(1_200);
    expect([news(), attempts.lastSign(attempt)]).toEqual([[], null]);
  });

  it('is not edited in a quiet thread, while the stall alarm still rings', async () => {
    const { bench, hear, pass, news } = await given();
    const thread = bench.store.thread('t1');
    if (!thread) throw new Error('no thread');
    await bench.dispatcher.submit(() => ({
      ...emptyPlan,
      effects: [{ type: 'thread', thread: { ...thread, quiet: true } }],
    }));
    hear(action('editing'));
    await pass(120);
    expect(news()).toEqual([]);
    await pass(stallS);
    expect(news()).toMatchObject([{ view: { rings: true } }]);
  });

  it('is shared by two parallel steps, with the same edit limit as for one', async () => {
    const wave = workflow([def('a', { needs: [] }), def('b', { needs: [] })]);
    const { bench, attempts, hear, pass, news } = await given({ workflow: wave });
    const other = bench.store.run('r1')?.live[1]?.attempt ?? '';
    // A third of the way to the next edit of the first, so that they would not fall together.
    await pass(lookEveryS);
    await attempts.started(other, 'w2');
    news();
    await pass(60, (second) => {
      hear(action(`one ${second}`));
      attempts.progress(other, action(`two ${second}`));
    });
    const edits = news();
    expect(edits.length).toBeLessThanOrEqual(4);
    expect(edits.at(-1)?.view.text).toMatch(/▸ one .*\n[\s\S]*▸ two /);
  });
});

const alarms = (messages: readonly Message[]) => messages.filter((one) => one.card?.startsWith('stall:'));

describe('a stalled attempt', () => {
  it('raises one alarm that rings, with the agent’s last output and two buttons', async () => {
    const { attempt, hear, pass, news } = await given();
    hear(action('running npm test'));
    hear({ type: 'output', line: 'RUN v4.1.12' });
    await pass(stallS - lookEveryS);
    expect(alarms(news())).toEqual([]);
    await pass(lookEveryS);
    const [alarm, ...more] = alarms(news());
    expect(more).toEqual([]);
    expect(alarm?.view).toMatchObject({
      kind: 'report',
      rings: true,
      offers: [`@again ${attempt}`, `@wait ${attempt}`],
    });
    expect(alarm?.view.buttons.map(({ label }) => label)).toEqual(['Kill and retry', 'Keep waiting']);
    expect(alarm?.view.text).toBe(
      '⚠️ No sign of life · Task 1\nshop · implement, silent for 10 min, still running\nLast action: running npm test\nLast words: RUN v4.1.12',
    );
    await pass(4 * stallS);
    expect(alarms(news())).toEqual([]);
  });

  it('raises another alarm after a person chose to wait and the same time passed again, and retires the first card', async () => {
    const { attempts, attempt, pass, news } = await given();
    await pass(stallS);
    const [first] = alarms(news());
    attempts.wait(attempt);
    await pass(stallS - lookEveryS);
    expect(alarms(news())).toEqual([]);
    await pass(lookEveryS);
    const [past, second] = alarms(news());
    expect(past).toMatchObject({ edits: first?.id, view: { buttons: [], rings: false } });
    expect(second).toMatchObject({ edits: null, view: { rings: true } });
    expect(second?.view.text).toContain('silent for 20 min');
  });

  it('raises its alarm despite a "wait" given before any alarm', async () => {
    const { attempts, attempt, pass, news } = await given();
    await pass(stallS / 2);
    attempts.wait(attempt);
    await pass(stallS / 2);
    expect(alarms(news())).toHaveLength(1);
  });

  it('retires its alarm when output resumes, and raises another when it stalls again', async () => {
    const { hear, pass, news } = await given();
    await pass(stallS);
    const [first] = alarms(news());
    hear({ type: 'output', line: 'here I am' });
    await pass(lookEveryS);
    const [back] = alarms(news());
    expect([back?.edits, back?.view.buttons]).toEqual([first?.id, []]);
    expect(back?.view.text).toBe('✅ Active again · Task 1\nshop · implement');
    await pass(stallS);
    expect(alarms(news())).toMatchObject([{ edits: null, view: { rings: true } }]);
  });

  it('retires its alarm when it ends', async () => {
    const { attempts, attempt, pass, news } = await given();
    await pass(stallS);
    news();
    await attempts.finished(attempt, passing);
    const [over] = alarms(news());
    expect(over?.view).toMatchObject({ buttons: [], text: expect.stringContaining('✅ Ended') });
  });

  it('raises no alarm while its agent waits for a person', async () => {
    const { bench, attempts, attempt, pass, news } = await given();
    await pass(stallS - 60);
    const told = { run: 'r1', chain: '', attempt, key: 'k1' };
    await bench.dispatcher.submitEvent({ ...told, type: 'agent_asked', at: bench.clock, ask: questionAsk });
    news();
    await pass(10 * stallS);
    expect(news()).toEqual([]);
    expect(attempts.lastSign(attempt)?.silentMs).toBe(0);
    const [open] = bench.store.openInteractions('shop');
    const answer = { option: 'answer', text: 'red', by: 'ada', behind: null };
    const id = open?.interaction.id ?? '';
    await bench.dispatcher.submitEvent({
      ...{ type: 'answered', run: 'r1', chain: '', at: bench.clock, interaction: id },
      ...answer,
    });
    await pass(stallS - lookEveryS);
    expect(alarms(news())).toEqual([]);
    await pass(lookEveryS);
    expect(alarms(news())).toHaveLength(1);
  });

  it('is not assumed after the machine slept or its clock was changed', async () => {
    const { bench, attempts, attempt, pass, news } = await given();
    await pass(300);
    for (const jumpMs of [8 * 3_600_000, -2 * 3_600_000, 3_600_000]) {
      bench.clock += jumpMs;
      await attempts.look();
    }
    // Each event takes the bench's clock a millisecond on.
    expect(attempts.lastSign(attempt)?.silentMs).toBeLessThan(300_100);
    await pass(295);
    expect(alarms(news())).toEqual([]);
    await pass(lookEveryS);
    expect(alarms(news())).toHaveLength(1);
  });
});
