// What a step shows is copied as it is when the step ends; an agent may have put anything there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyEnvelope } from '../../src/engine/index.js';
import { removePictures, withPictures } from '../../src/worker/attempt/pictures.js';
import { givenSpec, sh } from '../agents/attempts/given.js';
import { makeFolder } from '../workspace/repository.js';

const begins = {
  png: Buffer.from('89504e470d0a1a0a0000', 'hex'),
  jpg: Buffer.from('ffd8ffe0', 'hex'),
  gif: Buffer.from('GIF89a..'),
  webp: Buffer.from('RIFF1234WEBPVP8 '),
};

function shownIn(files: Readonly<Record<string, Buffer>>, shows: readonly string[] = ['shots/*']) {
  const [root, home] = [makeFolder(), makeFolder()];
  mkdirSync(join(root, 'shots'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(root, 'shots', name), bytes);
  const spec = givenSpec({ root, executor: sh('true'), shows });
  return { root, home, show: (place: string | null = home) => withPictures(spec, emptyEnvelope, place) };
}

it('takes pictures by their first bytes, whatever they are called, and keeps them as they were', async () => {
  const files = { 'a.png': begins.png, 'b.txt': begins.jpg, 'c.gif': begins.gif, 'd.webp': begins.webp };
  const { root, home, show } = shownIn(files);
  const { pictures = [], warnings } = await show();
  expect(warnings).toEqual([]);
  expect(pictures.map(({ path, file }) => [path, file.replace(/\w{64}/, '#')])).toEqual([
    ['shots/a.png', 'r1/#.png'],
    ['shots/b.txt', 'r1/#.jpg'],
    ['shots/c.gif', 'r1/#.gif'],
    ['shots/d.webp', 'r1/#.webp'],
  ]);
  writeFileSync(join(root, 'shots/a.png'), 'another');
  expect(readFileSync(join(home, 'pictures', pictures[0]?.file ?? ''))).toEqual(begins.png);
  removePictures({ dir: home }, 'r1');
  expect(existsSync(join(home, 'pictures/r1'))).toBe(false);
});

it('leaves out what only has the name of a picture, is too large or too much, and says so', async () => {
  const large = Buffer.concat([begins.png, Buffer.alloc(5 * 1024 * 1024)]);
  const { show } = shownIn({ 'a.svg': Buffer.from('<svg onload="x">'), 'b.png': large, 'c.png': Buffer.alloc(0) });
  const { pictures, warnings } = await show();
  expect([pictures, warnings]).toEqual([
    undefined,
    [
      'shots/a.svg is not shown: it is no PNG, JPEG, GIF or WebP',
      expect.stringMatching(/^shots\/b\.png is not shown: it has \d+ bytes, and the limit is 5242880$/),
      'shots/c.png is not shown: it is no PNG, JPEG, GIF or WebP',
    ],
  ]);
  const many = shownIn(Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`${n}.png`, Buffer.from([...begins.png, n])])));
  const taken = await many.show();
  expect([taken.pictures?.length, taken.warnings]).toEqual([
    4,
    ['5 files match what the step shows; the first 4 are shown'],
  ]);
});

it('follows no link and opens no pipe', async () => {
  const secret = join(makeFolder(), 'key.png');
  writeFileSync(secret, begins.png);
  const { root, show } = shownIn({});
  symlinkSync(secret, join(root, 'shots/out.png'));
  symlinkSync(join(secret, '..'), join(root, 'more'));
  execFileSync('mkfifo', [join(root, 'shots/pipe.png')]);
  expect(await show()).toEqual(emptyEnvelope);
});

it('takes nothing without globs, and nothing on a machine without the home', async () => {
  expect(await shownIn({ 'a.png': begins.png }, []).show()).toEqual(emptyEnvelope);
  expect(await shownIn({ 'a.png': begins.png }).show(null)).toEqual(emptyEnvelope);
});
