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

it('typing is not shown when an answer comes within a second', () => {
  const { clock, shown, typing } = ticking();
  typing.begin(at('tg:-1001'));
  clock.advance(900);
  typing.end(at('tg:-1001'));
  clock.advance(60_000);
  expect(shown).toEqual([]);
});

it('typing is repeated until an answer comes', () => {
  const { clock, shown, typing } = ticking();
  typing.begin(at('tg:-1001:7'));
  clock.advance(11_000);
  typing.end(at('tg:-1001'));
  clock.advance(60_000);
  expect(shown.map(([, ms]) => ms)).toEqual([1_000, 5_500, 10_000]);
});

it('typing stops by itself after about 20 s', () => {
  const { clock, shown, typing } = ticking();
  typing.begin(at('tg:-1001'));
  clock.advance(120_000);
  expect(shown.map(([, ms]) => ms)).toEqual([1_000, 5_500, 10_000, 14_500, 19_000]);
});

it('typing is shown once per chat, in the thread of its newest message', () => {
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
