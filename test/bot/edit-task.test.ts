// A waiting task gets other words: its card and the queue show them, and a task that has begun keeps its own.

import { expect, it, onTestFinished } from 'vitest';
import { inboxService, present } from '../../src/bot/index.js';
import { openRuntime } from '../../src/dispatch/index.js';
import { configOf, givenWorld } from '../dispatch/given.js';
import { runtimeParts } from '../runtime-parts.js';

const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects:
  shop:
    root: "%ROOT%"
    workflow: one
    members: { ada: owner, bob: reviewer }
people: { ada: { telegram: 7 }, bob: { telegram: 8 } }
channels: { telegram: { token: "1:x" } }
`;

async function twoTasks() {
  const world = givenWorld('true', config);
  world.write('.ai/workflows/one.yaml', 'workflow: one\nversion: 1\nchain:\n  - { id: review, kind: human }\n');
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'flow');
  const read = configOf(world);
  const runtime = openRuntime({ ...runtimeParts, home: world.home, config: () => read, present });
  onTestFinished(() => runtime.close());
  const door = inboxService(runtime, () => read);
  const say = async (text: string, replyTo: string | null = null, by = 'ada') => {
    const body = { type: 'text', text, replyTo } as const;
    const { messages } = await door.hear({ thread: by === 'ada' ? 'tg:7' : 'tg:8', by, body, cwd: '/' });
    return messages.map(({ view }) => view.text);
  };
  const press = (pressed: string) =>
    door.hear({ thread: 'tg:7', by: 'ada', body: { type: 'press', press: pressed, text: null }, cwd: '/' });
  const card = (id: string) => runtime.store.messages('tg:7', null, 500).findLast(({ card }) => card === id);
  await say('shop: Add a footer');
  await press('i1-1.start');
  await say('shop: Add a dark theme');
  const last = () => runtime.store.messages('tg:7', null, 500).at(-1);
  return { say, press, card, last, task: (run: string) => runtime.store.run(run)?.task };
}

it('by its id, and its proposal and the queue say the new words', async () => {
  const { say, card, task } = await twoTasks();
  expect((await say('edit q2: Add a light theme\nand a switch')).at(-1)).toBe(
    'Changed (q2): “Add a light theme”\nIt was: “Add a dark theme”',
  );
  expect(task('r2')).toBe('Add a light theme\nand a switch');
  expect(card('i2-1')?.view.text).toMatch(/^Start\? · Add a light theme\n/);
  expect((await say('queue shop'))[0]).toContain('1. “Add a light theme”');
});

it('by a reply to its card, also after Start, and Undo puts the old words back', async () => {
  const { say, press, card, task } = await twoTasks();
  await press('i2-1.start');
  await say('edit: Add a light theme', card('i2-1')?.edits ?? card('i2-1')?.id);
  expect(task('r2')).toBe('Add a light theme');
  expect(card('i2-1')?.view.text).toContain('Add a light theme');
  await say('edit q2: Add a dark theme');
  expect(task('r2')).toBe('Add a dark theme');
});

it('by plain words in reply to its card, which only offer it', async () => {
  const { say, press, card, task, last } = await twoTasks();
  const words = 'Add a light theme';
  await say(words, card('i2-1')?.id);
  expect([task('r2'), last()?.view.buttons.map(({ label }) => label)]).toEqual([
    'Add a dark theme',
    ['Start', 'Cancel', 'Change the task to these words'],
  ]);
  await press(`${last()?.id}.2`);
  expect(task('r2')).toBe(words);
  await press('i2-1.start');
  await say('Add no theme', card('i2-1')?.edits ?? null);
  expect(last()?.view.buttons.map(({ label }) => label)).toEqual(['Change the task to these words']);
  await press(`${last()?.id}.0`);
  expect(task('r2')).toBe('Add no theme');
});

it('not for a task that has begun, nor by a person who may not change the queue', async () => {
  const { say, task } = await twoTasks();
  expect(await say('edit q1: Something else')).toEqual([
    '“Add a footer” has begun already, so its words stay. Reply to its card to tell the running step.',
  ]);
  expect(await say('edit r1: Something else')).toEqual([
    '“Add a footer” has begun already, so its words stay. Reply to its card to tell the running step.',
  ]);
  expect(await say('edit q2: Something else', null, 'bob')).toEqual([
    "You're a reviewer in shop; starting work takes an operator: Ada.",
  ]);
  expect(await say('edit q2')).toEqual(['What should it say? For example: "edit q2: add a dark theme".']);
  expect((await say('edit: Something else'))[0]).toContain('Which task?');
  expect([task('r1'), task('r2')]).toEqual(['Add a footer', 'Add a dark theme']);
});
