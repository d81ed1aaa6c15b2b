// A person puts a card off for themselves, or hands it to another: who is told, whose inbox has it, and what survives a
// restart.

import { expect, it, onTestFinished } from 'vitest';
import { inboxService, present } from '../../src/bot/index.js';
import { openRuntime, type Runtime } from '../../src/dispatch/index.js';
import type { Message } from '../../src/store/messages/message-types.js';
import { configOf, givenWorld } from '../dispatch/given.js';
import { runtimeParts } from '../runtime-parts.js';

const minute = 60_000;
const hour = 60 * minute;

const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects:
  shop:
    root: "%ROOT%"
    workflow: one
    members: { ada: owner, bob: reviewer, cy: operator, eve: reviewer, vic: viewer }
people:
  ada: { telegram: 7, slack: U01ADA }
  bob: { slack: U02BOB }
  cy: { telegram: 9 }
  eve: { telegram: 8 }
  vic: { telegram: 6 }
channels: { telegram: { token: "1:x" }, slack: { bot_token: "xoxb-1" } }
`;

const inSlack = 'sl:C01GEN:1.2';
const noon = new Date(2026, 4, 4, 12).getTime();

async function atReview(approvals = 'quorum: 1', by = 'ada', place = inSlack) {
  const world = givenWorld('true', config);
  const human = `  - { id: review, kind: human, approvals: { ${approvals} } }\n`;
  world.write('.ai/workflows/one.yaml', `workflow: one\nversion: 1\nchain:\n${human}`);
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'flow');
  const read = configOf(world);
  let at = noon;
  const open = (): Runtime =>
    openRuntime({ ...runtimeParts, home: world.home, config: () => read, present, now: () => at });
  let runtime = open();
  onTestFinished(() => runtime.close());
  const hear = (body: Parameters<ReturnType<typeof inboxService>['hear']>[0]['body'], who: string, thread: string) =>
    inboxService(runtime, () => read).hear({ thread, by: who, body, cwd: '/' });
  const say = async (who: string, thread: string, text: string, replyTo: string | null = null) =>
    (await hear({ type: 'text', text, replyTo }, who, thread)).messages;
  const press = (who: string, thread: string, pressed: string) =>
    hear({ type: 'press', press: pressed, text: null }, who, thread);
  const sent = (thread: string): readonly Message[] => runtime.store.messages(thread, null, 500);
  await say(by, place, 'start shop: Make it');
  await press(by, place, 'i1-1.start');
  const asked = () => runtime.store.openInteractions('shop').find(({ interaction }) => interaction.kind === 'review');
  await expect.poll(asked, { timeout: 10_000, interval: 10 }).toBeDefined();
  const id = asked()?.interaction.id ?? '';
  return {
    ...{ id, say, press, sent },
    interaction: () => runtime.store.interaction(id)?.interaction,
    cards: (thread: string) => sent(thread).filter(({ interaction }) => interaction === id),
    history: () => runtime.store.newestEvents('r1', 100).map(({ event }) => event),
    later: (ms: number) => {
      at += ms;
    },
    /** As if Bosun was started anew; what was due meanwhile happens. */
    async restart() {
      await runtime.close();
      runtime = open();
      await runtime.recover();
    },
  };
}

const textsOf = (messages: readonly Message[]) => messages.map(({ view }) => view.text);

it('a snooze spares one person the reminders, and ends with one reminder after a restart', async () => {
  const { id, say, sent, cards, later, restart, interaction } = await atReview('quorum: 1, remind_after: 30m');
  const before = cards('tg:8').length;
  const [told] = await say('eve', 'tg:8', `snooze ${id} 2h`);
  expect(told?.view.text).toBe(`Snoozed for you until 14:00. Others can still answer.\n“Review · Make it” (${id})`);
  expect(told?.view.buttons.map(({ label }) => label)).toEqual(['Wake it now']);
  expect(interaction()?.snoozes).toEqual([{ by: 'eve', until: noon + 2 * hour }]);
  const [inbox] = await say('eve', 'tg:8', 'inbox');
  expect(inbox?.view.text).toContain(`Nothing needs you.\nSnoozed until 14:00: Review · Make it (${id})`);
  expect(textsOf(await say('bob', 'sl:U02BOB', 'inbox'))[0]).toContain(`1. Review · Make it (${id})`);
  later(hour);
  await restart();
  expect(cards('tg:8')).toHaveLength(before);
  expect(textsOf(cards(inSlack)).filter((text) => text.startsWith('Still waiting'))).toHaveLength(1);
  later(hour);
  await restart();
  const woken = cards('tg:8').slice(before);
  expect(woken.map(({ view: { text, rings } }) => [text.split('\n')[0], rings])).toEqual([
    ['Still waiting, 2 h · Review · Make it', true],
  ]);
  expect(interaction()?.snoozes).toBeUndefined();
  await restart();
  expect(cards('tg:8')).toHaveLength(before + 1);
  await say('bob', inSlack, `approve ${id}`);
  // The message that reminded her is settled with all other copies.
  expect(cards('tg:8').at(-1)?.view.text).toMatch(/^✅ Approved · Make it/);
  expect(cards('tg:8').at(-1)?.edits).toBe(woken[0]?.id);
  expect(sent('tg:8').length).toBeGreaterThan(0);
});

it('a snooze ends by a word, by a button of its message, and with the answer', async () => {
  const { id, say, press, interaction, restart, later, cards } = await atReview();
  const [told] = await say('eve', 'tg:8', `snooze ${id}`);
  await press('eve', 'tg:8', `${told?.id}.0`);
  expect(interaction()?.snoozes).toBeUndefined();
  await say('eve', 'tg:8', `snooze ${id} 1 day`);
  await say('bob', 'sl:U02BOB', `snooze ${id} 30m`);
  expect(interaction()?.snoozes?.map(({ by }) => by)).toEqual(['eve', 'bob']);
  expect(textsOf(await say('eve', 'tg:8', `wake ${id}`))).toEqual([`Back in your inbox: “Review · Make it” (${id}).`]);
  await say('eve', 'tg:8', `approve ${id}`);
  later(hour);
  const before = cards('sl:U02BOB').length;
  await restart();
  expect(cards('sl:U02BOB')).toHaveLength(before);
});

it.each([
  ['eve', 'snooze %s 2m', 'A card can be put off for 5 minutes to 7 days, as in "snooze i12-3 2h".'],
  ['eve', 'snooze %s 8 days', 'A card can be put off for 5 minutes to 7 days, as in "snooze i12-3 2h".'],
  ['eve', 'snooze i9-9 2h', 'There is no card i9-9.'],
  ['vic', 'snooze %s 2h', "You're a viewer in shop; answering takes a reviewer."],
  ['eve', 'hand %s to vic', "Vic is a viewer in shop and can't decide this. It can go to: Ada, Bob, Cy."],
  ['eve', 'hand %s to bobb', 'No member of shop is called "bobb"; did you mean bob? It can go to: Ada, Bob, Cy.'],
  ['eve', 'hand %s to zoltan', 'No member of shop is called "zoltan". It can go to: Ada, Bob, Cy.'],
  ['eve', 'hand %s to eve', 'You have “Review · Make it” (%s) already.'],
  ['vic', 'hand %s to bob', "You're a viewer in shop; answering takes a reviewer."],
])('%s hears why "%s" does nothing', async (by, text, answer) => {
  const { id, say, interaction } = await atReview();
  const before = interaction();
  expect(textsOf(await say(by, by === 'vic' ? 'tg:6' : 'tg:8', text.replace('%s', id)))).toEqual([
    answer.replace('%s', id),
  ]);
  expect(interaction()).toEqual(before);
});

it('a card that was handed over waits for that person, who is told in their own chat, and may still be answered by others', async () => {
  const { id, say, press, cards, interaction, history } = await atReview('quorum: 1', 'cy', 'tg:9');
  expect(textsOf(await say('eve', 'tg:8', `hand ${id}`))).toEqual([`Hand “Review · Make it” (${id}) to whom?`]);
  expect(textsOf(await say('eve', 'tg:8', `hand ${id} to Bob`)).at(-1)).toBe(
    `Handed to Bob: “Review · Make it” (${id}).`,
  );
  expect(cards('tg:8').at(-1)?.view.text.split('\n').slice(0, 2)).toEqual([
    'Review · Make it',
    'shop · for Bob, from Eve',
  ]);
  const [forBob] = cards('sl:U02BOB').slice(-1);
  expect(forBob?.view.text.split('\n')[0]).toBe('Eve hands you · Review · Make it');
  expect([forBob?.view.rings, forBob?.view.menu?.map(({ label }) => label)]).toEqual([
    true,
    ['Snooze 1 h', 'Hand over', 'Hand back'],
  ]);
  expect(textsOf(await say('eve', 'tg:8', 'inbox'))[0]).toBe('Nothing needs you.\n1 card waits for others.');
  expect(textsOf(await say('bob', 'sl:U02BOB', 'inbox'))[0]).toContain(id);
  expect(textsOf(await say('eve', 'tg:8', 'status shop'))[0]).toContain('waiting for Bob');
  expect(history().at(-1)).toMatchObject({ type: 'hand', by: 'eve', to: 'bob' });
  await press(
    'bob',
    'sl:U02BOB',
    forBob?.view.menu?.[2] === undefined ? '' : `${forBob.id}${forBob.view.menu[2].press}`,
  );
  expect(interaction()?.handed).toMatchObject({ by: 'bob', to: 'eve' });
  await say('cy', 'tg:9', `approve ${id}`);
  expect(interaction()?.answer?.by).toBe('cy');
  expect(cards('sl:U02BOB').at(-1)?.view.text).toMatch(/^✅ Approved/);
});

it('handing over changes neither the quorum nor who is barred', async () => {
  const { id, say, interaction } = await atReview('quorum: 2, not_requester: true', 'cy', 'tg:9');
  expect(textsOf(await say('eve', 'tg:8', `hand ${id} to cy`))).toEqual([
    'Cy asked for this work, so someone else decides it. It can go to: Ada, Bob.',
  ]);
  await say('cy', 'tg:9', `hand ${id} to eve`);
  await say('eve', 'tg:8', `approve ${id}`);
  expect(interaction()).toMatchObject({ state: 'open', votes: [{ by: 'eve' }] });
  // It no longer waits for the one who has voted.
  expect(interaction()?.handed).toBeUndefined();
  expect(textsOf(await say('bob', 'sl:U02BOB', 'inbox'))[0]).toContain(id);
  await say('cy', 'tg:9', `approve ${id}`);
  expect(interaction()?.state).toBe('open');
  await say('bob', 'sl:U02BOB', `approve ${id}`);
  expect(interaction()?.state).toBe('answered');
});

it('a reminder reaches the people whom a card waits for, on their channels, and not their colleague', async () => {
  const { id, say, sent, interaction, history, later, cards } = await atReview();
  later(2 * hour);
  const before = [sent('tg:8'), cards(inSlack)].map(({ length }) => length);
  const [told] = await say('cy', 'tg:9', `remind ${id}`);
  expect(told?.view.text).toBe(`Reminded Bob and Eve: “Review · Make it” (${id}).`);
  expect(interaction()?.nudged).toEqual({ by: 'cy', at: noon + 2 * hour });
  expect(history().at(-1)).toMatchObject({ type: 'nudge', by: 'cy', interaction: id });
  const ofEve = sent('tg:8').slice(before[0]);
  expect(textsOf(ofEve)).toEqual([expect.stringMatching(/^Cy reminds you, after 2 h · Review · Make it/)]);
  expect(ofEve[0]?.view.rings).toBe(true);
  // Bob reads the thread in which the work was asked for.
  expect(textsOf(cards(inSlack).slice(before[1])).filter((text) => text.startsWith('Cy reminds you'))).toHaveLength(1);
});

it('a card is reminded of at most once an hour, by anyone, and the refusal says when again', async () => {
  const { id, say, sent, later, press, cards } = await atReview();
  later(hour);
  await say('cy', 'tg:9', `remind ${id}`);
  const count = sent('tg:8').length;
  later(59 * minute);
  const [refused] = await say('ada', 'tg:7', `remind ${id}`);
  expect(refused?.view.text).toBe(
    `Bob and Eve had a reminder of “Review · Make it” (${id}) within the last hour; the next may go out at 14:00.`,
  );
  expect(sent('tg:8')).toHaveLength(count);
  later(minute);
  const [told] = await say('ada', 'tg:7', `remind ${id}`);
  expect(told?.view.text).toContain('Reminded Bob and Eve');
  // The answer settles each of its copies.
  await press('eve', 'tg:8', `${id}.approve`);
  const newest = new Map(cards('tg:8').map((one) => [one.card, one]));
  expect([newest.size, [...newest.values()].flatMap(({ view }) => view.buttons)]).toEqual([3, []]);
  const [late] = await say('ada', 'tg:7', `remind ${id}`);
  expect(late?.view.text).toContain('already decided');
});

it.each([
  ['vic', 'remind %s', "You're a viewer in shop; answering takes a reviewer."],
  ['cy', 'remind i9-9', 'There is no card i9-9.'],
  ['cy', 'remind', 'Which card? Reply to it, or name its code: "remind i12-3".'],
])('%s says %j and no one is reminded', async (who, said, answered) => {
  const { id, say, interaction, later } = await atReview();
  later(2 * hour);
  const [told] = await say(who, `tg:${{ vic: 6, cy: 9 }[who] ?? 0}`, said.replace('%s', id));
  expect(told?.view.text).toContain(answered);
  expect(interaction()?.nudged).toBeUndefined();
});
