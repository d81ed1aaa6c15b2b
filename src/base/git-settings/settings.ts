// Security: reads which programs git would start, without starting git.

import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isInside } from '../own-path.js';
import { changedKeys, readConfigKeys, shownKey } from './config-keys.js';

export type Entry =
  | { readonly kind: 'file'; readonly text: string; readonly runs: boolean; readonly isConfig: boolean }
  | { readonly kind: 'large'; readonly hash: string; readonly runs: boolean }
  | { readonly kind: 'link'; readonly to: string }
  /** `id`: device and inode where a replaced folder counts as a change, else ''. */
  | { readonly kind: 'folder'; readonly id: string }
  | { readonly kind: 'other' };

export interface GitSettings {
  /** The attempt's worktree and the main one. */
  readonly tops: readonly string[];
  readonly common: string;
  readonly gitDirs: readonly string[];
  /** Git folder of a worktree → its checkout's `.git` file, which may be missing. */
  readonly dotGits: Readonly<Record<string, string>>;
  /** Git must find this repository there. */
  readonly owned: readonly string[];
  /** By path, one byte per character. */
  readonly files: Readonly<Record<string, Entry>>;
}

export interface Location {
  readonly top: string;
  readonly gitDir: string;
  readonly common: string;
}

const textMaxBytes = 256 * 1024;
const listMax = 500;
const modulesMaxDepth = 6;
const includesMaxDepth = 5;

export function readSettings(folder: string): GitSettings | null {
  const root = realPath(folder);
  const here = root === null ? null : locate(root);
  if (root === null || here === null) return null;
  const { top, gitDir, common } = here;
  const tops = [...new Set([top, ...(basename(common) === '.git' ? [dirname(common)] : [])])];
  const others = worktreesOf(common);
  const inside = relative(top, root);
  const checkouts = others.flatMap(({ dotGit }) => (dotGit === null ? [] : [dirname(dotGit)]));
  const owned = [...tops, ...checkouts.map((one) => realPath(one) ?? one)].flatMap((one) => [one, join(one, inside)]);
  const gitDirs = [...new Set([common, gitDir, ...others.map((one) => one.gitDir)])];
  const dotGits = Object.fromEntries(others.flatMap((one) => (one.dotGit === null ? [] : [[one.gitDir, one.dotGit]])));
  return { tops, common, gitDirs, dotGits, owned: [...new Set(owned)], files: collect(tops, common, gitDirs) };
}

/** Names only: values may be secrets. */
export function changesOf(settings: GitSettings): readonly string[] {
  return differences(settings).map(({ told }) => told);
}

interface Difference {
  readonly path: string;
  readonly before: Entry | null;
  readonly told: string;
}

function differences(settings: GitSettings): readonly Difference[] {
  const { tops, common, gitDirs, files } = settings;
  const now = collect(tops, common, gitDirs);
  const idle = idleWorktrees(settings);
  return [...new Set([...Object.keys(files), ...Object.keys(now)])].sort().flatMap((path) => {
    const [before, after] = [files[path] ?? null, now[path] ?? null];
    if (after === null && idle.some((gitDir) => path.startsWith(gitDir))) return [];
    const told = describe(shown(settings, path), before, after);
    return told === null ? [] : [{ path, before, told }];
  });
}

/**
 * Worktrees that Bosun is adding or removing: git removes the checkout first and writes `commondir` last, so it cannot
 * run there now. Only missing files are excused.
 */
function idleWorktrees({ dotGits }: GitSettings): readonly string[] {
  const idle = Object.entries(dotGits).filter(([gitDir, dotGit]) => {
    const isUnfinished = stateOf(gitDir) !== null && stateOf(join(gitDir, 'commondir')) === null;
    return isUnfinished || stateOf(dotGit) === null;
  });
  return idle.map(([gitDir]) => keyOf(gitDir + sep));
}

export function settingsNow(settings: GitSettings): GitSettings {
  return { ...settings, files: collect(settings.tops, settings.common, settings.gitDirs) };
}

