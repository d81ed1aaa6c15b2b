// An agent swaps a file or a folder between Bosun's check and its open.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { readFound, writeFound } from '../../src/workspace/bundle/bundle-disk.js';
import { readWithin } from '../../src/workspace/git/read-within.js';
import { makeFolder } from './repository.js';

const race = vi.hoisted(() => ({ beforeOpen: (): void => undefined, afterStat: (): void => undefined }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (...args) => {
    race.beforeOpen();
    race.beforeOpen = () => undefined;
    const file = await real.open(...args);
    const stat = file.stat.bind(file);
    return Object.assign(file, {
      stat: async () => {
        const facts = await stat();
        race.afterStat();
        return facts;
      },
    });
  };
  return { ...real, open };
});

beforeEach(() => {
  race.beforeOpen = () => undefined;
  race.afterStat = () => undefined;
});

function given() {
  const root = makeFolder();
  const base = join(root, 'base');
  const outside = join(root, 'outside');
  for (const folder of [join(base, 'sub'), outside]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(base, 'sub/a.txt'), 'inside');
  writeFileSync(join(outside, 'a.txt'), 'outside');
  const file = join(base, 'sub/a.txt');
  const swapFile = (make: () => void) => () => {
    rmSync(file);
    make();
  };
  const swapFolder = () => {
    renameSync(join(base, 'sub'), join(base, 'was'));
    symlinkSync(outside, join(base, 'sub'));
  };
  const toLink = swapFile(() => symlinkSync(join(outside, 'a.txt'), file));
  const toPipe = swapFile(() => execFileSync('mkfifo', [file]));
  return { base, outside, file, swaps: { link: toLink, pipe: toPipe, folder: swapFolder } };
}

it.each(['link', 'folder', 'pipe'] as const)('reads nothing when a %s is swapped in during a race', async (swap) => {
  const { base, file, swaps } = given();
  expect(await readWithin(base, file, 100)).toMatchObject({ type: 'text', text: 'inside' });
  race.beforeOpen = swaps[swap];
  expect(await readWithin(base, file, 100)).toMatchObject({ type: 'refused' });
});

it('refuses a file that grows beyond the limit after its size was read', async () => {
  const { base, file } = given();
  // The size is read from the open file, so the file has to grow between that and the first read.
  race.afterStat = () => appendFileSync(file, 'x'.repeat(200));
  expect(await readWithin(base, file, 100)).toMatchObject({
    type: 'refused',
    why: expect.stringContaining('is growing'),
  });
});

it.each(['link', 'folder', 'pipe'] as const)('bundles nothing when a %s is swapped in during a race', async (swap) => {
  const { base, swaps } = given();
  expect(String(Buffer.from((await readFound(base, 'sub/a.txt')) ?? ''))).toBe('inside');
  race.beforeOpen = swaps[swap];
  expect(await readFound(base, 'sub/a.txt')).toBeNull();
});

it('bundles nothing through a linked folder', async () => {
  const { base, swaps } = given();
  swaps.folder();
  expect(await readFound(base, 'sub/a.txt')).toBeNull();
});

it('writes nothing outside when a folder is swapped for a link', async () => {
  const { base, outside, swaps } = given();
  race.beforeOpen = swaps.folder;
  await expect(writeFound(base, 'sub/b.txt', Buffer.from('x'), false)).rejects.toMatchObject({ code: 'disk' });
  expect(readdirSync(outside)).toEqual(['a.txt']);
});
