// What goes wrong on this side: disks, bugs, calls that never end, and more than memory should hold.

import { describe, expect, it } from 'vitest';
import { Courier, type PostResult } from '../../../src/bot/delivery/index.js';
import { courierParts } from '../../courier-parts.js';
import { type Answering, carrierOf, HandClock, posted, Rows, threadOf } from './given.js';

const progress = { kind: 'progress' };
const rings = { rings: true, kind: 'review' };

function opened(answer?: Answering, given: { rows?: Rows; clock?: HandClock; maxWaiting?: number } = {}) {
  const { clock = new HandClock(), rows = new Rows(), maxWaiting = 500 } = given;
  const { carrier, calls } = carrierOf(clock, answer);
  const failed: string[] = [];
  const errors: unknown[] = [];
  const courier = new Courier({
    ...courierParts,
    ...{ carrier, rows, clock, maxWaiting },
    random: () => 1,
    onFailed: (parcel, why) => failed.push(`${parcel.message}: ${why}`),
    onError: (error) => errors.push(error),
  });
  const texts = () => calls.map(({ text }) => text);
  return { clock, rows, calls, texts, failed, errors, courier };
}

describe('a full lane', () => {
  it('drops progress, keeps the rest on disk and sends it in order when there is room', async () => {
    const { clock, rows, texts, courier } = opened(undefined, { maxWaiting: 10 });
    courier.take([rows.commit('1', 'now')]);
    for (let at = 0; at < 5; at += 1) courier.take([rows.commit('1', `p${at}`, progress)]);
    for (let at = 0; at < 40; at += 1) {
      courier.take([rows.commit('1', `a${at}`)]);
      expect(courier.waiting.get('1')).toBeLessThanOrEqual(10);
    }
    await clock.pass(600_000);
    expect(texts()).toEqual(['now', ...Array.from({ length: 40 }, (_, at) => `a${at}`)]);
    expect(rows.open()).toEqual([]);
    expect(rows.states().filter((state) => state === 'superseded')).toHaveLength(5);
  });

  it('stays within its limit after a start with a larger backlog', async () => {
    const rows = new Rows();
    for (let at = 0; at < 700; at += 1) rows.commit('1', `a${at}`);
    const { clock, texts, courier } = opened(undefined, { rows, maxWaiting: 50 });
    courier.start();
    expect(courier.waiting.get('1')).toBeLessThanOrEqual(50);
    await clock.pass(2_000_000);
    expect(texts()).toEqual(Array.from({ length: 700 }, (_, at) => `a${at}`));
  });
});

describe('the backlog on disk', () => {
  it('is read page by page as room allows', async () => {
    const rows = new Rows();
    for (let at = 0; at < 3_000; at += 1) rows.commit('1', `a${at}`);
    const { clock, courier } = opened(undefined, { rows, maxWaiting: 100 });
    courier.start();
    let pages = 0;
    const open = rows.open.bind(rows);
    rows.open = (...given) => {
      pages += 1;
      return open(...given);
    };
    await clock.pass(600_000);
    const sent = rows.states().filter((state) => state === 'sent').length;
    expect(sent).toBeGreaterThan(500);
    expect(pages).toBeLessThan(sent / 20);
  });
});

describe('a clock that is set back', () => {
  it.each([rings, progress])('delays no message', async (kind) => {
    const clock = new HandClock();
    const { rows, texts, courier } = opened(undefined, { clock });
    courier.take([rows.commit('1', 'a', kind)]);
    await clock.pass(10_000);
    clock.setBack(900_000);
    courier.take([rows.commit('1', 'b', kind), rows.commit('1', 'c', kind)]);
    await clock.pass(15_000);
    expect(texts()).toEqual(['a', 'b', 'c']);
  });
});

