import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWorld } from './bundle-world.js';

test('applying a bundle waits for a git lock that is held briefly', async () => {
  const world = makeWorld();
  const sent = await world.send();
  world.worker.write('a.txt', 'agent\n');
  const back = await world.giveBack();
  const lock = join(world.bosun.root, '.git', 'index.lock');
  writeFileSync(lock, '');
  setTimeout(() => rmSync(lock), 2_000);
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(world.bosun.read('a.txt')).toBe('agent\n');
});
