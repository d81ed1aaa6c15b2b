// The whole of Bosun on Slack: its own process, the real Bolt, a Slack on this machine, people in channels.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Channel,
  type Delivery,
  type Message,
  type Person,
  type Shown,
  type Slack,
  startSlack,
} from '../bot/channels/slack/server/index.js';
import { bosun, newFolder, type Started } from '../cli/given.js';
import { configureDemo, startReady } from './platform-home.js';

const limitMs = 20_000;
const home = join(newFolder(), 'home');
let slack: Slack;
let up: Started;
let ada: Person;
let bob: Person;
/** Where the demo lives, and where nothing does. */
let shop: Channel;
let general: Channel;
/** In which everything begins. */
let asked: Message;
/** Presses that reached no connection, each of which Ada repeated. */
const pressedAgain = new Set<Delivery>();

beforeAll(async () => {
  // Slack's second try comes after a minute, which is long for a test.
  slack = await startSlack({ patience: { retriesAfterMs: Array(60).fill(500) } });
  ada = slack.person('U0ADA', 'Ada');
  bob = slack.person('U0BOB', 'Bob');
  shop = slack.channel('shop', [ada, bob]);
  general = slack.channel('general', [ada, bob]);
  up = await startReady(home);
}, 60_000);

afterAll(() => slack?.close());

function configure(): void {
  configureDemo(home, {
    people: { ada: { slack: ada.id }, bob: { slack: bob.id } },
    members: { ada: 'owner', bob: 'reviewer' },
    chats: [{ slack: shop.id }],
    channels: { slack: { bot_token: slack.tokens.bot, app_token: slack.tokens.app, api_url: slack.apiUrl } },
  });
}

function shownIn(channel: Channel, text: RegExp, label?: string): Shown | undefined {
  const own = slack.screen(channel).filter(({ by }) => by === slack.bot.realName);
  return own.findLast((one) => text.test(one.text) && (label === undefined || one.buttons.includes(label)));
}

async function seen(channel: Channel, text: RegExp, label?: string): Promise<Message & Pick<Shown, 'buttons'>> {
  await slack.until(`${text} in ${channel.name}`, () => shownIn(channel, text, label) !== undefined, limitMs);
  const shown = shownIn(channel, text, label);
  const message = slack.sent(channel).find(({ ts }) => ts === shown?.ts);
  if (message === undefined || shown === undefined) throw new Error(`nobody sees ${text}`);
  return { ...message, buttons: shown.buttons };
}

/** Slack loses a press that finds no connection, and tells Ada, who presses again. */
async function untilTaken(card: Message, label: string): Promise<void> {
  const pressed = ada.presses(card, label);
  await slack.until('Slack knows', () => pressed.isOver || pressed.ackedAt !== null, limitMs);
  if (pressed.ackedAt !== null) return;
  pressedAgain.add(pressed);
  await slack.until('Bosun is connected again', () => slack.sockets.open.length > 0, limitMs);
  await untilTaken(card, label);
}

it('Slack starts when tokens are added to config.yaml, and strangers get only a pairing code', async () => {
  configure();
  await slack.until('it listens', () => slack.sockets.open.length > 0, limitMs);
  const eve = slack.person('U0EVE', 'Eve');
  eve.says(eve.chat, 'continue demo');
  expect((await seen(eve.chat, /bosun pair/)).text).not.toContain('demo');
  general.members.add(eve.id);
  eve.mentions(general, 'continue demo');
  expect(await seen(general, /bosun pair/)).toMatchObject({ ephemeralTo: eve.id });
});

it('a mention is answered in a thread, and a read-only slash command ephemerally', async () => {
  const { message } = ada.mentions(general, 'status');
  expect(await seen(general, /^demo: /)).toMatchObject({ threadTs: message.ts, ephemeralTo: null });
  ada.slash(general, '/bosun', 'whoami');
  expect(await seen(general, /You are Ada/)).toMatchObject({ ephemeralTo: ada.id });
});

it("a run reaches its review in the asking thread and in one thread of the project's channel", async () => {
  asked = ada.mentions(general, 'continue demo').message;
  expect(await seen(general, /Review/, 'Approve')).toMatchObject({ threadTs: asked.ts });
  const there = await seen(shop, /Review/, 'Approve');
  const inShop = slack.screen(shop);
  expect(inShop.filter(({ threadTs }) => threadTs === null)).toHaveLength(1);
  expect(new Set(inShop.map(({ ts, threadTs }) => threadTs ?? ts)).size).toBe(1);
  expect(slack.screen(general).some(({ ts, reactions }) => ts === asked.ts && reactions.includes('eyes'))).toBe(false);
  expect(there.buttons).toEqual(['Approve', 'Request changes', 'Reject', 'Show diff', 'Show log']);
});

it('a reviewer sees the diff of the review as a file in its thread, by a button and by words', async () => {
  const files = () => slack.screen(shop).flatMap(({ files = [] }) => files);
  bob.presses(await seen(shop, /Review/, 'Show diff'), 'Show diff');
  await seen(shop, /Diff · .*as in i1-1/s);
  ada.says(general, 'what changed?', { thread: asked });
  expect(await seen(general, /Diff · .*as in i1-1/s)).toMatchObject({ threadTs: asked.ts, ephemeralTo: null });
  await slack.until('the file', () => files().length > 0, limitMs);
}, 30_000);