export function putBack(settings: GitSettings): void {
  for (const { path, before } of differences(settings)) putBackOne(Buffer.from(path, 'latin1'), before);
}

function putBackOne(path: Buffer, entry: Entry | null): void {
  if (entry === null) {
    rmSync(path, { recursive: true, force: true });
    return;
  }
  if (entry.kind === 'large' || entry.kind === 'other' || (entry.kind === 'folder' && entry.id !== '')) return;
  rmSync(path, { recursive: true, force: true });
  if (entry.kind === 'folder') mkdirSync(path, { recursive: true });
  else if (entry.kind === 'link') symlinkSync(Buffer.from(entry.to, 'latin1'), path);
  else writeFileSync(path, entry.text, { encoding: 'latin1', flag: 'wx', mode: entry.runs ? 0o755 : 0o644 });
}

/** `folder` must be a real path. */
export function locate(folder: string): Location | null {
  for (let at = folder; ; at = dirname(at)) {
    const dot = join(at, '.git');
    if (stateOf(dot) !== null) {
      const gitDir = gitDirAt(at, dot);
      return gitDir === null ? null : { top: at, gitDir, common: commonOf(gitDir) };
    }
    // Git takes any folder of this shape for a bare repository.
    const isBare = ['HEAD', 'objects', 'refs'].every((name) => stateOf(join(at, name)) !== null);
    if (isBare) return { top: at, gitDir: at, common: commonOf(at) };
    if (at === dirname(at)) return null;
  }
}

function gitDirAt(top: string, dot: string): string | null {
  const stat = statSync(dot, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return realPath(dot);
  const named = /^gitdir: (.*)$/m.exec(textOf(dot) ?? '')?.[1];
  return named === undefined ? null : realPath(resolve(top, named));
}

function commonOf(gitDir: string): string {
  const named = textOf(join(gitDir, 'commondir'))?.trim();
  return (named ? realPath(resolve(gitDir, named)) : null) ?? gitDir;
}

interface Worktree {
  readonly gitDir: string;
  readonly dotGit: string | null;
}

function worktreesOf(common: string): readonly Worktree[] {
  return namesIn(join(common, 'worktrees')).map((name) => {
    const gitDir = join(common, 'worktrees', name);
    const dot = textOf(join(gitDir, 'gitdir'))?.trim();
    return { gitDir, dotGit: dot ? resolve(gitDir, dot) : null };
  });
}

type Found = Record<string, Entry>;

function collect(tops: readonly string[], common: string, gitDirs: readonly string[]): Found {
  const found: Found = {};
  for (const top of tops) put(found, join(top, '.git'), { isSame: true });
  for (const gitDir of gitDirs) {
    if (gitDir === common || stateOf(gitDir) !== null) collectDir(found, gitDir, tops, 0);
  }
  return found;
}

function collectDir(found: Found, gitDir: string, tops: readonly string[], depth: number): void {
  for (const name of ['config', 'config.worktree']) collectConfig(found, join(gitDir, name), tops, 0);
  put(found, join(gitDir, 'commondir'));
  for (const name of ['hooks', 'info']) put(found, join(gitDir, name));
  put(found, join(gitDir, 'info', 'attributes'));
  // Bosun writes this file through links too, so a link must be the owner's; a pipe would block git forever.
  if (stateOf(join(gitDir, 'info', 'exclude'))?.isFile() === false) put(found, join(gitDir, 'info', 'exclude'));
  collectHooks(found, join(gitDir, 'hooks'));
  if (depth < modulesMaxDepth) collectModules(found, join(gitDir, 'modules'), tops, depth + 1);
}

/** Recursive: submodule names may contain slashes. */
function collectModules(found: Found, folder: string, tops: readonly string[], depth: number): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (stateOf(path)?.isDirectory() !== true) continue;
    if (stateOf(join(path, 'HEAD')) !== null) collectDir(found, path, tops, depth);
    else if (depth < modulesMaxDepth) collectModules(found, path, tops, depth + 1);
  }
}

