// One gap between the changes of a file is unfolded, and the others stay folded.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Block, readPatch } from '../../src/web/pages/diff/patch.js';
import { lastGap, withGaps } from '../../src/web/pages/diff/unfolded.js';

const count = 60;

/** Sixty lines of which some are changed, as git prints the difference with so many lines around. */
function read(changed: readonly number[], around: number) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-gaps-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines = Array.from({ length: count }, (_, n) => `line ${n + 1}`);
  writeFileSync(join(folder, 'old'), `${lines.join('\n')}\n`);
  const now = lines.flatMap((line, n) => (changed.includes(n + 1) ? [`${line} changed`, 'and more'] : [line]));
  writeFileSync(join(folder, 'new'), `${now.join('\n')}\n`);
  const args = ['diff', '--no-index', `-U${around}`, join(folder, 'old'), join(folder, 'new')];
  const patch = spawnSync('git', args, { encoding: 'utf8' }).stdout;
  const [file] = readPatch(patch, { maxLines: 1_000, ignoreSpace: false }).files;
  if (file === undefined) throw new Error('no file');
  return file;
}

const numbers = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => (block.kind === 'same' ? block.lines : block.new)).map(({ n }) => n);

it('puts back the lines of that gap, numbered on both sides', () => {
  const changed = [20, 40];
  const [file, whole] = [read(changed, 3), read(changed, 1_000)];
  expect(file.hunks.map(({ from, skipped }) => [from, skipped])).toEqual([
    [17, 16],
    [38, 13],
  ]);
  const second = withGaps(file, whole, [38]);
  expect(second.hunks.map(({ unfolded, skipped }) => [unfolded, skipped])).toEqual([
    [0, 16],
    [13, 0],
  ]);
  expect(numbers(second.hunks[1]?.blocks ?? [])).toEqual(Array.from({ length: 21 }, (_, n) => n + 25));
  const put = second.hunks[1]?.blocks[0];
  expect(put?.kind === 'same' ? put.lines[0] : null).toEqual({ n: 25, before: 24, text: 'line 24' });
  expect(second.rest).toEqual([]);
});

it('puts back what lies before the first and behind the last change, and all of it at once', () => {
  const [file, whole] = [read([20], 3), read([20], 1_000)];
  const first = withGaps(file, whole, [file.hunks[0]?.from ?? 0]);
  expect(numbers(first.hunks[0]?.blocks ?? []).slice(0, 3)).toEqual([1, 2, 3]);
  const last = withGaps(file, whole, [lastGap]);
  expect([last.rest[0]?.n, last.rest.at(-1)?.n]).toEqual([25, count + 1]);
  const all = withGaps(file, whole, [17, lastGap]);
  expect([...numbers(all.hunks[0]?.blocks ?? []), ...all.rest.map(({ n }) => n)]).toEqual(
    Array.from({ length: count + 1 }, (_, n) => n + 1),
  );
});

it('leaves the file as it is for a gap that is not there, or a file that was not read', () => {
  const file = read([20], 3);
  expect(withGaps(file, null, [17]).hunks.map(({ skipped }) => skipped)).toEqual([16]);
  expect(withGaps(file, read([20], 1_000), [99]).hunks.map(({ unfolded }) => unfolded)).toEqual([0]);
});
