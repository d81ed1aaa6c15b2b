// A git that stops answering after so many calls that change something, as if the machine had died between two of them;
// and one before which something else happens, as if a person had been quicker.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, type Dirent, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import { makeFolder } from './repository.js';

const changing = 'branch|checkout-index|clean|commit-tree|rebase|reset|symbolic-ref -m|read-tree|update-ref|worktree';

export interface Snapshot {
  /** Puts the folders back as they were. */
  restore(): void;
}

/**
 * The folders as they stood before each call that changes something, as the machine would leave them if it died there;
 * where nothing but loose objects came in between, that is one state. The last one is from when all was done.
 */
export async function snapshotsOf(
  folders: readonly string[],
  act: () => Promise<unknown>,
): Promise<readonly Snapshot[]> {
  const kept = makeFolder();
  const cases = changing.split('|').map((one) => `" ${one}"*`);
  const script = [
    'name=; skip=',
    'for word in "$@"; do',
    '  if [ -n "$skip" ]; then skip=; continue; fi',
    '  case "$word" in -C|-c) skip=1 ;; *) name="$name $word" ;; esac',
    'done',
    'case "$name" in',
    '  " worktree list"*|*--dry-run*) ;;',
    `  ${cases.join('|')}) to=$(mktemp -d "${kept}/$(date +%s%N).XXXXXX")`,
    ...folders.map((folder, at) => `    cp -a "${folder}" "$to/${at}"`),
    '    ;;',
    'esac',
  ];
  await withScript(makeFolder(), script, act);
  const names = readdirSync(kept).sort();
  const last = join(kept, 'last');
  mkdirSync(last);
  for (const [at, folder] of folders.entries()) copy(folder, join(last, String(at)));
  const seen = new Set<string>();
  const different = [...names, 'last'].filter((name) => {
    const state = stateOf(join(kept, name));
    return seen.has(state) ? false : seen.add(state);
  });
  return different.map((name) => ({
    restore: () => {
      for (const [at, folder] of folders.entries()) {
        rmSync(folder, { recursive: true, force: true });
        copy(join(kept, name, String(at)), folder);
      }
    },
  }));
}

function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

function stateOf(folder: string): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).sort(byPath)) {
    const path = join(entry.parentPath, entry.name);
    if (path.includes('/.git/objects/')) continue;
    hash.update(`${path.slice(folder.length)}\n`);
    if (entry.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

function byPath(a: Dirent, b: Dirent): number {
  return join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1;
}

/** Returns how many of the calls were left over. */
export async function withDyingGit(calls: number, act: () => Promise<unknown>): Promise<number> {
  const folder = makeFolder();
  const left = join(folder, 'left');
  const script = [
    'name=; skip=',
    'for word in "$@"; do',
    '  if [ -n "$skip" ]; then skip=; continue; fi',
    '  case "$word" in -C|-c) skip=1 ;; *) name="$name $word" ;; esac',
    'done',
    `read n < "${left}"`,
    '[ "$n" -ge 0 ] || exit 137',
    'case "$name" in',
    '  " worktree list"*|*--dry-run*) ;;',
    // Moved into place: a call beside it must not read an empty file.
    `  ${changing
      .split('|')
      .map((one) => `" ${one}"*`)
      .join('|')}) n=$((n-1)); echo $n > "${left}.$$"; mv "${left}.$$" "${left}"; [ "$n" -ge 0 ] || exit 137 ;;`,
    'esac',
  ];
  writeFileSync(left, `${calls}\n`);
  // How it ends matters less than what it leaves behind.
  await withScript(folder, script, () => act().catch(() => null));
  return Number(readFileSync(left, 'utf8'));
}

/** Before the first call whose words include `words` the shell runs `script`, in which `$GIT` is git. */
export async function withGitAfter<T>(words: string, script: string, act: () => Promise<T>): Promise<T> {
  const folder = makeFolder();
  const once = join(folder, 'once');
  const line = `if [ ! -e "${once}" ]; then case "$*" in *"${words}"*) : > "${once}"; ${script} ;; esac; fi`;
  return withScript(folder, [line], act);
}

/** With how many calls of git it takes. */
export async function countingGit<T>(act: () => Promise<T>): Promise<readonly [answer: T, calls: number]> {
  const folder = makeFolder();
  const calls = join(folder, 'calls');
  const answer = await withScript(folder, [`echo call >> "${calls}"`], act);
  return [answer, readFileSync(calls, 'utf8').trim().split('\n').length];
}

async function withScript<T>(folder: string, script: readonly string[], act: () => Promise<T>): Promise<T> {
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const lines = ['#!/bin/sh', `GIT="${git}"`, ...script, 'exec "$GIT" "$@"', ''];
  writeFileSync(join(folder, 'git'), lines.join('\n'));
  chmodSync(join(folder, 'git'), 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  try {
    return await act();
  } finally {
    vi.unstubAllEnvs();
  }
}
