// Finds unresolved files by content: agents forget `git add`, or run it early.
import { lstat, readFile } from 'node:fs/promises';
import type { Checkout } from '../git/checkout.js';
import { askGit, git, gitRecords, onDisk } from '../git/git.js';
import { readRebased } from '../git/worktree-list.js';
import { noteConflicts, readConflicts } from '../worktree/rebase-record.js';

const fileMaxBytes = 64 * 1024 * 1024;
const marker = /^(?:<{7,}|>{7,}|\|{7,})(?: .*)?$|^={7}$/;

interface Unmerged {
  readonly path: string;
  readonly mode: string;
  readonly sha: string;
}

/** True: there are unmerged files. */
export async function recordConflicts(checkout: Checkout): Promise<boolean> {
  const found = await listUnmerged(checkout);
  if (found.length === 0) return false;
  const before = (await readConflicts(checkout.gitDir)) ?? { branch: null, entries: [], bare: [] };
  const fresh = new Set(found.map((line) => parseUnmerged(line).path));
  const entries = before.entries.filter((line) => !fresh.has(parseUnmerged(line).path));
  const known = new Set(before.entries.map((line) => parseUnmerged(line).path));
  const bare = [...before.bare];
  for (const path of fresh) if (!known.has(path) && !(await hasMarker(checkout, path, []))) bare.push(path);
  const branch = (await readRebased(checkout.gitDir)) ?? before.branch;
  await noteConflicts(checkout.gitDir, { branch, entries: [...entries, ...found], bare });
  return true;
}

export async function listUnresolved(checkout: Checkout): Promise<string[]> {
  const conflicts = await readConflicts(checkout.gitDir);
  if (conflicts === null) return [];
  const stages = new Map<string, Unmerged[]>();
  for (const line of conflicts.entries) {
    const entry = parseUnmerged(line);
    stages.set(entry.path, [...(stages.get(entry.path) ?? []), entry]);
  }
  const open = new Set(await unmergedPaths(checkout));
  const unresolved: string[] = [];
  for (const [path, entries] of stages) {
    const isOpen = open.has(path) && conflicts.bare.includes(path) && (await isUntouched(checkout, path, entries));
    if (isOpen || (await hasMarker(checkout, path, entries))) unresolved.push(path);
  }
  return unresolved.sort();
}

export async function unmergedPaths(checkout: Checkout): Promise<string[]> {
  return [...new Set((await listUnmerged(checkout)).map((line) => parseUnmerged(line).path))];
}

function listUnmerged({ top }: Checkout): Promise<string[]> {
  return gitRecords(top, ['ls-files', '--unmerged', '-z', '--', ':/']);
}

/** A merged version may contain such a line itself. */
async function hasMarker(checkout: Checkout, path: string, stages: readonly Unmerged[]): Promise<boolean> {
  const bytes = onDisk(checkout.top, path);
  const found = await lstat(bytes).catch(() => null);
  if (found === null || !found.isFile() || found.size > fileMaxBytes) return false;
  const markers = markersIn(await readFile(bytes, 'latin1'));
  if (markers.length === 0) return false;
  const own = new Set<string>();
  for (const { sha, mode } of stages) {
    if (mode.startsWith('100'))
      for (const line of markersIn(await git(checkout.top, ['cat-file', 'blob', sha]))) own.add(line);
  }
  return markers.some((line) => !own.has(line));
}

function markersIn(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => marker.test(line));
}

// One side's version still in place: choosing it takes git add or git rm.
async function isUntouched(checkout: Checkout, path: string, stages: readonly Unmerged[]): Promise<boolean> {
  const found = await lstat(onDisk(checkout.top, path)).catch(() => null);
  if (found === null) return stages.every(({ mode }) => mode === '160000');
  if (!found.isFile()) return true;
  const input = Buffer.from(`${path}\n`, 'latin1');
  const answer = await askGit(checkout.top, ['hash-object', '--stdin-paths'], { input });
  return stages.some(({ sha }) => sha === answer.out.trim());
}

// `mode sha stage` TAB `path`
function parseUnmerged(line: string): Unmerged {
  const [fields = '', ...path] = line.split('\t');
  const [mode = '', sha = ''] = fields.split(' ');
  return { path: path.join('\t'), mode, sha };
}
