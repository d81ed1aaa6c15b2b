// Files beside what git sees, written on both machines while an attempt was away.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWorld } from './bundle-world.js';

test('additions of parallel attempts to one shared file are merged, idempotently', async () => {
  const world = makeWorld();
  const [here, there] = [world.place, world.workerPlace].map(({ shared }) => join(shared, 'progress.txt'));
  if (here === undefined || there === undefined) throw new Error('no place');
  mkdirSync(world.place.shared, { recursive: true });
  writeFileSync(here, 'head\n');
  const sent = await world.send();
  writeFileSync(there, 'head\nitem 1\n');
  const back = await world.giveBack();
  writeFileSync(here, 'head\nitem 2\n');
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(readFileSync(here, 'utf8').split('\n').sort()).toEqual(['', 'head', 'item 1', 'item 2']);
  const once = readFileSync(here, 'utf8');
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(readFileSync(here, 'utf8')).toBe(once);
});

test('bundles applied concurrently all keep their additions', async () => {
  const world = makeWorld();
  const [here, there] = [world.place, world.workerPlace].map(({ shared }) => join(shared, 'progress.txt'));
  if (here === undefined || there === undefined) throw new Error('no place');
  const sent = await world.send();
  mkdirSync(world.workerPlace.shared, { recursive: true });
  const backs: string[] = [];
  for (const item of ['1', '2', '3']) {
    writeFileSync(there, `item ${item}\n`);
    backs.push(await world.giveBack());
  }
  await Promise.all(backs.map((back) => world.take(sent, back)));
  expect(readFileSync(here, 'utf8').split('\n').sort()).toEqual(['', 'item 1', 'item 2', 'item 3']);
});

test('a concurrent edit of an own file conflicts, except in files that Bosun rewrites', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  bosun.write('.ai/notes.md', 'old\n');
  bosun.write('.ai/STATE.json', '{}\n');
  const sent = await world.send();
  worker.write('.ai/STATE.json', '{"there":1}\n');
  const live = await world.giveBack();
  bosun.write('.ai/STATE.json', '{"here":1}\n');
  expect(await world.take(sent, live)).toEqual({ kind: 'taken', stayed: [] });
  worker.write('.ai/notes.md', 'agent\n');
  const back = await world.giveBack();
  bosun.write('.ai/notes.md', 'a person\n');
  expect(await world.take(sent, back)).toEqual({ kind: 'clash', files: ['.ai/notes.md'] });
  expect(bosun.read('.ai/notes.md')).toBe('a person\n');
});

test('a file too large for a bundle is not replaced by an agent’s new file of the same name', async () => {
  const world = makeWorld();
  const { bosun, worker, place, workerPlace } = world;
  const large = 'x'.repeat(8 * 1024 * 1024 + 1);
  const [here, there] = [join(place.shared, 'notes.md'), join(workerPlace.shared, 'notes.md')];
  mkdirSync(place.shared, { recursive: true });
  writeFileSync(here, large);
  const sent = await world.send();
  writeFileSync(there, 'of the agent\n');
  expect(await world.take(sent, await world.giveBack())).toEqual({ kind: 'taken', stayed: ['notes.md'] });
  expect(statSync(here).size).toBe(large.length);
  bosun.write('progress.txt', large);
  worker.write('progress.txt', 'of the agent\n');
  expect(await world.take(sent, await world.giveBack())).toEqual({ kind: 'clash', files: ['progress.txt'] });
  expect(statSync(join(bosun.root, 'progress.txt')).size).toBe(large.length);
});
