import { expect, it } from 'vitest';
import { Typing } from '../../../../src/bot/channels/telegram/outbound/typing.js';
import { HandClock } from './server/index.js';

const at = (id: string, chat = '-1001') =>
  ({ id, channel: 'telegram', address: { chat }, project: null, quiet: false }) as const;

function ticking() {
  const clock = new HandClock(0);
  const shown: [thread: string, at: number][] = [];

  const typing = new Typing({
    show: ({ id }) => shown.push([id, clock.now()]),
    laneOf: ({ address }) => address['chat'] ?? '',
    after: (ms, act) => clock.after(ms, act),
  });
  return { clock, shown, typing };
}

it('shows nothing where words come at once: the platform counts it, and would make them wait', () => {
  const { clock, shown, typing } = ticking();
  typing.begin(at('tg:-1001'));
  clock.advance(900);
  typing.end(at('tg:-1001'));
  clock.advance(60_000);
  expect(shown).toEqual([]);
});

it('shows typing again and again until words come, and then no more', () => {
  const { clock, shown, typing } = ticking();
  typing.begin(at('tg:-1001:7'));
  clock.advance(11_000);
  typing.end(at('tg:-1001'));
  clock.advance(60_000);
  expect(shown.map(([, ms]) => ms)).toEqual([1_000, 5_500, 10_000]);
});

it('ends by itself after about twenty seconds', () => {
  const { clock, shown, typing } = ticking();
  typing.begin(at('tg:-1001'));
  clock.advance(120_000);
  expect(shown.map(([, ms]) => ms)).toEqual([1_000, 5_500, 10_000, 14_500, 19_000]);
});

it('has one for each chat, whose newest message tells where', () => {
  const { clock, shown, typing } = ticking();
  typing.begin(at('tg:-1001:7'));
  clock.advance(2_000);
  typing.begin(at('tg:-1001:8'));
  typing.begin(at('tg:5', '5'));
  clock.advance(4_000);
  typing.close();
  clock.advance(60_000);
  expect(shown).toEqual([
    ['tg:-1001:7', 1_000],
    ['tg:-1001:8', 3_000],
    ['tg:5', 3_000],
  ]);
});