function collectConfig(found: Found, path: string, tops: readonly string[], depth: number): void {
  put(found, path, { isConfig: true });
  const entry = found[keyOf(path)];
  if (entry?.kind !== 'file') return;
  const keys = readConfigKeys(entry.text);
  for (const [key, values] of keys ?? []) {
    for (const value of values) {
      if (/^include(if\..*)?\.path$/.test(key) && depth < includesMaxDepth) {
        collectConfig(found, pathIn(dirname(path), value), tops, depth + 1);
      }
      if (key === 'core.hookspath') collectHooksPath(found, value, tops);
      if (key === 'core.attributesfile') for (const top of tops) putInside(found, pathIn(top, value), tops);
    }
  }
}

/** Agents can only change paths inside a checkout. */
function collectHooksPath(found: Found, value: string, tops: readonly string[]): void {
  for (const top of tops) {
    const folder = pathIn(top, value);
    if (!tops.some((one) => isInside(one, folder))) continue;
    collectHooks(found, folder);
    // Husky keeps its launcher in `_`, the hook beside it.
    if (basename(folder) === '_') collectHooks(found, dirname(folder));
  }
}

function putInside(found: Found, path: string, tops: readonly string[]): void {
  if (tops.some((one) => isInside(one, path))) put(found, path);
}

function collectHooks(found: Found, folder: string): void {
  for (const name of namesIn(folder)) {
    if (name.endsWith('.sample')) continue;
    const path = join(folder, name);
    put(found, path);
    const real = found[keyOf(path)]?.kind === 'link' ? realPath(path) : null;
    if (real !== null) put(found, real);
  }
}

function put(found: Found, path: string, { isConfig = false, isSame = false } = {}): void {
  const stat = stateOf(path);
  if (stat === null) return;
  found[keyOf(path)] = entryOf(path, stat, isConfig, isSame);
}

function entryOf(
  path: string,
  stat: NonNullable<ReturnType<typeof stateOf>>,
  isConfig: boolean,
  isSame: boolean,
): Entry {
  if (stat.isSymbolicLink()) return { kind: 'link', to: readlinkSync(path, 'latin1') };
  if (stat.isDirectory()) return { kind: 'folder', id: isSame ? `${stat.dev}:${stat.ino}` : '' };
  if (!stat.isFile()) return { kind: 'other' };
  const runs = (stat.mode & 0o111) !== 0;
  const text = readFileSync(path, 'latin1');
  if (text.length <= textMaxBytes) return { kind: 'file', text, runs, isConfig };
  return { kind: 'large', hash: createHash('sha256').update(text, 'latin1').digest('hex'), runs };
}

/** Null: no relevant change. */
function describe(name: string, before: Entry | null, after: Entry | null): string | null {
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  const [old, now] = [textIn(before), textIn(after)];
  if (old !== null && now !== null) {
    const keys = changedKeys(old, now);
    if (keys === null) return name;
    return keys.length === 0 ? null : `${name}: ${keys.slice(0, 20).map(shownKey).join(', ')}`;
  }
  if (before === null) return after?.kind === 'folder' ? null : `${name} (new)`;
  return after === null ? `${name} (gone)` : name;
}

function textIn(entry: Entry | null): string | null {
  if (entry === null) return '';
  return entry.kind === 'file' && entry.isConfig ? entry.text : null;
}

function shown({ tops, common }: GitSettings, key: string): string {
  const path = Buffer.from(key, 'latin1').toString('utf8');
  const top = tops.find((one) => isInside(one, path));
  if (isInside(common, path)) return join('.git', relative(common, path));
  return top === undefined ? path : relative(top, path) || path;
}

function keyOf(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

function stateOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function textOf(path: string): string | null {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= textMaxBytes ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort().slice(0, listMax);
  } catch {
    return [];
  }
}

export function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function pathIn(folder: string, value: string): string {
  const bare = value.replace(/^"(.*)"$/, '$1');
  if (bare.startsWith('~/')) return join(homedir(), bare.slice(2));
  return isAbsolute(bare) ? bare : join(folder, bare);
}
