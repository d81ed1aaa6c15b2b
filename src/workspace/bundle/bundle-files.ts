// Untracked files of a bundle as git objects.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BosunError } from '../../base/index.js';
import type { ScratchIndex } from '../changes/scratch-index.js';
import type { Checkout } from '../git/checkout.js';
import { git, gitRecords, toText, wholeTreeMs } from '../git/git.js';
import { isLive } from '../git/own-files.js';
import {
  type FoundFile,
  fileMaxBytes,
  findFiles,
  isGitName,
  readFound,
  removeFound,
  writeFound,
} from './bundle-disk.js';
import { filesMax, filesMaxBytes, isRunsPath, isSharedPath, ownNames, type PackedFile } from './bundle-note.js';

export interface BundlePlace {
  readonly folder: string;
  readonly shared: string;
  /** The only log that travels: `path` in the shared folder, here below a folder that no agent works in. */
  readonly log: { readonly folder: string; readonly path: string } | null;
}

export interface Loaded {
  readonly own: readonly PackedFile[];
  readonly shared: readonly PackedFile[];
  /** `own/…` and `shared/…` paths, too large or not regular, for people. */
  readonly leftOut: readonly string[];
  /** False: a size or count limit left a file out. */
  readonly isWhole: boolean;
}

interface Candidate extends FoundFile {
  readonly base: string;
  readonly section: 'own' | 'shared';
}

/** `work`: the tree of tracked files. */
export async function loadFiles(scratch: ScratchIndex, place: BundlePlace, work: string): Promise<Loaded> {
  const own = await findOwn(scratch.checkout, work);
  const shared = await findShared(place.shared);
  const log = place.log === null ? null : await findFiles(place.log.folder, [place.log.path], () => false);
  const candidates: Candidate[] = [
    ...(log?.files ?? []).map((file) => ({ ...file, base: place.log?.folder ?? '', section: 'shared' as const })),
    ...own.files.map((file) => ({ ...file, base: place.folder, section: 'own' as const })),
    ...shared.files.map((file) => ({ ...file, base: place.shared, section: 'shared' as const })),
  ];
  const odd = [...own.others.map((path) => `own/${path}`), ...shared.others.map((path) => `shared/${path}`)];
  const { stored, tooMuch } = await copyFiles(scratch, candidates);
  const shas = await hashCopies(scratch, stored.length);
  const packed = stored.map(({ path, isExecutable, section }, at) => ({
    section,
    file: { path, isExecutable, sha: shas[at] ?? '' },
  }));
  const of = (section: 'own' | 'shared') => packed.filter((one) => one.section === section).map(({ file }) => file);
  const leftOut = [...tooMuch.map(({ section, path }) => `${section}/${path}`), ...odd].map(toText);
  return {
    own: of('own'),
    shared: of('shared'),
    leftOut,
    isWhole: tooMuch.length === 0 && !own.isCut && !shared.isCut,
  };
}

/** Includes tracked files that Bosun keeps rewriting. */
export async function findOwn(checkout: Checkout, work: string) {
  const places = ownNames.map((name) => `${checkout.prefix}${name}`);
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', work, '--', ...places];
  const seen = await gitRecords(checkout.top, args, { timeoutMs: wholeTreeMs });
  const tracked = new Set(
    seen.filter((path) => !isLive(checkout, path)).map((path) => path.slice(checkout.prefixBytes.length)),
  );
  return findFiles(checkout.root, ownNames, (path) => tracked.has(path) || isRunsPath(path));
}

export async function findShared(shared: string) {
  return findFiles(shared, [''], (path) => !isSharedPath(path, null));
}

// Names may hold line breaks, and `hash-object --stdin-paths` reads one path per line: copy under generated names.
async function copyFiles(scratch: ScratchIndex, candidates: readonly Candidate[]) {
  const folder = copiesOf(scratch);
  await mkdir(folder);
  const stored: Candidate[] = [];
  const tooMuch: Candidate[] = [];
  let bytes = 0;
  for (const file of candidates) {
    const fits = file.bytes <= fileMaxBytes && bytes + file.bytes <= filesMaxBytes && stored.length < filesMax;
    const content = fits && !file.path.split('/').some(isGitName) ? await readFound(file.base, file.path) : null;
    if (content === null) {
      tooMuch.push(file);
      continue;
    }
    await writeFile(join(folder, String(stored.length)), content);
    bytes += content.length;
    stored.push(file);
  }
  return { stored, tooMuch };
}

async function hashCopies(scratch: ScratchIndex, count: number): Promise<string[]> {
  if (count === 0) return [];
  const paths = Array.from({ length: count }, (_, at) => `${join(copiesOf(scratch), String(at))}\n`);
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const out = await git(scratch.checkout.top, args, { input: Buffer.from(paths.join('')), timeoutMs: wholeTreeMs });
  return out.trim().split('\n');
}

function copiesOf(scratch: ScratchIndex): string {
  return join(scratch.folder, 'copies');
}

export async function unloadFiles(
  top: string,
  base: string,
  files: readonly PackedFile[],
  gone: readonly string[],
): Promise<void> {
  for (const path of gone) await removeFound(base, path);
  if (files.length === 0) return;
  await mkdir(base, { recursive: true });
  const contents = await readBlobs(
    top,
    files.map(({ sha }) => sha),
  );
  for (const [at, { path, isExecutable }] of files.entries()) {
    await writeFound(base, path, contents[at] ?? new Uint8Array(), isExecutable);
  }
}

export async function readBlobs(top: string, shas: readonly string[]): Promise<Uint8Array[]> {
  const input = Buffer.from(shas.map((sha) => `${sha}\n`).join(''));
  const headsMaxBytes = shas.length * 100;
  const stdoutMaxBytes = filesMaxBytes + headsMaxBytes;
  const out = await git(top, ['cat-file', '--batch'], { input, stdoutMaxBytes, timeoutMs: wholeTreeMs });
  const contents: Uint8Array[] = [];
  for (let at = 0; contents.length < shas.length; ) {
    const end = out.indexOf('\n', at);
    const [, type, size = ''] = out.slice(at, end).split(' ');
    if (end < 0 || type !== 'blob') {
      throw new BosunError('git', `A transferred file is missing in ${top}`, {
        hint: 'Retry: Bosun fetches it again.',
      });
    }
    contents.push(Buffer.from(out.slice(end + 1, end + 1 + Number(size)), 'latin1'));
    at = end + 1 + Number(size) + 1;
  }
  return contents;
}
