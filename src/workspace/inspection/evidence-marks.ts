// Marks later tell which judged files an attempt wrote.
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isInside } from '../../base/index.js';
import { readWithin } from '../git/read-within.js';
import { readState } from './survey.js';

/** `survey`: their workflow folder; null: the root. */
interface JudgedFiles {
  readonly files: readonly string[];
  readonly survey: string | null;
}

export type EvidenceMarks = Readonly<Record<string, string>>;

const maxFolders = 2_000;
const maxBytes = 1024 * 1024;

export async function markEvidence(root: string, { files, survey }: JudgedFiles): Promise<EvidenceMarks> {
  const folders = survey === null ? [root] : await artifactFolders(root, survey);
  const marks: Record<string, string> = {};
  for (const path of folders.flatMap((folder) => files.map((file) => join(folder, file)))) {
    const read = await readWithin(root, path, maxBytes);
    if (read.type === 'text') marks[relative(root, path)] = markOf(read);
  }
  return marks;
}

async function artifactFolders(root: string, survey: string): Promise<readonly string[]> {
  const scratch = join(root, survey, 'scratch');
  const { state } = await readState(root, survey);
  const named = (state?.artifacts ?? []).flatMap(({ path }) => (path === null ? [] : [path]));
  const found = await readdir(scratch).catch(() => []);
  const all = [...named.map((path) => path.replace(/^(\.workflow\/)?scratch\//, '')), ...found];
  const folders = new Set(all.map((name) => resolve(scratch, name)));
  return [...folders].filter((folder) => isInside(scratch, folder)).slice(0, maxFolders);
}

function markOf({ text, mtimeMs }: { readonly text: string; readonly mtimeMs: number }): string {
  return `${mtimeMs} ${createHash('sha256').update(text).digest('hex')}`;
}

/** Marks include the modification time: rewriting the same content counts. */
export function writtenSince(before: EvidenceMarks, now: EvidenceMarks): readonly string[] {
  return Object.keys(now).filter((path) => now[path] !== before[path]);
}

export function writtenAfter(now: EvidenceMarks, sinceMs: number): readonly string[] {
  return Object.keys(now).filter((path) => Number(now[path]?.split(' ')[0]) >= sinceMs);
}
