import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAmid } from '../../src/workspace/index.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bosun-amid-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false'];

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', [...author, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** A file with another content on each of two branches. */
function torn(): string {
  const root = join(folder, 'shop');
  mkdirSync(join(root, 'sub'), { recursive: true });
  git(root, 'init', '-q', '-b', 'main');
  const commit = (text: string) => {
    writeFileSync(join(root, 'sub/a.txt'), text);
    git(root, 'add', '.');
    git(root, 'commit', '-qm', text);
  };
  commit('one');
  git(root, 'checkout', '-qb', 'side');
  commit('two');
  git(root, 'checkout', '-q', 'main');
  commit('three');
  return root;
}

it.each([['merge'], ['rebase'], ['cherry-pick']])(
  'detects an unfinished %s in a checkout, including from a subfolder',
  (verb) => {
    const root = torn();
    expect(isAmid(root)).toBe(false);
    expect(() => git(root, verb, 'side')).toThrow();
    expect([isAmid(root), isAmid(join(root, 'sub'))]).toEqual([true, true]);
    git(root, verb, '--abort');
    expect(isAmid(root)).toBe(false);
  },
);

it('checks a worktree separately from its main checkout', () => {
  const root = torn();
  const beside = join(folder, 'beside');
  git(root, 'worktree', 'add', '-q', beside, 'side');
  expect(() => git(beside, 'merge', 'main')).toThrow();
  expect([isAmid(beside), isAmid(root)]).toEqual([true, false]);
});

it('detects nothing without a checkout or in a malformed one', () => {
  expect([isAmid(folder), isAmid(join(folder, 'missing')), isAmid('')]).toEqual([false, false, isAmid(process.cwd())]);
  writeFileSync(join(folder, '.git'), 'nonsense');
  expect(isAmid(folder)).toBe(false);
  expect(isAmid(join(folder, '.git'))).toBe(false);
});
