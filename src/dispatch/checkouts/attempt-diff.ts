// From the attempt's checkpoint to its tree, else to the checkout's next checkpoint, else to the present.
import { existsSync } from 'node:fs';
import { BosunError } from '../../base/index.js';
import type { ProjectConfig } from '../../config/index.js';
import type { AttemptRow, HomeReader, Spine } from '../../store/index.js';
import { checkpointSchema, type Diff, diffCommits, diffSince } from '../../workspace/index.js';

export type Changes =
  | { readonly kind: 'patch'; readonly patch: string; readonly untilNow: boolean }
  | { readonly kind: 'none'; readonly why: string };

const patchMaxBytes = 256 * 1024;
const readAtOnce = 100;
/** `filesChanged` is capped, so a list this long is incomplete. */
const mostFilesNoted = 500;

export async function changesOf(
  store: HomeReader,
  spine: Spine,
  project: ProjectConfig,
  row: AttemptRow,
): Promise<Changes> {
  if (row.checkpoint === null) return { kind: 'none', why: 'Bosun took no checkpoint before it.' };
  if (row.attempt.diffStat?.files === 0) return { kind: 'patch', patch: '', untilNow: false };
  try {
    const { diff, untilNow } = await diffOf(store, spine, project, row);
    if (diff === null) return { kind: 'none', why: 'The repository no longer has the checkpoint from before it.' };
    return { kind: 'patch', patch: ownPart(await diff.patch(patchMaxBytes), row), untilNow };
  } catch (error) {
    if (error instanceof BosunError) return { kind: 'none', why: error.message };
    throw error;
  }
}

interface Found {
  readonly diff: Diff | null;
  readonly untilNow: boolean;
}

async function diffOf(store: HomeReader, spine: Spine, { root }: ProjectConfig, row: AttemptRow): Promise<Found> {
  const before = checkpointSchema.parse(JSON.parse(row.checkpoint ?? ''));
  const { tree } = row.attempt;
  const own = tree === undefined ? null : await diffCommits(root, tree, before.tree);
  if (own !== null) return { diff: own, untilNow: false };
  const next = nextIn(store, spine, row);
  if (next === null) return { diff: await diffSince(folderOf(spine, row, root), before), untilNow: true };
  const after = checkpointSchema.parse(JSON.parse(next));
  return { diff: await diffCommits(root, after.tree, before.tree), untilNow: false };
}

function nextIn(store: HomeReader, spine: Spine, { run, chain, attempt }: AttemptRow): string | null {
  const { endedAt } = attempt;
  if (endedAt === null) return null;
  const own = worktreeOf(spine, chain);
  for (let last = attempt.id; ; ) {
    const page = store.pages.attemptsAfter(run, last, readAtOnce);
    const next = page.find(
      (one) => one.checkpoint !== null && one.attempt.dispatchedAt >= endedAt && worktreeOf(spine, one.chain) === own,
    );
    if (next !== undefined || page.length < readAtOnce) return next?.checkpoint ?? null;
    last = page.at(-1)?.attempt.id ?? last;
  }
}

/** Null: the run's checkout. */
function worktreeOf({ items }: Spine, chain: string): string | null {
  return items.find(({ key }) => key === chain)?.values['folder'] ?? null;
}

function folderOf(spine: Spine, { chain }: AttemptRow, root: string): string {
  const own = spine.items.some(({ key, slot }) => key === chain && slot !== null) ? worktreeOf(spine, chain) : null;
  return [own, spine.run.branch?.folder].find((folder) => folder != null && existsSync(folder)) ?? root;
}

/** Later attempts may have changed other files since. */
function ownPart(patch: string, { attempt: { endedAt, filesChanged } }: AttemptRow): string {
  const isKnown = endedAt !== null && filesChanged.length > 0 && filesChanged.length < mostFilesNoted;
  if (!isKnown) return patch;
  const files = new Set(filesChanged);
  return patch
    .split(/^(?=diff --git )/m)
    .filter((part) => isOf(part.slice(0, part.indexOf('\n')), files))
    .join('');
}

/** A patch starts at the checkout's top, the record at the project. */
function isOf(head: string, files: ReadonlySet<string>): boolean {
  const parts = /^diff --git a\/(.+) b\/\1$/.exec(head)?.[1]?.split('/');
  return parts?.some((_, index) => files.has(parts.slice(index).join('/'))) ?? true;
}
