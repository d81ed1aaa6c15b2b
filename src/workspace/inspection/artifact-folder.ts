// Security: never outside `<folder>/scratch`.
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isInside } from '../../base/index.js';
import { isAbsent } from '../git/read-within.js';

export interface ArtifactPlace {
  readonly path: string | null;
  readonly phase: string | null;
}

export type FoundFolder = { readonly ok: true; readonly folder: string } | { readonly ok: false; readonly why: string };

const maxNames = 5_000;
const maxShown = 20;

export async function findArtifactFolder(scratch: string, { path, phase }: ArtifactPlace): Promise<FoundFolder> {
  const named = path === null ? null : resolve(scratch, path.replace(/^(\.workflow\/)?scratch\//, ''));
  if (named !== null && !(await staysInside(scratch, named))) {
    return { ok: false, why: `the artifact's path ${path} leads outside ${scratch}` };
  }
  if (named !== null && (await isFolder(named))) return { ok: true, folder: named };
  const names = await listNames(scratch);
  const matching = phase === null ? [] : names.filter((name) => isOfPhase(name, phase)).sort(newestFirst);
  for (const name of matching) {
    const folder = join(scratch, name);
    if ((await isFolder(folder)) && (await staysInside(scratch, folder))) return { ok: true, folder };
  }
  const shown = names.length === 0 ? 'is empty' : `holds ${names.sort(newestFirst).slice(0, maxShown).join(', ')}`;
  return { ok: false, why: `no folder ${path ?? ''} and none matching *-P${phase ?? '?'}-*: ${scratch} ${shown}` };
}

function isOfPhase(name: string, phase: string): boolean {
  return Array.from(name.matchAll(/-P0*(\d+(?:\.\d+)?|[^-]+)(?=-)/g), ([, one]) => one).includes(phase);
}

/** Names with dates first, newest on top. */
function newestFirst(a: string, b: string): number {
  const [dayA, dayB] = [dayOf(a), dayOf(b)];
  if (dayA !== dayB) return dayA < dayB ? 1 : -1;
  return a < b ? 1 : -1;
}

function dayOf(name: string): string {
  return /^\d{8}(?=-)/.exec(name)?.[0] ?? '';
}

async function listNames(scratch: string): Promise<string[]> {
  try {
    return (await readdir(scratch)).slice(0, maxNames);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Judges a missing path by its name. */
async function staysInside(scratch: string, path: string): Promise<boolean> {
  if (!isInside(scratch, path)) return false;
  try {
    return isInside(await realpath(scratch), await realpath(path));
  } catch (error) {
    if (isAbsent(error)) return true;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}