describe('a failing disk', () => {
  it('after a rate-limited call loses neither the message nor the time to wait', async () => {
    const rows = new Rows();
    let asked = 0;
    const { clock, calls, courier } = opened(
      (parcel) => {
        asked += 1;
        return asked === 1 ? { kind: 'wait', ms: 900_000 } : posted(parcel);
      },
      { rows },
    );
    const pause = rows.pause.bind(rows);
    const isFullUntil = clock.now() + 600_000;
    rows.pause = (n) => {
      if (clock.now() < isFullUntil) throw new Error('disk full');
      pause(n);
    };
    courier.take([rows.commit('1', 'a'), rows.commit('1', 'b')]);
    await clock.pass(3_600_000);
    expect(rows.states()).toEqual(['sent', 'sent']);
    expect(calls[1]?.at).toBeGreaterThan(isFullUntil + 300_000);
  });

  it('before a call prevents the call until the disk works', async () => {
    const rows = new Rows();
    const { clock, texts, errors, courier } = opened(undefined, { rows });
    const begin = rows.begin.bind(rows);
    let left = 3;
    rows.begin = (...given) => {
      if (left > 0) throw new Error(`disk full ${left--}`);
      begin(...given);
    };
    courier.take([rows.commit('1', 'a')]);
    await clock.pass(60_000);
    expect([texts(), errors.length, rows.states()]).toEqual([['a'], 3, ['sent']]);
  });

  it('after a call does not cause the message to be sent again', async () => {
    const rows = new Rows();
    const { clock, texts, errors, courier } = opened(undefined, { rows });
    const end = rows.end.bind(rows);
    let left = 3;
    rows.end = (...given) => {
      if (left > 0) throw new Error(`disk full ${left--}`);
      end(...given);
    };
    courier.take([rows.commit('1', 'a'), rows.commit('1', 'b')]);
    await clock.pass(60_000);
    expect([texts(), errors.length, rows.states()]).toEqual([['a', 'b'], 3, ['sent', 'sent']]);
  });

  it('during handover leaves the messages to be sent later', async () => {
    const rows = new Rows();
    const { clock, texts, errors, courier } = opened(undefined, { rows });
    const isOpen = rows.isOpen.bind(rows);
    rows.isOpen = () => {
      throw new Error('disk');
    };
    courier.take([rows.commit('1', 'a')]);
    rows.isOpen = isOpen;
    await clock.pass(60_000);
    expect([texts(), errors.length]).toEqual([['a'], 1]);
  });

  it("during the lookup of a message's place holds the lane and loses nothing", async () => {
    const rows = new Rows();
    const { clock, texts, errors, courier } = opened(undefined, { rows });
    const post = rows.post.bind(rows);
    let left = 2;
    rows.post = (root) => {
      if (left > 0) throw new Error(`disk ${left--}`);
      return post(root);
    };
    courier.take([rows.commit('1', 'a'), rows.commit('1', 'b')]);
    await clock.pass(60_000);
    expect([texts(), errors.length]).toEqual([['a', 'b'], 2]);
  });
});

describe('a call', () => {
  it('that never returns is given up as possibly arrived, and its late answer is ignored', async () => {
    let late: (posted: PostResult) => void = () => undefined;
    let tries = 0;
    const { clock, rows, calls, courier } = opened((parcel) => {
      tries += 1;
      return tries === 1 ? new Promise<PostResult>((resolve) => (late = resolve)) : posted(parcel);
    });
    courier.take([rows.commit('1', 'a')]);
    await clock.pass(89_000);
    expect(tries).toBe(1);
    await clock.pass(10_000);
    late({ kind: 'refused', why: 'late', of: 'lane' });
    await clock.pass(10_000);
    expect([tries, rows.states()]).toEqual([2, ['sent']]);
    expect(calls.find(({ answer }) => answer === 'posted')?.isRepeat).toBe(true);
  });

  it('that throws is recorded as failed, and the next message is sent', async () => {
    const { clock, rows, failed, errors, courier } = opened((parcel) => {
      if (parcel.view.text === 'bad') throw new Error('a bug');
      return posted(parcel);
    });
    courier.take([rows.commit('1', 'bad'), rows.commit('1', 'good')]);
    await clock.pass(60_000);
    expect([rows.states(), failed.length, errors.length]).toEqual([['failed', 'sent'], 1, 1]);
  });

  it('that hangs does not block shutdown', async () => {
    const { clock, rows, courier } = opened(() => new Promise<PostResult>(() => undefined));
    courier.take([rows.commit('1', 'a')]);
    await clock.pass(100);
    let isClosed = false;
    void courier.close().then(() => {
      isClosed = true;
    });
    await clock.pass(1_500);
    expect(isClosed).toBe(false);
    await clock.pass(1_000);
    expect([isClosed, rows.states()]).toEqual([true, ['sending']]);
  });
});

