// Words of a person to a running step, in a real room with a real child that works until it is told to end.
import { expect, it, onTestFinished } from 'vitest';
import { inboxService, present } from '../../../src/bot/index.js';
import { emptyPlan, openRuntime } from '../../../src/dispatch/index.js';
import { attemptToken } from '../../../src/jobs/attempt-token.js';
import type { Message } from '../../../src/store/messages/message-types.js';
import { configOf, givenWorld } from '../../dispatch/given.js';
import { runtimeParts } from '../../runtime-parts.js';

const config = (words: string) => `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects:
  shop: { root: "%ROOT%", workflow: one, words: ${words}, members: { ada: owner, bob: reviewer } }
people: { ada: { telegram: 7 }, bob: { telegram: 8 } }
channels: { telegram: { token: "1:x" } }
`;

async function openRoomAtWork(words = 'ask') {
  const world = givenWorld('note try; exec sleep 600', config(words));
  world.write(
    '.ai/workflows/one.yaml',
    'workflow: one\nversion: 1\nchain:\n  - { id: build, prompt: "Build it.", timeout: 5m }\n',
  );
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'flow');
  const read = configOf(world);
  const runtime = openRuntime({ ...runtimeParts, home: world.home, config: () => read, present });
  onTestFinished(() => runtime.close());
  const door = inboxService(runtime, () => read);
  const hear = async (by: string, body: Parameters<typeof door.hear>[0]['body']) =>
    (await door.hear({ thread: 'tg:7', by, body, cwd: '/' })).messages;
  const say = (by: string, text: string, replyTo: string | null = null) => hear(by, { type: 'text', text, replyTo });
  const press = (by: string, pressed: string) => hear(by, { type: 'press', press: pressed, text: null });
  await say('ada', 'start shop: Order history');
  await press('ada', 'i1-1.start');
  await expect.poll(() => runtime.store.run('r1')?.live[0]?.attempt, { timeout: 20_000, interval: 10 }).toBeDefined();
  const attempt = runtime.store.run('r1')?.live[0]?.attempt ?? '';
  await runtime.submit(({ at }) => ({
    ...emptyPlan,
    events: [{ type: 'attempt_started', run: 'r1', chain: '', at, attempt, worker: 'w1' }],
  }));
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const token = attemptToken(world.home.secret, attempt);
  const listen = (heard: { key: string; isHeard: boolean } | null = null) =>
    runtime.nextWords({ token, heard, waitMs: 20_000, gone: gone.signal });
  const card = runtime.store.messages('tg:7', null, 200).find(({ view }) => view.settled !== undefined)?.id ?? '';
  const notes = () => runtime.store.chain('r1', '')?.notes.map(({ text, words: to }) => [text, to?.to ?? null]) ?? [];
  const shown = () => runtime.store.messages('tg:7', null, 200).map(({ view }) => view.text);
  return { say, press, attempt, listen, card, notes, shown };
}

const textOf = (messages: readonly Message[]) => messages.map(({ view }) => view.text).join('\n');
const labels = (messages: readonly Message[]) => messages.flatMap(({ view }) => view.buttons.map(({ label }) => label));
const pressOf = ([message]: readonly Message[], label: string) =>
  `${message?.id}${message?.view.buttons.find((one) => one.label === label)?.press}`;

it('a reply while a step runs is offered, and reaches the agent only by the button', async () => {
  const room = await openRoomAtWork();
  const listening = room.listen();
  const offer = await room.say('ada', 'The totals use JWT everywhere', room.card);
  expect(labels(offer)).toEqual(['Send now', 'With the next try', 'Cancel']);
  expect(room.notes()).toEqual([]);
  await room.press('ada', pressOf(offer, 'Send now'));
  const words = await listening;
  expect(words).toMatchObject({ kind: 'words', text: 'The totals use JWT everywhere', by: 'ada' });
  expect(room.shown().join('\n')).toContain('shop: sending to build: “The totals use JWT everywhere”');
  void room.listen({ key: 'key' in words ? words.key : '', isHeard: true });
  await expect.poll(room.notes).toEqual([]);
  expect(room.shown().join('\n')).toContain('shop: sent to build: “The totals use JWT everywhere”');
  // One press settles all three.
  expect(textOf(await room.press('ada', pressOf(offer, 'With the next try')))).toContain('already used');
});

it('an agent that takes no words has them with the next try only, and the offer says why', async () => {
  const room = await openRoomAtWork();
  const offer = await room.say('ada', 'note for shop: use JWT');
  expect(labels(offer)).toEqual(['With the next try', 'Cancel']);
  expect(textOf(offer)).toContain('build takes no words while it works');
  await room.press('ada', pressOf(offer, 'With the next try'));
  expect(room.notes()).toEqual([['use JWT', null]]);
});

it('nothing is passed on after Cancel', async () => {
  const room = await openRoomAtWork();
  const offer = await room.say('ada', 'note: use JWT');
  expect(textOf(await room.press('ada', pressOf(offer, 'Cancel')))).toContain('I passed nothing on');
  expect(room.notes()).toEqual([]);
});

it.each([
  ['now', true],
  ['next', false],
])('with words: %s they go without a button', async (words, isSent) => {
  const room = await openRoomAtWork(words);
  void room.listen();
  await room.say('ada', 'note for shop: use JWT');
  expect(room.notes()).toEqual([['use JWT', isSent ? room.attempt : null]]);
});

it('people who may not drive the project, and too many words, are refused', async () => {
  const room = await openRoomAtWork('now');
  expect(textOf(await room.say('bob', 'note for shop: use JWT'))).toContain("You're a reviewer in shop");
  expect(textOf(await room.say('ada', `note for shop: ${'x'.repeat(4_001)}`))).toMatch(/too long|at most/);
  expect(room.notes()).toEqual([]);
});

it('unclear words while the only step runs are offered to it, and status offers to stop it', async () => {
  const room = await openRoomAtWork();
  const unclear = await room.say('ada', 'make the title red instead');
  expect(labels(unclear)[0]).toBe('Note for the next try of build');
  await room.press('ada', pressOf(unclear, 'Note for the next try of build'));
  expect(room.notes().map(([text]) => text)).toEqual(['make the title red instead']);
  expect(labels(await room.say('bob', 'make the title blue instead'))).not.toContain('Note for the next try of build');
  expect(labels(await room.say('ada', 'status shop'))).toEqual(['Stop']);
});
