// What a person gets for words that are no command while cards, prompts and waiting tasks are there: buttons only.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { inboxService, present } from '../../../src/bot/index.js';
import { openRuntime } from '../../../src/dispatch/index.js';
import type { Message } from '../../../src/store/messages/message-types.js';
import { configOf, givenWorld } from '../../dispatch/given.js';
import { runtimeParts } from '../../runtime-parts.js';

const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects:
  shop: { root: "%ROOT%", workflow: two, members: { ada: owner, bob: reviewer, vic: viewer } }
people: { ada: { telegram: 7 }, bob: { telegram: 8 }, vic: { telegram: 9 } }
channels: { telegram: { token: "1:x" } }
`;

/** A project whose run of "Order history" waits at its review. */
async function openRoomAtReview() {
  const world = givenWorld('true', config);
  const chain = '  - id: review\n    kind: human\n';
  world.write('.ai/workflows/two.yaml', `workflow: two\nversion: 1\nchain:\n${chain}`);
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'flow');
  const read = configOf(world);
  const clock = { now: Date.now() };
  const runtime = openRuntime({
    ...{ ...runtimeParts, home: world.home, config: () => read, present },
    now: () => clock.now,
  });
  onTestFinished(() => runtime.close());
  const door = inboxService(runtime, () => read);
  const hear = async (by: string, body: Parameters<typeof door.hear>[0]['body'], thread: string) =>
    (await door.hear({ thread, by, body, cwd: '/' })).messages;
  const say = (by: string, text: string, replyTo: string | null = null, thread = 'tg:7') =>
    hear(by, { type: 'text', text, replyTo }, thread);
  const press = (by: string, pressed: string, thread = 'tg:7') =>
    hear(by, { type: 'press', press: pressed, text: null }, thread);
  await say('ada', 'start shop: Order history');
  await press('ada', 'i1-1.start');
  const open = () => runtime.store.openInteractions('shop').find(({ interaction }) => interaction.kind === 'review');
  await expect.poll(open, { timeout: 20_000, interval: 10 }).toBeDefined();
  const review = open()?.interaction.id ?? '';
  const [card] = runtime.store.asking(review);
  const stateOf = (id: string) => runtime.store.interaction(id)?.interaction.state;
  return { runtime, clock, say, press, review, card: card?.id ?? '', isOpen: () => stateOf(review) === 'open' };
}

const textOf = (messages: readonly Message[]) => messages.map(({ view }) => view.text).join('\n');
const labels = (messages: readonly Message[]) => messages.flatMap(({ view }) => view.buttons.map(({ label }) => label));
const pressOf = (messages: readonly Message[], label: string) => {
  const holder = messages.find(({ view }) => view.buttons.some((one) => one.label === label));
  const press = holder?.view.buttons.find((one) => one.label === label)?.press ?? '';
  return press.startsWith('.') ? `${holder?.id}${press}` : press;
};

it.each(['approve', 'ok', 'yes', '+1', '👍', 'lgtm', 'sounds good', 'I approve', 'looks good to me!'])(
  'offers the one open card its own Approve for a bare %j, which approves nothing itself',
  async (words) => {
    const room = await openRoomAtReview();
    const said = await room.say('bob', words);
    expect(textOf(said)).toContain(`Do you mean Review · Order history (${room.review})?`);
    expect(labels(said)).toEqual(['Approve', 'Show Review · Order history']);
    expect(room.isOpen()).toBe(true);
    await room.press('bob', pressOf(said, 'Approve'));
    expect(room.isOpen()).toBe(false);
  },
);

it('offers no Approve to a person who may not, nor where the card is not', async () => {
  const room = await openRoomAtReview();
  expect(textOf(await room.say('vic', 'ok'))).toContain("You're a viewer in shop");
  const elsewhere = await room.say('bob', 'ok', null, 'tg:88');
  expect([textOf(elsewhere), labels(elsewhere)]).toEqual([expect.stringContaining('Which card?'), []]);
  expect(room.isOpen()).toBe(true);
});

it.each(['+1', '👍', 'I approve', 'sounds good'])(
  'offers a single Approve for %j in reply to a review',
  async (words) => {
    const room = await openRoomAtReview();
    const said = await room.say('bob', words, room.card);
    expect([labels(said), room.isOpen()]).toEqual([['Approve'], true]);
    await room.press('bob', pressOf(said, 'Approve'));
    expect(room.isOpen()).toBe(false);
  },
);

it('offers words after Request changes as the change request, and never as a new run', async () => {
  const room = await openRoomAtReview();
  await room.press('bob', `${room.review}.changes`);
  const said = await room.say('bob', 'please rename total to sum');
  expect(textOf(said)).toBe(
    `Use “please rename total to sum” as your change request for Review · Order history (${room.review})?`,
  );
  expect([labels(said), room.isOpen()]).toEqual([['Use it', 'No'], true]);
  const other = await room.say('ada', 'please rename total to sum');
  expect(labels(other)).not.toContain('Use it');
  const refused = await room.press('bob', pressOf(said, 'No'));
  expect(labels(refused)).toContain('Use it as a change request');
  await room.press('bob', pressOf(said, 'Use it'));
  expect(room.runtime.store.interaction(room.review)?.interaction.answer).toMatchObject({
    ...{ option: 'changes', text: 'please rename total to sum', by: 'bob' },
  });
});

it('no longer takes words for an answer ten minutes after the press', async () => {
  const room = await openRoomAtReview();
  await room.press('bob', `${room.review}.changes`);
  expect(labels(await room.say('bob', 'yes'))).toEqual(['Use it', 'No']);
  room.clock.now += 10 * 60_000 + 1;
  expect(labels(await room.say('bob', 'yes'))).toEqual(['Approve', 'Show Review · Order history']);
});

it('shows the title of the card that waits with unclear words, and a button to it', async () => {
  const room = await openRoomAtReview();
  const said = await room.say('bob', 'hmm the totals look odd');
  expect(textOf(said)).toContain(`Waiting for an answer here:\nReview · Order history (${room.review})`);
  expect(labels(said).slice(0, 2)).toEqual(['Show Review · Order history', 'Use it as a change request']);
  const [shown] = await room.press('bob', pressOf(said, 'Show Review · Order history'));
  expect([shown?.interaction, shown?.view.text]).toEqual([
    room.review,
    expect.stringMatching(/^Review · Order history/),
  ]);
  expect(room.isOpen()).toBe(true);
});

it('offers to take out the waiting task that is named, and never to abort the running one', async () => {
  const room = await openRoomAtReview();
  await room.say('ada', 'shop: Add a dark theme');
  await room.say('ada', 'shop: task B');
  for (const [words, task] of [
    ['abort r2', 'Add a dark theme'],
    ['drop the dark theme one', 'Add a dark theme'],
    ['remove task B', 'task B'],
    ['cancel task B please', 'task B'],
    ['remove the dark theme task from the queue', 'Add a dark theme'],
  ] as const) {
    const said = await room.say('ada', words);
    expect([words, labels(said)]).toEqual([words, [`Take out: ${task}`]]);
  }
  const said = await room.say('ada', 'remove task B');
  await room.press('bob', pressOf(said, 'Take out: task B'));
  expect(room.runtime.store.run('r3')?.status).toBe('draft');
  await room.press('ada', pressOf(said, 'Take out: task B'));
  expect(room.runtime.store.run('r3')?.status).toBe('cancelled');
  expect(textOf(await room.say('ada', 'abort r3'))).toContain("isn't waiting any more");
  expect(labels(await room.say('ada', 'abort r1'))).toEqual(['abort shop']);
  expect(room.runtime.store.run('r1')?.status).toBe('paused');
});

it('offers a task that names its project without the place, and starts nothing', async () => {
  const room = await openRoomAtReview();
  for (const words of ['fix the login bug in shop', 'please add a wishlist to shop', 'in shop, fix the header']) {
    const said = await room.say('ada', words);
    const [, task = ''] = /I did nothing yet\. shop: (.*)/.exec(textOf(said)) ?? [];
    expect(['fix the login bug', 'add a wishlist', 'fix the header']).toContain(task);
    expect(labels(said)[0]).toBe('Do it in one step');
  }
  expect(room.runtime.store.drafts('shop')).toEqual([]);
});

it('refuses a task with the cause, instead of proposing it, where the folder, git or the agent is missing', async () => {
  const shown = async (more: (world: ReturnType<typeof givenWorld>) => void, text = config) => {
    const world = givenWorld('true', text);
    more(world);
    const read = configOf(world);
    const runtime = openRuntime({ ...runtimeParts, home: world.home, config: () => read, present });
    onTestFinished(() => runtime.close());
    const door = inboxService(runtime, () => read);
    const body = { type: 'text', text: 'shop: add login', replyTo: null } as const;
    const { messages, exit } = await door.hear({ thread: 'tg:7', by: 'ada', body, cwd: '/' });
    expect([exit, runtime.store.drafts('shop')]).toEqual([3, []]);
    expect(labels(messages)).toEqual(['Try again']);
    return textOf(messages);
  };
  const quick = config.replace('workflow: two, ', '');
  const noGit = await shown(({ root }) => rmSync(join(root, '.git'), { recursive: true }), quick);
  expect(noGit).toMatch(
    /^Can't start in shop: .* is not under git\. Run git init there and commit its files\.\nNothing/,
  );
  expect(await shown(({ root }) => rmSync(root, { recursive: true }), quick)).toMatch(
    /does not exist\. Check the path/,
  );
  const missing = await shown(() => undefined, quick.replace('[sh, "%AGENT%"]', '[no-such-program]'));
  expect(missing).toMatch(/no-such-program isn't installed on Bosun's computer, and the executor agent needs it/);
});

it('names the nearest project or workflow for one that does not exist', async () => {
  const room = await openRoomAtReview();
  const project = await room.say('ada', 'status shopp');
  expect([textOf(project), labels(project)]).toEqual([
    'There is no project shopp. Did you mean shop?',
    ['status shop'],
  ]);
  const none = await room.say('ada', 'continue zebra');
  expect([textOf(none), labels(none)]).toEqual(['There is no project zebra. Your projects: shop.', ['continue shop']]);
  const task = await room.say('ada', 'shpo: add login');
  expect([textOf(task), labels(task)]).toEqual(['There is no project shpo. Did you mean shop?', ['shop: add login']]);
  for (const words of ['start shop with twoo: add login', 'start shop with twoo']) {
    const workflow = await room.say('ada', words);
    expect(textOf(workflow)).toContain('No workflow "twoo"\nDid you mean two?');
    expect(labels(workflow)).toEqual([words.replace('twoo', 'two')]);
  }
});

it('status offers the card that waits for the reader', async () => {
  const { say, press } = await openRoomAtReview();
  const [told] = await say('ada', 'status shop');
  expect(told?.view.buttons.map(({ label }) => label)).toEqual(['Show Review · Order history']);
  const [shown] = await press('ada', `${told?.id}.0`);
  expect(shown?.view.text).toMatch(/^Review · Order history/);
});

it('answers a burst of unclear words with the one message that waits for delivery', async () => {
  const { runtime, say } = await openRoomAtReview();
  const roots = async (count: number) => {
    const told = await Promise.all(Array.from({ length: count }, (_, at) => say('ada', `hello number ${at}`)));
    return new Set(told.flat().map((one) => one.edits ?? one.id)).size;
  };
  expect(await roots(5)).toBe(1);
  // Delivered: the next answer stands below the next words.
  const [last] = await say('ada', 'hello again');
  const root = last?.edits ?? last?.id ?? '';
  for (const { id } of runtime.store.messages('tg:7', null, 500))
    runtime.store.deliveries.end(Number(id.slice(1)), 'sent', null);
  const [next] = await say('ada', 'hello once more');
  expect(next?.edits ?? next?.id).not.toBe(root);
  expect(next?.edits).toBeNull();
});

it('a skipped review is told in the other chats of the run, not again in the one where it was skipped', async () => {
  const { runtime, say, press } = await openRoomAtReview();
  await say('ada', 'continue shop', null, 'tg:8');
  await say('ada', 'skip shop review: docs only');
  const asked = runtime.store.openInteractions('shop').find(({ interaction }) => interaction.kind === 'confirm');
  await press('ada', `${asked?.interaction.id}.skip`);
  const texts = (thread: string) => runtime.store.messages(thread, null, 500).map(({ view }) => view.text);
  await expect.poll(() => texts('tg:8').at(-1), { timeout: 20_000 }).toContain('skipped by Ada: “docs only”');
  const isTold = (text: string) => text.startsWith('⏭ review · Skipped by Ada') || text.startsWith('shop: skipped');
  expect([texts('tg:7').filter(isTold), texts('tg:8').filter(isTold)]).toEqual([
    [],
    ['⏭ review · Skipped by Ada: “docs only”\nshop · It was not approved.'],
  ]);
});
