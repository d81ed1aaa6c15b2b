import { lstatSync } from 'node:fs';
import type { Checkout } from '../git/checkout.js';
import { tellPaths } from '../git/checkout.js';
import { askGit, git, gitRecords, onDisk, toText, wholeTreeMs } from '../git/git.js';
import { isIgnoredName, isLive } from '../git/own-files.js';
import { parseRaw } from './raw-change.js';

export interface LargeFile {
  /** Latin1, from the checkout's top. */
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

export const notedMaxBytes = 10 * 1024 * 1024;
const largeMax = 1_000;

export function largeAmong(checkout: Checkout, records: readonly string[], aboveBytes: number): readonly LargeFile[] {
  const large: LargeFile[] = [];
  for (const record of records) {
    const path = changedPath(record);
    if (path === null || isIgnoredName(checkout, path) || isLive(checkout, path)) continue;
    const facts = lstatSync(onDisk(checkout.top, path), { throwIfNoEntry: false });
    if (facts?.isFile() && facts.size > aboveBytes) {
      large.push({ path, bytes: facts.size, mtimeMs: Math.floor(facts.mtimeMs) });
    }
    if (large.length === largeMax) break;
  }
  return large;
}

// `? path` or `1 XY sub mH mI mW hH hI path`; Y: change against the index.
function changedPath(record: string): string | null {
  if (record.startsWith('? ')) return record.endsWith('/') ? null : record.slice(2);
  return /^1 .[^.D] N/.test(record) ? record.split(' ').slice(8).join(' ') : null;
}

/** `name (30 MB)`. */
export function tellLarge(checkout: Checkout, files: readonly Pick<LargeFile, 'path' | 'bytes'>[]): readonly string[] {
  return files.map(({ path, bytes }) => `${tellPaths(checkout, [path])[0] ?? ''} (${tellSize(bytes)})`);
}

function tellSize(bytes: number): string {
  const mb = bytes / (1024 * 1024);
  return mb < 1024 ? `${Math.round(mb)} MB` : `${(mb / 1024).toFixed(1)} GB`;
}

export async function largeBetween(
  checkout: Checkout,
  from: string,
  to: string,
  aboveBytes: number,
): Promise<readonly Pick<LargeFile, 'path' | 'bytes'>[]> {
  const args = ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--no-abbrev', from, to, '--'];
  const changes = parseRaw(await gitRecords(checkout.top, args, { timeoutMs: wholeTreeMs }));
  const files = changes.filter(({ newMode }) => newMode.startsWith('100'));
  const sizes = await sizesOf(
    checkout,
    files.map(({ newSha }) => newSha),
  );
  return files.flatMap(({ path }, at) => ((sizes[at] ?? 0) > aboveBytes ? [{ path, bytes: sizes[at] ?? 0 }] : []));
}

/** A push also sends files deleted later. */
export async function largeInCommits(
  checkout: Checkout,
  from: string | null,
  to: string,
  aboveBytes: number,
): Promise<readonly Pick<LargeFile, 'path' | 'bytes'>[]> {
  const range = from === null ? [to] : [`${from}..${to}`];
  const listed = await git(checkout.top, ['rev-list', '--objects', ...range, '--'], { timeoutMs: wholeTreeMs });
  const named = listed.split('\n').flatMap((line) => {
    const at = line.indexOf(' ');
    return at < 0 || at === line.length - 1 ? [] : [{ sha: line.slice(0, at), path: line.slice(at + 1) }];
  });
  const sizes = await sizesOf(
    checkout,
    named.map(({ sha }) => sha),
  );
  const large = named.flatMap(({ path }, at) =>
    (sizes[at] ?? 0) > aboveBytes ? [{ path, bytes: sizes[at] ?? 0 }] : [],
  );
  return large.slice(0, largeMax);
}

async function sizesOf({ top }: Checkout, shas: readonly string[]): Promise<readonly number[]> {
  if (shas.length === 0) return [];
  const input = Buffer.from(`${shas.join('\n')}\n`);
  const answer = await askGit(top, ['cat-file', '--batch-check=%(objectsize)'], { input, timeoutMs: wholeTreeMs });
  return toText(answer.out)
    .split('\n')
    .map((line) => Number.parseInt(line, 10) || 0);
}
