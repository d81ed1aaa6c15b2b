import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cacheName, dropUnused } from '../module-cache.js';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-module-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('a tree whose files have other names gets another cache of modules, one with other contents does not', () => {
  const tree = newFolder();
  for (const folder of ['bench', 'src/deep', 'test']) mkdirSync(join(tree, folder), { recursive: true });
  writeFileSync(join(tree, 'tsconfig.json'), '{}');
  writeFileSync(join(tree, 'src/deep/one.ts'), '1');
  const before = cacheName(tree);
  writeFileSync(join(tree, 'src/deep/one.ts'), '2');
  expect(cacheName(tree)).toBe(before);
  renameSync(join(tree, 'src/deep/one.ts'), join(tree, 'src/deep/one.tsx'));
  const renamed = cacheName(tree);
  expect(renamed).not.toBe(before);
  writeFileSync(join(tree, 'tsconfig.json'), '{ "compilerOptions": {} }');
  expect(cacheName(tree)).not.toBe(renamed);
});

it('a run keeps its own cache of modules and those of the last day', () => {
  const caches = newFolder();
  const now = new Date();
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
  for (const [name, hours] of [
    ['own', 30],
    ['recent', 23],
    ['old', 25],
  ] as const) {
    mkdirSync(join(caches, name));
    utimesSync(join(caches, name), hoursAgo(hours), hoursAgo(hours));
  }
  dropUnused(join(caches, 'own'), now);
  expect(['own', 'recent', 'old'].map((name) => existsSync(join(caches, name)))).toEqual([true, true, false]);
});
