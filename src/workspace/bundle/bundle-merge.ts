// Parallel attempts append to the same untracked files, and people edit them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askGit, gitLine } from '../git/git.js';
import { lookAtFile } from './bundle-disk.js';
import type { PackedFile } from './bundle-note.js';

export interface Coming {
  readonly base: string;
  readonly before: ReadonlyMap<string, PackedFile>;
  readonly files: readonly PackedFile[];
  readonly gone: readonly string[];
}

/** Text only: merging two program records line by line breaks them. */
const isOfLines = /\.(md|txt)$/;

/** Unreadable counts as changed: replacing the file would lose content that never travelled. */
export async function changedHere(top: string, coming: Coming): Promise<string[]> {
  return [...(await differing(top, coming)).keys()];
}

async function differing(
  top: string,
  { base, before, files, gone }: Coming,
): Promise<Map<string, Uint8Array | 'unread'>> {
  const wanted = new Map<string, string | null>(gone.map((path) => [path, null]));
  for (const { path, sha } of files) wanted.set(path, sha);
  const differing = new Map<string, Uint8Array | 'unread'>();
  for (const [path, sha] of wanted) {
    const here = await lookAtFile(base, path);
    if (here === null) continue;
    const present = here === 'unread' ? null : await hashOf(top, here);
    if (present === null || (present !== sha && present !== before.get(path)?.sha)) differing.set(path, here);
  }
  return differing;
}

function hashOf(top: string, input: Uint8Array): Promise<string> {
  return gitLine(top, ['hash-object', '--no-filters', '--stdin'], { input });
}

export interface Joined extends Coming {
  /** Unreadable here, so left alone. */
  readonly stayed: readonly string[];
}

/** Keeps the lines of both sides. A file deleted remotely but changed here stays. */
export async function withBoth(top: string, coming: Coming): Promise<Joined> {
  const changed = await differing(top, coming);
  const files: PackedFile[] = [];
  const stayed: string[] = [];
  for (const file of coming.files) {
    const here = changed.get(file.path);
    if (here === 'unread') stayed.push(file.path);
    else files.push(here !== undefined && isOfLines.test(file.path) ? await joined(top, coming, file, here) : file);
  }
  return { ...coming, files, gone: coming.gone.filter((path) => !changed.has(path)), stayed };
}

async function joined(top: string, { before }: Coming, file: PackedFile, here: Uint8Array): Promise<PackedFile> {
  const folder = await mkdtemp(join(tmpdir(), 'bosun-join-'));
  try {
    const names = [join(folder, 'here'), join(folder, 'before'), join(folder, 'there')] as const;
    await writeFile(names[0], here);
    await writeFile(names[1], await blob(top, before.get(file.path)?.sha));
    await writeFile(names[2], await blob(top, file.sha));
    const answer = await askGit(top, ['merge-file', '--union', '-p', '-q', ...names]);
    if (answer.exit !== 0) return file;
    const input = Buffer.from(answer.out, 'latin1');
    return { ...file, sha: await gitLine(top, ['hash-object', '-w', '--no-filters', '--stdin'], { input }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function blob(top: string, sha: string | undefined): Promise<Uint8Array> {
  if (sha === undefined) return new Uint8Array();
  return Buffer.from((await askGit(top, ['cat-file', 'blob', sha])).out, 'latin1');
}
