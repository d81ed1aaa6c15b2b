// Copies pictures as the step left them. Untrusted: only files with a picture's first bytes, and no links.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, openWithin } from '../../base/index.js';
import { homeFolder } from '../../config/index.js';
import { type Envelope, matcher, type Picture } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';

export const maxPictures = 4;
const maxPictureBytes = 5 * 1024 * 1024;
const maxEntries = 20_000;
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export async function withPictures(spec: AttemptSpec, envelope: Envelope, home: string | null): Promise<Envelope> {
  const { shows = [], workdir } = spec;
  if (shows.length === 0 || home === null) return envelope;
  const isShown = matcher(shows);
  const found = filesIn(workdir).filter(isShown);
  const taken: Picture[] = [];
  const refused: string[] = [];
  for (const path of found.slice(0, maxPictures)) {
    const file = await copied(spec, path, home);
    if (file.startsWith('!')) refused.push(`${path} is not shown: ${file.slice(1)}`);
    else taken.push({ path, file });
  }
  if (found.length > maxPictures)
    refused.push(`${found.length} files match what the step shows; the first ${maxPictures} are shown`);
  if (taken.length === 0 && refused.length === 0) return envelope;
  const warnings = [...envelope.warnings, ...refused];
  return { ...envelope, warnings, ...(taken.length > 0 && { pictures: taken }) };
}

export function removePictures(home: { readonly dir: string }, run: string): void {
  rmSync(join(homeFolder(home, 'pictures'), run), { recursive: true, force: true });
}

function filesIn(root: string): readonly string[] {
  const out: string[] = [];
  const folders = [''];
  for (let seen = 0; folders.length > 0 && seen < maxEntries; ) {
    const folder = folders.shift() ?? '';
    for (const entry of entriesOf(join(root, folder))) {
      seen += 1;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path);
      if (entry.isFile()) out.push(path);
    }
  }
  return out.sort();
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A path below the pictures' folder; after "!", why there is none. */
async function copied({ workdir, run }: AttemptSpec, path: string, home: string): Promise<string> {
  // Race: a link may have replaced the file since the search.
  const file = await openWithin(workdir, join(workdir, path));
  if (file === null) return '!it is no regular file inside the checkout';
  try {
    const { size } = await file.stat();
    if (size > maxPictureBytes) return `!it has ${size} bytes, and the limit is ${maxPictureBytes}`;
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await file.read(bytes, 0, size, 0);
    const type = bytesRead === size ? typeOf(bytes) : null;
    if (type === null) return '!it is no PNG, JPEG, GIF or WebP';
    const name = `${createHash('sha256').update(bytes).digest('hex')}.${type}`;
    const folder = join(homeFolder({ dir: home }, 'pictures'), run);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    keep(join(folder, name), bytes);
    return `${run}/${name}`;
  } finally {
    await file.close();
  }
}

function keep(path: string, bytes: Buffer): void {
  try {
    // A crash may have left a shorter copy.
    if (lstatSync(path, { throwIfNoEntry: false })?.size === bytes.length) return;
    rmSync(path, { force: true });
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

const beginnings: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['png', /^89504e470d0a1a0a/],
  ['jpg', /^ffd8ff/],
  ['gif', /^474946383[79]61/],
  ['webp', /^52494646.{8}57454250/],
];

function typeOf(bytes: Buffer): string | null {
  const start = bytes.subarray(0, 16).toString('hex');
  return beginnings.find(([, pattern]) => pattern.test(start))?.[0] ?? null;
}
