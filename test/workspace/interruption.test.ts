// Bosun may be killed between any two calls of git. Here git itself stops answering after the n-th call. Only the last
// calls are tried: the ones before them read, or write loose objects.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { checkpoint, commitAll, rollback, stashForeign } from '../../src/workspace/index.js';
import { makeFolder, makeRepository, openRepository, type Repository } from './repository.js';

const triedCalls = 9;
const timeoutMs = 60_000;

/** Calls `check` with a copy of the repository for each of the last calls of git after which `act` was cut off. */
async function cutOffEverywhere(
  template: Repository,
  act: (repository: Repository, turn: number) => Promise<unknown>,
  check: (repository: Repository, turn: number) => Promise<void>,
  tried = triedCalls,
): Promise<void> {
  const folder = makeFolder();
  const run = async (calls: number) => {
    const copy = openRepository(join(folder, `copy ${calls}`));
    cpSync(template.root, copy.root, { recursive: true, preserveTimestamps: true });
    const left = await withDyingGit(folder, calls, () => act(copy, calls));
    return { copy, left };
  };
  const plenty = 1_000;
  const needed = plenty - (await run(plenty)).left;
  expect(needed).toBeGreaterThan(tried);
  for (let calls = needed - tried; calls < needed; calls++) {
    const { copy, left } = await run(calls);
    expect(left).toBe(0);
    expect(copy.has('.git/index.lock')).toBe(false);
    await check(copy, calls);
  }
}

/** Git answers `calls` times and then no more. Returns how many calls were left over. */
async function withDyingGit(folder: string, calls: number, act: () => Promise<unknown>): Promise<number> {
  const left = join(folder, 'left');
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  // One at a time, because some of them run beside each other.
  const lock = `until mkdir "${left}.lock" 2>/dev/null; do sleep 0.01; done; trap 'rmdir "${left}.lock"' EXIT`;
  const count = `${lock}\nread n < "${left}"\n[ "$n" -gt 0 ] || exit 137\necho $((n-1)) > "${left}"`;
  const script = `#!/bin/sh\n(\n${count}\n) || exit\nexec "${git}" "$@"\n`;
  writeFileSync(join(folder, 'git'), script);
  chmodSync(join(folder, 'git'), 0o755);
  writeFileSync(left, `${calls}\n`);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  // How it ends matters less than what it leaves behind.
  await act().catch(() => null);
  vi.unstubAllEnvs();
  return Number(readFileSync(left, 'utf8'));
}

test(
  'a rollback interrupted at any point is completed by the next one, and its first diff is complete',
  async () => {
    const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'd.txt': 'd\n' });
    repository.write('d.txt', 'of the person\n');
    const status = repository.status();
    const point = await checkpoint(repository.root);
    repository.write('a.txt', 'work\n');
    repository.git('commit', '-qm', 'work', 'a.txt');
    repository.write('b.txt', 'work\n');
    repository.write('new.txt', 'work\n');
    const saved = makeFolder();
    const act = (copy: Repository, turn: number) => rollback(copy.root, point, { saveTo: join(saved, `${turn}.diff`) });
    await cutOffEverywhere(repository, act, async (copy, turn) => {
      expect(await act(copy, turn)).toMatchObject({ kind: 'done' });
      expect(copy.status()).toBe(status);
      expect(copy.git('rev-parse', 'HEAD')).toBe(point.head);
      expect(copy.read('d.txt')).toBe('of the person\n');
      copy.git('apply', join(saved, `${turn}.diff`));
      expect(['a.txt', 'b.txt', 'new.txt'].map((path) => copy.read(path))).toEqual(['work\n', 'work\n', 'work\n']);
    });
  },
  timeoutMs,
);

test(
  'a rollback to a clean checkpoint, interrupted at any point, is completed by the next one',
  async () => {
    const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const point = await checkpoint(repository.root);
    repository.write('a.txt', 'work\n');
    repository.write('new.txt', 'work\n');
    const saved = makeFolder();
    const act = (copy: Repository, turn: number) => rollback(copy.root, point, { saveTo: join(saved, `${turn}.diff`) });
    await cutOffEverywhere(
      repository,
      act,
      async (copy, turn) => {
        expect(await act(copy, turn)).toMatchObject({ kind: 'done' });
        expect(copy.status()).toBe('');
        copy.git('apply', join(saved, `${turn}.diff`));
        expect(['a.txt', 'new.txt'].map((path) => copy.read(path))).toEqual(['work\n', 'work\n']);
      },
      6,
    );
  },
  timeoutMs,
);

test(
  'a commit interrupted at any point is made once by the next call',
  async () => {
    const repository = makeRepository({ 'a.txt': 'a\n' });
    repository.write('a.txt', 'work\n');
    repository.write('new.txt', 'work\n');
    const act = (copy: Repository) => commitAll(copy.root, 'work');
    await cutOffEverywhere(repository, act, async (copy) => {
      await act(copy);
      expect(copy.status()).toBe('');
      expect(copy.git('log', '--format=%s').split('\n')).toEqual(['work', 'start']);
      expect(copy.git('show', 'HEAD:new.txt')).toBe('work');
    });
  },
  timeoutMs,
);

test(
  'a stash interrupted at any point ends with all changes in one stash',
  async () => {
    const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    repository.write('a.txt', 'mine\n');
    repository.git('add', 'a.txt');
    repository.write('b.txt', 'mine\n');
    repository.write('new.txt', 'mine\n');
    const act = (copy: Repository) => stashForeign(copy.root, 'before run r1');
    await cutOffEverywhere(repository, act, async (copy) => {
      await act(copy);
      expect(copy.status()).toBe('');
      const oldest = copy.git('stash', 'list', '--format=%H').split('\n').at(-1) ?? '';
      copy.git('stash', 'apply', '-q', '--index', oldest);
      expect(copy.status()).toBe(repository.status());
    });
  },
  timeoutMs,
);
