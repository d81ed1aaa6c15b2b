// Hundreds of sentences through the whole path: a home with two projects, its store, the grammar and the answers.
import { cpSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { inboxService, present } from '../../../src/bot/index.js';
import { openRuntime } from '../../../src/dispatch/index.js';
import type { Message } from '../../../src/store/messages/message-types.js';
import { acceptProjectRules } from '../../accept-rules.js';
import { configOf, givenWorld } from '../../dispatch/given.js';
import { runtimeParts } from '../../runtime-parts.js';
import { type Outcome, phoneSentences, type Sentence, type Situation } from './phone-sentences.js';

const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects:
  shop: { root: "%ROOT%", aliases: [A], workflow: two, members: { ada: owner } }
  api: { root: "%ROOT%-api", workflow: two, members: { ada: owner } }
people: { ada: { telegram: 7 } }
channels: { telegram: { token: "1:x" } }
`;
const chain = '  - { id: review, kind: human }\n  - { id: impl, prompt: do it }\n';

async function openRoom(situation: Situation) {
  const world = givenWorld('true', config);
  world.write('.ai/workflows/two.yaml', `workflow: two\nversion: 1\nchain:\n${chain}`);
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'flow');
  const api = `${world.root}-api`;
  cpSync(world.root, api, { recursive: true });
  acceptProjectRules(world.home.dir, api);
  const read = configOf(world);
  const runtime = openRuntime({ ...runtimeParts, home: world.home, config: () => read, present });
  onTestFinished(() => runtime.close());
  const { store } = runtime;
  const door = inboxService(runtime, () => read);
  const hear = async (body: Parameters<typeof door.hear>[0]['body']) =>
    (await door.hear({ thread: 'tg:7', by: 'ada', body, cwd: '/' })).messages;
  const say = (text: string, replyTo: string | null = null) => hear({ type: 'text', text, replyTo });
  const press = (pressed: string) => hear({ type: 'press', press: pressed, text: null });
  const reviewOf = (project: string) =>
    store.openInteractions(project).find(({ interaction }) => interaction.kind === 'review')?.interaction.id ?? '';
  const begin = async (project: string, task: string) => {
    await say(`${project}: ${task}`);
    await press(`${store.openInteractions(project)[0]?.interaction.id ?? ''}.start`);
    await expect.poll(() => reviewOf(project), { timeout: 20_000, interval: 10 }).not.toBe('');
  };
  if (situation !== 'idle') await begin('shop', 'Order history');
  if (situation === 'two') await begin('api', 'Rate limits');
  if (situation === 'asked') await press(`${reviewOf('shop')}.changes`);
  if (situation === 'queued') {
    await say('shop: Add a dark theme');
    await say('shop: task B');
  }
  const card = situation === 'reply' ? (store.asking(reviewOf('shop'))[0]?.id ?? null) : null;
  const runs = ['r1', 'r2', 'r3', 'r4', 'r5'];
  const facts = () => {
    const { project = null, quiet = false } = store.thread('tg:7') ?? {};
    return JSON.stringify([runs.map((run) => store.browsing.countEvents(run)), project, quiet]);
  };
  return { say: (text: string) => say(text, card), facts };
}

type Room = Awaited<ReturnType<typeof openRoom>>;

/** Why the answer to a sentence is wrong; null: it is right. */
function missOf(leads: Outcome, changed: boolean, messages: readonly Message[]): string | null {
  const text = messages.map(({ view }) => view.text).join('\n');
  const labels = messages.flatMap(({ view }) => view.buttons.map(({ label }) => label));
  const seen = `${changed ? 'ACTED ' : ''}${JSON.stringify(text.slice(0, 120))} ${JSON.stringify(labels.slice(0, 4))}`;
  if (changed !== 'acts' in leads) return seen;
  if ('acts' in leads) return leads.acts === true || leads.acts.test(text) ? null : seen;
  if ('offers' in leads) return isFirst(leads.offers, labels[0] ?? '') ? null : seen;
  return ('reads' in leads ? leads.reads : leads.asks).test(text) ? null : seen;
}

function isFirst(wanted: string | RegExp, label: string): boolean {
  return typeof wanted === 'string' ? wanted === label : wanted.test(label);
}

async function missesOf(situation: Situation, sentences: readonly Sentence[]) {
  let shared: Room | null = null;
  const misses: string[] = [];
  const unsafe: string[] = [];
  for (const { text, leads } of sentences) {
    const room: Room = shared ?? (await openRoom(situation));
    const before = room.facts();
    const messages = await room.say(text);
    const changed = room.facts() !== before;
    const miss = missOf(leads, changed, messages);
    if (miss !== null) misses.push(`${situation}: ${text} → ${miss}`);
    if (changed && !('acts' in leads)) unsafe.push(`${situation}: ${text}`);
    shared = changed ? null : room;
  }
  return { misses, unsafe };
}

const situations = [...new Set(phoneSentences.map((one) => one.in))];

it.each(situations)(
  'answers what people write from a phone where it is %s: none acts that must not, and 97 of 100 lead where they must',
  async (situation) => {
    const sentences = phoneSentences.filter((one) => one.in === situation);
    const { misses, unsafe } = await missesOf(situation, sentences);
    if (misses.length > 0) console.log(misses.join('\n'));
    expect(unsafe).toEqual([]);
    expect(misses.length / sentences.length, misses.join('\n')).toBeLessThanOrEqual(0.03);
  },
  120_000,
);

it('holds at least 150 sentences', () => {
  const distinct = new Set(phoneSentences.map((one) => `${one.in} ${one.text}`));
  expect([distinct.size, distinct.size >= 150]).toEqual([phoneSentences.length, true]);
});
