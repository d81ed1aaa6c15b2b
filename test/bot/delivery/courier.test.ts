import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Courier, type OutgoingMessage, type PostResult } from '../../../src/bot/delivery/index.js';
import { courierParts } from '../../courier-parts.js';
import { type Answering, carrierOf, HandClock, posted, Rows, threadOf } from './given.js';

const rings = { rings: true, kind: 'review' };
const progress = { kind: 'progress' };

function opened(answer?: Answering, given: { rows?: Rows; clock?: HandClock } = {}) {
  const clock = given.clock ?? new HandClock();
  const rows = given.rows ?? new Rows();
  const { carrier, calls } = carrierOf(clock, answer);
  const failed: string[] = [];
  const courier = new Courier({
    ...courierParts,
    carrier,
    rows,
    clock,
    random: () => 1,
    onFailed: (parcel, why) => failed.push(`${parcel.message}: ${why}`),
    onError: (error) => {
      throw error;
    },
  });
  return { clock, rows, calls, failed, courier };
}

describe('a message', () => {
  it('is sent at once and stored with its place', async () => {
    const { clock, rows, calls, courier } = opened();
    courier.take([rows.commit('1', 'hello')]);
    await clock.pass(0);
    expect(calls.map(({ what, text }) => [what, text])).toEqual([['send', 'hello']]);
    expect([rows.states(), rows.post('m1')?.place]).toEqual([['sent'], 'at m1']);
  });

  it('is edited in place, but only after its first post has ended', async () => {
    let arrive: (posted: PostResult) => void = () => undefined;
    const slow = (parcel: OutgoingMessage) =>
      parcel.place === null ? new Promise<PostResult>((resolve) => (arrive = resolve)) : posted(parcel);
    const { clock, rows, calls, courier } = opened(slow);
    courier.take([rows.commit('1', 'one', progress)]);
    await clock.pass(0);
    courier.take([rows.commit('1', 'two', { ...progress, edits: 'm1' })]);
    await clock.pass(5_000);
    expect(calls).toEqual([]);
    arrive({ kind: 'posted', place: 'at 9', ids: ['9'], isWhole: true });
    await clock.pass(5_000);
    expect(calls.map(({ what, text }) => [what, text])).toEqual([
      ['send', 'one'],
      ['edit', 'two'],
    ]);
  });

  it('that is still queued is sent once with its newest text', async () => {
    const { clock, rows, calls, courier } = opened();
    courier.take([rows.commit('1', 'first')]);
    courier.take([rows.commit('1', 'one', progress)]);
    courier.take([rows.commit('1', 'two', { ...progress, edits: 'm2' })]);
    courier.take([rows.commit('1', 'three', { ...progress, edits: 'm2' })]);
    await clock.pass(60_000);
    expect(calls.map(({ text }) => text)).toEqual(['first', 'three']);
    expect(rows.states()).toEqual(['sent', 'superseded', 'superseded', 'sent']);
  });

  it('that the platform reports as unchanged counts as sent', async () => {
    const { rows, clock, courier } = opened(() => ({ kind: 'unchanged' }));
    courier.take([rows.commit('1', 'same')]);
    await clock.pass(0);
    expect(rows.states()).toEqual(['sent']);
  });

  it('whose text changed and changed back is not edited', async () => {
    const { clock, rows, calls, courier } = opened();
    courier.take([rows.commit('1', 'one', progress)]);
    courier.take([rows.commit('1', 'two', { ...progress, edits: 'm1' })]);
    courier.take([rows.commit('1', 'one', { ...progress, edits: 'm1' })]);
    await clock.pass(60_000);
    expect(calls.map(({ text }) => text)).toEqual(['one']);
    expect(rows.states()).toEqual(['sent', 'superseded', 'sent']);
  });

  it('is never edited back to an older text', async () => {
    const rows = new Rows();
    rows.commit('1', 'one');
    rows.end(1, 'sent', null);
    rows.commit('1', 'two', { edits: 'm1' });
    rows.commit('1', 'three', { edits: 'm1' });
    rows.end(3, 'sent', { root: 'm1', post: { lane: '1', place: 'at m1', ids: [], n: 3, shown: 'three' } });
    const { clock, calls, courier } = opened(undefined, { rows });
    courier.start();
    await clock.pass(60_000);
    expect([calls, rows.states()]).toEqual([[], ['sent', 'superseded', 'sent']]);
  });

  it('that rings is sent before others, and messages of a kind keep their order', async () => {
    const { clock, rows, calls, courier } = opened();
    const all = [
      rows.commit('1', 'first'),
      rows.commit('1', 'card', progress),
      rows.commit('1', 'answer'),
      rows.commit('1', 'question', rings),
      rows.commit('1', 'done', rings),
      rows.commit('1', 'later card', progress),
    ];
    courier.take(all);
    await clock.pass(60_000);
    // Progress that the question overtook would stand below it.
    expect(calls.map(({ text }) => text)).toEqual(['question', 'done', 'first', 'answer', 'later card']);
    expect(rows.states()[1]).toBe('superseded');
  });

  it('that was deleted is posted anew if it matters and dropped if it is progress', async () => {
    const gone = (parcel: OutgoingMessage): PostResult =>
      parcel.place === 'at old' ? { kind: 'gone' } : posted(parcel);
    for (const [kind, expected] of [
      ['review', ['edit', 'send']],
      ['progress', ['edit']],
    ] as const) {
      const { clock, rows, calls, courier } = opened(gone);
      rows.shows('m1', '1', 'at old');
      rows.commit('1', 'before');
      rows.end(1, 'sent', null);
      courier.take([rows.commit('1', 'now', { kind, edits: 'm1' })]);
      await clock.pass(60_000);
      expect(calls.map(({ what }) => what)).toEqual(expected);
      expect(rows.open()).toEqual([]);
    }
  });

  it('that can never arrive is recorded as failed and delays no other', async () => {
    const { clock, rows, failed, courier } = opened((parcel) =>
      parcel.view.text === 'lost' ? { kind: 'refused', why: 'bot was blocked', of: 'lane' } : posted(parcel),
    );
    courier.take([rows.commit('1', 'lost'), rows.commit('1', 'found')]);
    await clock.pass(60_000);
    expect([failed, rows.states()]).toEqual([['m1: bot was blocked'], ['failed', 'sent']]);
  });
});

