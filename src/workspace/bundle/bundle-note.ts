// A commit on HEAD with `work/` (tracked files), `own/` (Bosun's and the workflow's), `shared/` (the run's folder) and
// `note.json`. A returned bundle is untrusted: reading validates every part.
import { z } from 'zod';
import { askGit, gitRecords, toText } from '../git/git.js';
import { unprompted } from '../git/remote.js';
import { type Blocked, blocked } from '../git/unattended.js';
import { fileMaxBytes, isGitName } from './bundle-disk.js';

const noteSchema = z.object({
  version: z.literal(1),
  /** Null: detached HEAD. */
  branch: z.string().min(1).max(1_000).nullable(),
  /** True: no limit left a file out, so a file missing here does not exist. */
  isWhole: z.boolean(),
});

export type BundleNote = Readonly<z.infer<typeof noteSchema>>;

export interface Packed {
  readonly kind: 'packed';
  readonly commit: string;
  readonly parent: string;
  readonly work: string;
  readonly own: readonly PackedFile[];
  readonly shared: readonly PackedFile[];
  readonly note: BundleNote;
}

export interface PackedFile {
  /** One byte per character. */
  readonly path: string;
  readonly isExecutable: boolean;
  readonly sha: string;
}

/** Together for own and shared files. */
export const filesMax = 5_000;
export const filesMaxBytes = 64 * 1024 * 1024;
const noteMaxBytes = 64 * 1024;
const listMaxBytes = 16 * 1024 * 1024;
const listMs = 600_000;

export const ownNames = ['.ai', 'workflow_edits', '.workflow', 'progress.txt', 'workflow_state.json'] as const;

export const isOwnPath = (path: string): boolean =>
  /^(\.ai\/|workflow_edits\/|\.workflow\/|progress\.txt$|workflow_state\.json$)/.test(path) && !isRunsPath(path);

/** A run's folder travels as the shared folder instead. */
export const isRunsPath = (path: string): boolean => path === '.ai/runs' || path.startsWith('.ai/runs/');

export const isSharedPath = (path: string, log: string | null): boolean =>
  path === log || !(path === 'logs' || path.startsWith('logs/'));

export async function readPacked(
  folder: string,
  commit: string,
  isShared: (path: string) => boolean,
): Promise<Packed | Blocked> {
  const odd = (why: string) => oddBundle(commit, why);
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return odd('it has no commit id');
  const facts = await askGit(folder, [
    'show',
    '--no-patch',
    '--no-show-signature',
    '--format=%T%n%P',
    `${commit}^{commit}`,
    '--',
  ]);
  if (facts.exit !== 0) return odd('it does not exist');
  const [tree = '', parents = ''] = facts.out.split('\n');
  if (!/^[0-9a-f]+$/.test(parents)) return odd('it does not have exactly one parent');
  if ((await askGit(folder, ['cat-file', '-e', `${parents}^{tree}`])).exit !== 0)
    return odd('its parent does not exist');
  const tops = await readTops(folder, tree);
  if (typeof tops === 'string') return odd(tops);
  const note = await readNote(folder, tops.note);
  if (note === null) return odd('this Bosun cannot read its note.json');
  const own = await readFiles(folder, tops.own, isOwnPath);
  if (typeof own === 'string') return odd(`own/${own}`);
  const shared = await readFiles(folder, tops.shared, isShared);
  if (typeof shared === 'string') return odd(`shared/${shared}`);
  if (own.files.length + shared.files.length > filesMax || own.bytes + shared.bytes > filesMaxBytes)
    return odd('it has too many files, or too large ones');
  return { kind: 'packed', commit, parent: parents, work: tops.work, own: own.files, shared: shared.files, note };
}

export function oddBundle(commit: string, why: string): Blocked {
  const hint = `Nothing was changed. To see its contents: git show --stat ${commit}`;
  return blocked(`${commit.slice(0, 40)} is not a valid packed checkout: ${why}`, hint);
}

interface Tops {
  readonly work: string;
  readonly own: string | null;
  readonly shared: string | null;
  readonly note: string;
}

/** A string is the error. */
async function readTops(folder: string, tree: string): Promise<Tops | string> {
  const list = await askGit(folder, ['ls-tree', '-z', tree], { stdoutMaxBytes: noteMaxBytes });
  const found = new Map<string, string>();
  for (const record of list.out.split('\0').filter((one) => one !== '')) {
    const [facts = '', name = ''] = record.split('\t');
    const [mode, , sha = ''] = facts.split(' ');
    const isKnown = /^(work|own|shared)$/.test(name) ? mode === '040000' : name === 'note.json' && mode === '100644';
    if (!isKnown) return `it contains ${toText(name).slice(0, 100)}, which does not belong there`;
    found.set(name, sha);
  }
  const [work, note] = [found.get('work'), found.get('note.json')];
  if (work === undefined || note === undefined) return 'it lacks work/ or note.json';
  return { work, own: found.get('own') ?? null, shared: found.get('shared') ?? null, note };
}

async function readNote(folder: string, sha: string): Promise<BundleNote | null> {
  const answer = await askGit(folder, ['cat-file', 'blob', sha], { stdoutMaxBytes: noteMaxBytes });
  if (answer.exit !== 0 || answer.isCut) return null;
  try {
    return noteSchema.parse(JSON.parse(toText(answer.out)));
  } catch {
    return null;
  }
}

interface PackedFiles {
  readonly files: readonly PackedFile[];
  readonly bytes: number;
}

/** A string is the error. */
async function readFiles(
  folder: string,
  tree: string | null,
  isAllowed: (path: string) => boolean,
): Promise<PackedFiles | string> {
  if (tree === null) return { files: [], bytes: 0 };
  const files: PackedFile[] = [];
  let bytes = 0;
  const args = ['ls-tree', '-r', '-z', '-l', '--full-tree', tree];
  // Slow: listing sizes makes a partial clone fetch filtered blobs.
  const options = { stdoutMaxBytes: listMaxBytes, timeoutMs: listMs, env: await unprompted(folder) };
  for (const record of await gitRecords(folder, args, options)) {
    const at = record.indexOf('\t');
    const [mode = '', , sha = '', size = ''] = record.slice(0, at).split(/ +/);
    const path = record.slice(at + 1);
    const told = toText(path).slice(0, 200);
    if (mode !== '100644' && mode !== '100755') return `${told} is not a plain file`;
    if (!isAllowed(path) || !isPlainPath(path)) return `${told} does not belong there`;
    if (!(Number(size) <= fileMaxBytes)) return `${told} is too large`;
    files.push({ path, isExecutable: mode === '100755', sha });
    bytes += Number(size);
  }
  return { files, bytes };
}

/** Stays in its folder and outside `.git`. */
export function isPlainPath(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !isGitName(part));
}
