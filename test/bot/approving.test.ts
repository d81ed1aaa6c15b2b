// One card in several places: who decided stands on all of them, and the first valid answer wins.

import { expect, it, onTestFinished } from 'vitest';
import { inboxService, present } from '../../src/bot/index.js';
import { emptyPlan, openRuntime, type Runtime } from '../../src/dispatch/index.js';
import type { Message } from '../../src/store/messages/message-types.js';
import { configOf, givenWorld } from '../dispatch/given.js';
import { runtimeParts } from '../runtime-parts.js';

const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects: { shop: { root: "%ROOT%", workflow: two, members: { ada: operator, bob: reviewer, cy: operator }, quiet_hours: QUIET } }
people: { ada: { telegram: 7 }, bob: { telegram: 8 }, cy: { telegram: 9 }, dan: { telegram: 10 } }
channels: { telegram: { token: "1:x" } }
`;

interface Given {
  readonly runtime: Runtime;
  say(by: string, thread: string, text: string, replyTo?: string): Promise<readonly string[]>;
  press(by: string, thread: string, press: string): Promise<readonly string[]>;
  /** What each card of a thread shows now, the newest last. */
  cards(thread: string): readonly Message[];
  readonly review: string;
  clock: number;
}

async function atReview(approvals: string, quiet = '{ from: "00:00", to: "00:00" }'): Promise<Given> {
  const world = givenWorld('true', config.replace('QUIET', quiet));
  const chain = `  - id: review\n    kind: human\n    approvals: ${approvals}\n`;
  world.write('.ai/workflows/two.yaml', `workflow: two\nversion: 1\nchain:\n${chain}`);
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'flow');
  const read = configOf(world);
  const all = { clock: Date.now() };
  const runtime = openRuntime({ ...runtimeParts, home: world.home, config: () => read, present, now: () => all.clock });
  onTestFinished(() => runtime.close());
  const door = inboxService(runtime, () => read);
  const texts = (messages: readonly Message[]) => messages.map(({ view }) => view.text);
  const say: Given['say'] = async (by, thread, text, replyTo) =>
    texts((await door.hear({ thread, by, body: { type: 'text', text, replyTo: replyTo ?? null }, cwd: '/' })).messages);
  const press: Given['press'] = async (by, thread, pressed) =>
    texts((await door.hear({ thread, by, body: { type: 'press', press: pressed, text: null }, cwd: '/' })).messages);
  const cards: Given['cards'] = (thread) => {
    const newest = new Map(runtime.store.messages(thread, null, 500).map((one) => [one.edits ?? one.id, one]));
    return [...newest.values()].filter(({ interaction }) => interaction !== null);
  };
  await say('ada', 'tg:7', 'start shop: Make it');
  await press('ada', 'tg:7', 'i1-1.start');
  const open = () => runtime.store.openInteractions('shop').find(({ interaction }) => interaction.kind === 'review');
  await expect.poll(open, { timeout: 10_000, interval: 10 }).toBeDefined();
  const review = open()?.interaction.id ?? '';
  return Object.assign(all, { runtime, say, press, cards, review });
}

const last = (texts: readonly string[]) => String(texts.at(-1));

it('accepts the first of two simultaneous answers and tells the other person who decided, when and where', async () => {
  const { runtime, press, review, cards } = await atReview('{}');
  // So that both cards are there.
  await runtime.submit(() => ({ ...emptyPlan, effects: [{ type: 'follow', run: 'r1', thread: 'sl:C01GEN:1.2' }] }));
  const [won, lost] = await Promise.all([
    press('bob', 'sl:C01GEN:1.2', `${review}.approve`),
    press('ada', 'tg:7', `${review}.reject`),
  ]);
  expect(won.join('\n')).not.toContain('Too late');
  expect(lost.join('\n')).toMatch(/Too late: .*✅ Approved by Bob, \d\d:\d\d, Slack/);
  for (const thread of ['tg:7', 'sl:C01GEN:1.2']) {
    expect(
      cards(thread)
        .map(({ view }) => view.text)
        .join('\n'),
    ).toMatch(/✅ Approved ·.*by Bob, \d\d:\d\d, Slack/s);
  }
  expect(runtime.store.interaction(review)?.interaction.answer).toMatchObject({ by: 'bob', where: 'slack' });
});

it('removes the buttons from every copy of a card once it is decided', async () => {
  const { runtime, say, press, review, cards } = await atReview('{}');
  await say('ada', 'tg:7', 'continue shop');
  const [card] = cards('tg:7').filter(({ view }) => view.text.startsWith('Review'));
  await say('ada', 'tg:7', 'the gift cards', card?.id);
  await say('cy', 'tg:9', 'continue shop');
  const [own] = cards('tg:9');
  await say('cy', 'tg:9', 'hmm', own?.id);
  expect(runtime.store.asking(review).map(({ thread }) => thread)).toHaveLength(6);
  // By the button of what gave the words back.
  const [back] = cards('tg:9').slice(-1);
  await press('cy', 'tg:9', `${back?.id}.0`);
  expect(runtime.store.interaction(review)?.interaction.state).not.toBe('open');
  expect(runtime.store.asking(review)).toEqual([]);
  for (const { view } of [...cards('tg:7'), ...cards('tg:9')].filter(({ interaction }) => interaction === review)) {
    expect([view.buttons, view.offers]).toEqual([[], []]);
    expect(view.text).toMatch(/✅ Approved (?:·.*)?by Cy/s);
  }
});

it('a quorum card lists its approvers, counts each person once and names both in its outcome', async () => {
  const { press, review, cards } = await atReview('{ quorum: 2 }');
  expect(last(cards('tg:7').map(({ view }) => view.text))).toContain('Needs 2 approvals, has none yet.');
  expect(last(await press('ada', 'tg:7', `${review}.approve`))).toMatch(
    /Your vote counts\.\n1 of 2 approved: Ada \d\d:\d\d Telegram/,
  );
  const [card] = cards('tg:7').slice(-1);
  expect(card?.view.buttons.length).toBeGreaterThan(0);
  expect(last(await press('ada', 'local', `${review}.approve`))).toMatch(/You already said so, and it counts once/);
  await press('bob', 'tg:8', `${review}.approve`);
  const shown = cards('tg:7')
    .map(({ view }) => view.text)
    .join('\n');
  expect(shown).toMatch(/✅ Approved ·.*by Ada, \d\d:\d\d, Telegram and Bob, \d\d:\d\d, Telegram/s);
});

it('a card with not_requester says that the requester may not approve it and refuses their press', async () => {
  const { press, runtime, review, cards } = await atReview('{ not_requester: true }');
  expect(last(cards('tg:7').map(({ view }) => view.text))).toContain(
    'Ada asked for this, so somebody else approves it: Bob or Cy.',
  );
  expect(last(await press('ada', 'tg:7', `${review}.approve`))).toContain(
    'you asked for this work, so somebody else approves it',
  );
  expect(runtime.store.interaction(review)?.interaction.state).toBe('open');
  await press('bob', 'tg:8', `${review}.approve`);
  expect(runtime.store.interaction(review)?.interaction.state).toBe('answered');
});

it('a card whose quorum cannot be reached says so and names a way on', async () => {
  const { cards } = await atReview('{ quorum: 5 }');
  expect(last(cards('tg:7').map(({ view }) => view.text))).toMatch(
    /⚠️ Needs 5 approvals, and only 4 members may give one\. .*"abort shop"/,
  );
});

it('reminders ring as new messages, escalation asks members only, and every copy shows the outcome', async () => {
  const given = await atReview('{ remind_after: 2h, escalate_after: 8h, escalate_to: [cy, dan] }');
  const { runtime, review, cards, press } = given;
  const recall = async (type: 'remind' | 'escalate', hours: number) => {
    given.clock += hours * 3_600_000;
    await runtime.submit((now) => ({
      ...emptyPlan,
      events: [{ type, run: 'r1', chain: '', at: now.at, interaction: review }],
    }));
  };
  await recall('remind', 2);
  const [reminder] = cards('tg:7').slice(-1);
  expect(reminder?.view).toMatchObject({ rings: true, buttons: [{ press: `${review}.approve` }, {}, {}] });
  expect(reminder?.view.text).toMatch(/^Still waiting, 2 h · Review · Make it\nshop/);
  expect(reminder?.edits).toBeNull();
  await recall('escalate', 6);
  expect(cards('tg:9').map(({ view }) => view.text)).toEqual([
    expect.stringMatching(/^Now with you too, unanswered for 8 h · Review · Make it\nshop/),
  ]);
  // Who is no member of the project is told nothing of it.
  expect(cards('tg:10')).toEqual([]);
  expect(last(cards('tg:7').map(({ view }) => view.text))).toMatch(/Asked as well, in their own chats: Cy\.\n.*Dan\./);
  await press('cy', 'tg:9', `${review}.approve`);
  const outcome = /✅ Approved ·.*by Cy, \d\d:\d\d, Telegram/s;
  const buttons = ['tg:7', 'tg:9'].flatMap((thread) => cards(thread).flatMap(({ view }) => view.buttons));
  expect(buttons).toEqual([]);
  expect(cards('tg:7').filter(({ view }) => outcome.test(view.text))).toHaveLength(2);
  expect(cards('tg:9').filter(({ view }) => outcome.test(view.text))).toHaveLength(1);
});

it('a new question does not ring in quiet hours', async () => {
  const loud = await atReview('{}');
  expect(loud.cards('tg:7').at(-1)?.view.rings).toBe(true);
  const quiet = await atReview('{}', '{ from: "00:01", to: "00:00", zone: UTC }');
  expect(quiet.cards('tg:7').at(-1)?.view).toMatchObject({
    rings: new Date().getUTCHours() + new Date().getUTCMinutes() === 0,
  });
});

it('the runtime sends a reminder by itself once remind_after has passed', async () => {
  const given = await atReview('{ remind_after: 20ms }');
  given.clock += 20;
  const shown = () => given.cards('tg:7').map(({ view }) => view.text.split(' · ')[0]);
  await expect.poll(shown, { timeout: 10_000, interval: 20 }).toContain('Still waiting, 0 s');
});
