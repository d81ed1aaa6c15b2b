import { describe, expect, it } from 'vitest';
import { HomeTab } from '../../../../../src/bot/channels/slack/home-tab/home-tab.js';
import { loadConfig } from '../../../../../src/config/file/read-config.js';
import { problemsOfView } from '../server/blocks.js';
import { HandClock } from '../server/index.js';
import { type Reviewed, reviewed } from './given.js';

async function tabOf(ears: Reviewed, isTaken: () => boolean = () => true) {
  const { runtime, home, intake, slack, ada, bob } = ears;
  for (const one of [ada, bob, slack.person('U09EVE', 'Eve')]) {
    slack.tell({ type: 'app_home_opened', user: one.id, tab: 'home', channel: one.chat.id });
  }
  await slack.until('they are known', () => ears.looked.length === 3 || slack.ledger.count('users.info') > 2);
  await ears.settled();
  const clock = new HandClock(Date.now());
  const published: { readonly user: string; readonly text: string; readonly problems: readonly unknown[] }[] = [];
  const tab = new HomeTab({
    ...{ reader: runtime.reader, config: () => loadConfig(home, {}), clock, log: () => undefined },
    nameOf: (user) => intake.nameOf(user),
    publish: (user, view) => {
      const json = JSON.parse(JSON.stringify(view));
      published.push({ user, text: JSON.stringify(view), problems: problemsOfView(json) });
      return Promise.resolve(isTaken());
    },
  });
  return { tab, published, clock };
}

describe('the home tab', () => {
  it('shows the cards that need the viewer, active runs and projects, with buttons to act on them', async () => {
    const ears = await reviewed();
    const { tab, published, clock } = await tabOf(ears);
    tab.opened(ears.bob.id);
    clock.advance(0);
    const [home] = published;
    expect(home?.text).toContain('Needs you (1)');
    expect(home?.text).toContain('i1-2.approve');
    expect([home?.text.includes('shop: waiting for you'), home?.text.includes('blog'), home?.problems]).toEqual([
      true,
      false,
      [],
    ]);
    tab.opened(ears.ada.id);
    clock.advance(0);
    expect(published[1]?.text).toContain('home.continue.shop');
  });

  it('shows a stranger nothing about any project', async () => {
    const ears = await reviewed();
    const { tab, published, clock } = await tabOf(ears);
    tab.opened('U09EVE');
    clock.advance(0);
    expect(published[0]?.text).toContain("I don't know you yet");
    expect(published[0]?.text).not.toContain('shop');
  });

  it('is republished only when its content changed, at most every 10 s', async () => {
    const ears = await reviewed();
    const { tab, published, clock } = await tabOf(ears);
    tab.opened(ears.bob.id);
    clock.advance(0);
    for (let times = 0; times < 20; times += 1) tab.changed();
    clock.advance(60_000);
    expect(published).toHaveLength(1);
    ears.bob.presses(ears.shown, 'Approve');
    await ears.settled();
    for (let times = 0; times < 20; times += 1) tab.changed();
    clock.advance(9_000);
    tab.changed();
    clock.advance(60_000);
    expect(published).toHaveLength(2);
    expect(published[1]?.text).toContain('Nothing needs you');
  });

  it('retries a failed publish a few times, then waits for the next change', async () => {
    const ears = await reviewed();
    let isTaken = false;
    const { tab, published, clock } = await tabOf(ears, () => isTaken);
    const pass = async (ms: number) => {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    tab.opened(ears.bob.id);
    for (let times = 0; times < 20; times += 1) await pass(10_000);
    expect(published).toHaveLength(6);
    isTaken = true;
    tab.changed();
    for (let times = 0; times < 3; times += 1) await pass(10_000);
    expect(published).toHaveLength(7);
  });

  it('stops updating a day after the person last opened it', async () => {
    const ears = await reviewed();
    const { tab, published, clock } = await tabOf(ears);
    tab.opened(ears.bob.id);
    clock.advance(25 * 60 * 60_000);
    tab.changed();
    clock.advance(60_000);
    expect(published).toHaveLength(1);
    await tab.close();
  });
});