describe('a rate-limited platform', () => {
  it('is not called before its time in that chat while other chats continue', async () => {
    let isFirst = true;
    const { clock, rows, calls, courier } = opened((parcel) => {
      if (parcel.thread.address['chat'] !== '1' || !isFirst) return posted(parcel);
      isFirst = false;
      return { kind: 'wait', ms: 7_200_000 };
    });
    courier.take([rows.commit('1', 'a'), rows.commit('2', 'b')]);
    const began = clock.now();
    await clock.pass(3_600_000);
    courier.take([rows.commit('1', 'c', rings)]);
    courier.typing(threadOf('1'));
    await clock.pass(3_599_999);
    expect(calls.filter(({ lane, answer }) => lane === '1' && answer !== 'wait')).toEqual([]);
    expect(calls.filter(({ lane }) => lane === '2')).toHaveLength(1);
    await clock.pass(600_000);
    expect(calls.filter(({ lane, answer }) => lane === '1' && answer === 'posted').map(({ text }) => text)).toEqual([
      'c',
      'a',
    ]);
    expect(Math.min(...calls.filter(({ text }) => text === 'c').map(({ at }) => at))).toBe(began + 7_200_000);
  });

  it('never gets more calls than a group may have in a minute', async () => {
    const { clock, rows, calls, courier } = opened();
    courier.take(Array.from({ length: 100 }, (_, index) => rows.commit('-1', `n${index}`)));
    await clock.pass(20 * 60_000);
    const times = calls.map(({ at }) => at);
    expect(times).toHaveLength(100);
    for (const at of times) {
      expect(times.filter((one) => one >= at && one < at + 60_000).length).toBeLessThanOrEqual(20);
    }
  });
});

describe('a slow platform', () => {
  it('gets its pause after each call ends, because it may count calls late', async () => {
    const starts: number[] = [];
    const clock = new HandClock();
    const { rows, courier } = opened(
      (parcel) => {
        starts.push(clock.now());
        return new Promise<PostResult>((resolve) => clock.after(700, () => resolve(posted(parcel))));
      },
      { clock },
    );
    const began = clock.now();
    courier.take(['a', 'b', 'c'].map((text) => rows.commit('1', text)));
    await clock.pass(10_000);
    expect(starts.map((at) => at - began)).toEqual([0, 1_700, 3_400]);
  });
});