it('"Request changes" asks in a modal and leads to a new review', async () => {
  const card = await seen(general, /Review/, 'Request changes');
  bob.presses(card, 'Request changes');
  await slack.until('the window', () => bob.modal !== null, limitMs);
  const { modal } = bob;
  if (modal === null) throw new Error('The window is gone');
  const field = JSON.stringify(modal.json).match(/"block_id":"([^"]+)"/)?.[1] ?? '';
  expect((await bob.submits(modal, { [field]: '30 seconds' })).action).toBe('clear');
  await seen(shop, /Changes requested ·.*by Bob.*30 seconds/s);
  await slack.until(
    'the old card is settled',
    () => shownIn(general, /Changes requested ·.*by Bob/s) !== undefined,
    limitMs,
  );
  expect((await seen(general, /Review/, 'Approve')).threadTs).toBe(asked.ts);
}, 30_000);

it('after a SIGKILL a plain reply still approves with a remark and settles every copy of the card', async () => {
  const [card, copy] = [await seen(general, /Review/, 'Approve'), await seen(shop, /Review/, 'Approve')];
  up.child.kill('SIGKILL');
  await up.ended;
  ada.says(general, 'approve, 30 seconds is what I meant', { thread: asked });
  up = await startReady(home);
  await seen(general, /Approved ·.*by Ada.*30 seconds is what I meant/s);
  await seen(shop, /Approved ·.*by Ada.*30 seconds is what I meant/s);
  const left = (channel: Channel, ts: string) => slack.screen(channel).find((one) => one.ts === ts)?.buttons;
  const looks = ['Show what changed', 'Show whole diff', 'Show log'];
  // A step may run by now.
  const own = (labels: readonly string[] = []) => labels.filter((one) => one !== 'Stop' && one !== 'Log so far');
  expect([own(left(general, card.ts)), own(left(shop, copy.ts))]).toEqual([looks, looks]);
}, 60_000);

it("a plain reply answers a question, and a press on the copy in the project's channel ends the run", async () => {
  await seen(general, /Question · .*newest first/s, 'Answer');
  ada.says(general, 'yes, newest first', { thread: asked });
  await seen(shop, /Answered ·.*by Ada.*yes, newest first/s);
  up.child.kill('SIGKILL');
  await up.ended;
  up = await startReady(home);
  await untilTaken(await seen(shop, /Next: US-002/, 'Finish here'), 'Finish here');
  expect((await seen(general, /demo is done/)).threadTs).toBe(asked.ts);
  const { out } = await bosun(['status', 'demo', '--json'], { home });
  expect(JSON.parse(out).run.status).toBe('completed');
}, 60_000);

it('a run proposed in a thread starts by a reply there, and a driving slash command opens a thread', async () => {
  const { message } = ada.mentions(general, 'demo: add a greeting');
  expect(await seen(general, /add a greeting/, 'Start')).toMatchObject({ threadTs: message.ts });
  ada.says(general, 'approve', { thread: message });
  expect(await seen(general, /Review/, 'Approve')).toMatchObject({ threadTs: message.ts });
  ada.slash(general, '/bosun', 'continue demo');
  expect(await seen(general, /Ada asks: continue demo/)).toMatchObject({ threadTs: null, ephemeralTo: null });
  bob.slash(general, '/bosun', 'continue demo');
  expect(await seen(general, /You're a reviewer/)).toMatchObject({ ephemeralTo: bob.id });
  expect(slack.screen(general).filter(({ text }) => text.includes('Bob asks'))).toEqual([]);
}, 60_000);

it('the home tab shows the cards that need its viewer, with working buttons', async () => {
  bob.opensHome();
  const home = () => (bob.home === null ? '' : slack.readView(bob.home));
  await slack.until('the tab', () => /Needs you \(1\)/.test(home()), limitMs);
  const tab = bob.home;
  if (tab === null) throw new Error('The tab is gone');
  bob.presses(tab, 'Approve');
  await seen(shop, /Approved ·.*by Bob/s);
  await slack.until('the tab is kept current', () => /Nothing needs you/.test(home()), limitMs);
}, 40_000);

it('no message was repeated unmarked, no platform rule was broken, and SIGTERM exits with 0', async () => {
  // What a death cut off has no answer.
  const refused = slack.ledger.calls().filter(({ came }) => came !== 'ok' && came !== null);
  const told = refused.map(({ method, came }) => `${method} ${came}`);
  // What one of the two deaths came just after is done again: nobody sees that.
  const again = new Set(['reactions.remove no_reaction', 'reactions.add already_reacted']);
  expect(told.filter((one) => !again.has(one))).toEqual([]);
  expect(told.length).toBeLessThanOrEqual(2);
  const isTaken = (one: Delivery) => one.ackedAt !== null || pressedAgain.has(one);
  await slack.until('all is taken', () => slack.deliveries.every(isTaken), limitMs);
  const texts = [shop, general].flatMap((channel) => slack.screen(channel).map(({ text }) => text));
  const ends = texts.filter((text) => /Done · US-001.* is done/s.test(text) && !text.includes('(perhaps a repeat)'));
  expect(ends).toHaveLength(2);
  up.child.kill('SIGTERM');
  expect((await up.ended).code).toBe(0);
});