describe('an outage that begins just after a sign of life', () => {
  it('gives up no message, however long it lasts', async () => {
    let isOut = true;
    const { clock, rows, failed, courier } = opened((parcel) =>
      isOut ? { kind: 'lost', mayHaveArrived: false, why: 'no network' } : posted(parcel),
    );
    courier.take([rows.commit('1', 'final', { rings: true, kind: 'report' })]);
    await clock.pass(1_000);
    courier.alive('2');
    await clock.pass(3 * 3_600_000);
    expect(failed).toEqual([]);
    isOut = false;
    await clock.pass(120_000);
    expect(rows.states()).toEqual(['sent']);
  });
});

describe('a possible repeat', () => {
  it('is remembered across an edit and a restart', async () => {
    const rows = new Rows();
    const dying = opened(() => ({ kind: 'lost', mayHaveArrived: true, why: 'reset' }), { rows });
    dying.courier.take([rows.commit('1', 'one', progress)]);
    await dying.clock.pass(100);
    dying.courier.take([rows.commit('1', 'two', { ...progress, edits: 'm1' })]);
    const { clock, calls, courier } = opened(undefined, { rows });
    courier.start();
    await clock.pass(10_000);
    expect(calls.map(({ text, isRepeat }) => [text, isRepeat])).toEqual([['two', true]]);
  });

  it('is ruled out when the platform refused or was never reached', async () => {
    for (const answer of [
      { kind: 'wait', ms: 60_000 },
      { kind: 'lost', mayHaveArrived: false, why: 'refused' },
    ] as const) {
      const rows = new Rows();
      const dying = opened(() => answer, { rows });
      dying.courier.take([rows.commit('1', 'one')]);
      await dying.clock.pass(100);
      expect(rows.states()).toEqual(['waiting']);
    }
  });
});

describe('handing over a message', () => {
  it('does nothing when it was sent before or belongs to another channel', async () => {
    const { clock, rows, texts, courier } = opened();
    const first = rows.commit('1', 'a');
    courier.take([first]);
    await clock.pass(5_000);
    courier.take([first, { ...rows.commit('1', 'b'), thread: { ...threadOf('1'), channel: 'slack' } }]);
    await clock.pass(5_000);
    expect(texts()).toEqual(['a']);
  });

  it('while it is being sent keeps it open until it arrives once', async () => {
    let tries = 0;
    const { clock, rows, texts, courier } = opened(async (parcel) => {
      tries += 1;
      if (tries > 1) return posted(parcel);
      return new Promise<PostResult>((resolve) =>
        clock.after(500, () => resolve({ kind: 'lost', mayHaveArrived: false, why: 'net' })),
      );
    });
    const first = rows.commit('1', 'a');
    courier.take([first]);
    await clock.pass(100);
    courier.take([first]);
    await clock.pass(500);
    expect(rows.states()).toEqual(['waiting']);
    await clock.pass(10_000);
    expect([texts(), rows.states()]).toEqual([['a', 'a'], ['sent']]);
  });

  it('sends the most urgent chat first and starves none', async () => {
    const { clock, rows, calls, courier } = opened();
    const chats = Array.from({ length: 50 }, (_, at) => `${at + 1}`);
    courier.take(chats.map((chat) => rows.commit(chat, 'p', progress)));
    courier.take([rows.commit('99', 'done', rings)]);
    await clock.pass(500);
    expect(calls.slice(0, 2).map(({ text }) => text)).toEqual(['p', 'done']);
    await clock.pass(5_000);
    expect(new Set(calls.map(({ lane }) => lane)).size).toBe(51);
  });
});
