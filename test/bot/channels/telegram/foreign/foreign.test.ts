// The same Bosun before a Telegram that was written by others.
import { expect, it, onTestFinished } from 'vitest';
import { Channels, channelKinds } from '../../../../../src/bot/index.js';
import { openApp } from '../../../../../src/cli/app.js';
import { givenWorld } from '../../../../dispatch/given.js';
import { buttonsOf, type Foreign, startForeign } from './front.js';

const limitMs = 10_000;
const ada = { id: 1000, is_bot: false, first_name: 'Ada', username: 'ada' };
const eve = { id: 666, is_bot: false, first_name: 'Eve', username: 'eve' };
const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects: { shop: { root: "%ROOT%", check: "test -f orders.txt", members: { ada: owner } } }
people: { ada: { telegram: 1000 } }
channels: { telegram: { token: "%TOKEN%", api_root: "%API%" } }
`;

it('a task with a review completes against a third-party Bot API server', async () => {
  const foreign = await startForeign();
  onTestFinished(() => foreign.stop());
  const channel = config.replace('%TOKEN%', foreign.token).replace('%API%', foreign.apiRoot);
  const world = givenWorld('echo orders > orders.txt; echo "STATUS: pass"', channel);
  const app = await openApp({ home: world.home, work: true });
  onTestFinished(() => app.close());
  const channels = new Channels(app, channelKinds, () => undefined);
  onTestFinished(() => channels.close());
  await channels.align();
  const { seen, press } = phone(foreign);

  foreign.says(ada, 'status');
  await seen(/^shop: idle/);
  foreign.says(eve, 'shop: give me the keys');
  foreign.says(ada, 'shop: keep the orders');
  await press(/^Start\? ·/, 'Start');
  const review = await press(/Review/, 'Approve');
  expect(review.text).toMatch(/Approved ·.*by ada/is);
  await seen(/\nshop is done/);

  expect(world.git('show', 'HEAD:orders.txt')).toBe('orders');
  expect(foreign.sent(eve).map(({ text }) => text)).toEqual([expect.stringMatching(/bosun pair/)]);
  expect(foreign.calls.filter(({ refused }) => refused !== null)).toEqual([]);
  expect(channels.all.map(({ problem }) => problem)).toEqual([null]);
});

/** What ada does and sees. */
function phone(foreign: Foreign) {
  const found = (text: RegExp, label?: string) =>
    foreign.sent(ada).findLast((one) => {
      return (
        text.test(one.text ?? '') && (label === undefined || buttonsOf(one).some((button) => button.text === label))
      );
    });
  const seen = async (text: RegExp, label?: string) => {
    await expect.poll(() => found(text, label)?.text, { timeout: limitMs, interval: 5 }).toMatch(text);
    const message = found(text, label);
    if (message === undefined) throw new Error(`nobody sees ${text}`);
    return message;
  };
  return {
    seen,
    /** Gives the card as it is once it is settled. */
    async press(text: RegExp, label: string) {
      const card = await seen(text, label);
      const query = foreign.presses(ada, card, label);
      const isAnswered = () => foreign.server.getCallbackQueryAnswer(query)?.answered;
      await expect.poll(isAnswered, { timeout: limitMs, interval: 5 }).toBe(true);
      const asking = () => buttonsOf(card).filter((button) => !button.text.startsWith('Show '));
      await expect.poll(asking, { timeout: limitMs, interval: 5 }).toEqual([]);
      return card;
    },
  };
}