describe('a failing network', () => {
  it('is retried with backoff without losing or repeating a message', async () => {
    let tries = 0;
    const { clock, rows, calls, courier } = opened((parcel) => {
      tries += 1;
      return tries < 12 ? { kind: 'lost', mayHaveArrived: false, why: 'refused' } : posted(parcel);
    });
    courier.take([rows.commit('1', 'a', rings), rows.commit('1', 'b', rings)]);
    await clock.pass(15 * 60_000);
    expect(calls.filter(({ answer }) => answer === 'posted').map(({ text, isRepeat }) => [text, isRepeat])).toEqual([
      ['a', false],
      ['b', false],
    ]);
    const waits = calls.slice(1, 8).map(({ at }, index) => at - (calls[index]?.at ?? 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  });

  it('marks a message as a possible repeat when the lost call may have arrived', async () => {
    let tries = 0;
    const { clock, rows, calls, courier } = opened((parcel) => {
      tries += 1;
      return tries === 1 ? { kind: 'lost', mayHaveArrived: true, why: 'reset' } : posted(parcel);
    });
    courier.take([rows.commit('1', 'a')]);
    await clock.pass(60_000);
    expect(calls.map(({ isRepeat }) => isRepeat)).toEqual([false, true]);
  });
});

describe('a crash between a call and its record', () => {
  it('repeats the calls in flight as possible repeats and sends untried messages unmarked', async () => {
    const rows = new Rows();
    const hang = () => new Promise<PostResult>(() => undefined);
    const dying = opened(hang, { rows });
    rows.shows('m2', '2');
    dying.courier.take([rows.commit('1', 'new'), rows.commit('2', 'old'), rows.commit('3', 'waits')]);
    await dying.clock.pass(50);
    const { clock, calls, courier } = opened(undefined, { rows });
    courier.start();
    await clock.pass(60_000);
    expect(calls.map(({ text, what, isRepeat }) => [text, what, isRepeat])).toEqual([
      ['new', 'send', true],
      ['old', 'edit', true],
      ['waits', 'send', false],
    ]);
    expect(rows.states()).toEqual(['sent', 'sent', 'sent']);
  });
});

describe('typing', () => {
  it('is sent when nothing else is due and dropped otherwise', async () => {
    const { clock, rows, calls, courier } = opened();
    courier.typing(threadOf('1'));
    await clock.pass(0);
    courier.take([rows.commit('1', 'a'), rows.commit('1', 'b')]);
    courier.typing(threadOf('1'));
    await clock.pass(60_000);
    expect(calls.map(({ what }) => what)).toEqual(['typing', 'send', 'send']);
  });
});

describe('any sequence of platform responses', () => {
  const answer = fc.oneof(
    { weight: 6, arbitrary: fc.constant('posted' as const) },
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 90_000 }) }),
    fc.record({ kind: fc.constant('lost' as const), mayHaveArrived: fc.boolean(), why: fc.constant('net') }),
    fc.constant({ kind: 'gone' as const }),
    fc.constant({ kind: 'unchanged' as const }),
  );
  const said = fc.record({
    chat: fc.constantFrom('1', '2', '-3'),
    kind: fc.constantFrom('review', 'report', 'progress'),
    edits: fc.boolean(),
    afterMs: fc.constantFrom(0, 0, 500, 5_000),
    dies: fc.boolean(),
  });

  it('loses no message, keeps ringing ones in order and never causes a call during a rate limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(said, { maxLength: 25 }), fc.array(answer, { maxLength: 60 }), async (all, answers) => {
        const rows = new Rows();
        const clock = new HandClock();
        const platform = moody(clock, answers);
        let { courier } = opened(platform.answer, { rows, clock });
        const cards = new Map<string, string>();
        for (const [index, { chat, kind, edits, afterMs, dies }] of all.entries()) {
          const card = edits ? cards.get(`${chat} ${kind}`) : undefined;
          const more = card === undefined ? { rings: kind === 'review' } : { edits: card };
          const made = rows.commit(chat, String(index), { kind, ...more });
          cards.set(`${chat} ${kind}`, card ?? made.message.id);
          courier.take([made]);
          await clock.pass(afterMs);
          if (dies && index % 7 === 6) {
            await courier.close();
            courier = opened(platform.answer, { rows, clock }).courier;
            courier.start();
          }
        }
        await clock.pass(3 * 3_600_000);
        expect(rows.open()).toEqual([]);
        expect(rows.states()).not.toContain('failed');
        expectInOrder(platform.sent);
        await courier.close();
      }),
      { numRuns: 60 },
    );
  });
});

type Mood = 'posted' | PostResult;

interface Sent {
  readonly lane: string;
  readonly message: string;
  readonly rings: boolean;
}

function expectInOrder(sent: readonly Sent[]): void {
  for (const chat of ['1', '2', '-3']) {
    const finals = sent.filter(({ lane, rings: isFinal }) => lane === chat && isFinal);
    const order = finals.map(({ message }) => Number(message.slice(1)));
    expect(order).toEqual([...order].sort((one, other) => one - other));
  }
}

/** Answers as drawn, and looks that it is called one by one and not too early. */
function moody(clock: HandClock, answers: readonly Mood[]) {
  const blocked = new Map<string, number>();
  const sent: Sent[] = [];
  const underWay = new Set<string>();
  const answer: Answering = async (parcel, call) => {
    const { lane, message, view, place } = parcel;
    expect(clock.now()).toBeGreaterThanOrEqual(blocked.get(lane) ?? 0);
    expect(underWay.has(lane)).toBe(false);
    underWay.add(lane);
    await Promise.resolve();
    underWay.delete(lane);
    const one = answers[call] ?? 'posted';
    // Nothing can be gone, or stay as it is, that is not there.
    const isPosted = one === 'posted' || (place === null && (one.kind === 'gone' || one.kind === 'unchanged'));
    if (isPosted && place === null) sent.push({ lane, message, rings: view.rings });
    if (isPosted) return posted(parcel);
    if (one.kind === 'wait') blocked.set(lane, clock.now() + one.ms);
    return one;
  };
  return { answer, sent };
}
