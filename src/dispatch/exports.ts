// Files that other tools read: projections of what the database holds, written whole or not at all.
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Attempt, Chain, Item, Node, Run } from '../engine/index.js';
import { currentNode } from '../engine/index.js';
import type { Spine } from './store/index.js';

/** The state of one story, with the fields and words of the protocol. */
export interface StateFile {
  readonly project: string;
  readonly story: string | null;
  readonly step: string;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly status: 'pending' | 'running' | 'pass' | 'failing' | 'needs_human' | 'timeout';
  readonly reason: string | null;
  readonly dispatched_at: string | null;
  readonly completed_at: string | null;
  readonly timeout_min: number;
  readonly tests: { readonly pass: number; readonly fail: number; readonly skip: number } | null;
  readonly failing_tests: readonly string[];
  readonly lint_pass: boolean | null;
  readonly files_changed: readonly string[];
  readonly blocked_by: readonly string[];
  readonly human_note: string | null;
}

export const initialState = (project: string): StateFile => ({
  project,
  story: null,
  step: 'bdd',
  attempt: 1,
  max_attempts: 3,
  status: 'pending',
  reason: null,
  dispatched_at: null,
  completed_at: null,
  timeout_min: 5,
  tests: null,
  failing_tests: [],
  lint_pass: null,
  files_changed: [],
  blocked_by: [],
  human_note: null,
});

export function stateFile(spine: Spine, chain: Chain): StateFile {
  const item = spine.items.find((one) => one.key === chain.key) ?? null;
  const node = currentNode(chain);
  const base = { ...initialState(spine.run.project), story: item?.key ?? null, blocked_by: blockedBy(spine, item) };
  if (!node) return { ...base, ...ended(spine.run, chain) };
  const def = defOf(spine, node);
  const shown = node.live ?? node.last;
  const status = statusOf(node);
  const settled = node.live ? null : node.last;
  return {
    ...base,
    step: node.template,
    attempt: status === 'failing' ? (settled?.number ?? node.attempt) : node.attempt,
    max_attempts: def?.maxAttempts ?? 1,
    status,
    reason: settled?.reason ?? null,
    dispatched_at: iso(shown?.dispatchedAt ?? null),
    completed_at: iso(settled?.endedAt ?? null),
    timeout_min: Math.round((def?.timeoutMs ?? 0) / 60_000),
    ...evidence(settled),
    human_note: chain.notes.map((note) => note.text).join('\n') || null,
  };
}

function ended(run: Run, chain: Chain): Partial<StateFile> {
  const last = chain.nodes.findLast((node) => node.last !== null)?.last ?? null;
  return {
    step: 'done',
    status: 'pass',
    dispatched_at: iso(last?.dispatchedAt ?? null),
    completed_at: iso(last?.endedAt ?? run.endedAt),
    ...evidence(last),
  };
}

function evidence(last: Attempt | null): Pick<StateFile, 'tests' | 'failing_tests' | 'lint_pass' | 'files_changed'> {
  const check = last?.checks.find((one) => one.name === 'check');
  const tests = last?.tests ?? null;
  return {
    tests: tests && { pass: tests.pass, fail: tests.fail, skip: tests.skip },
    failing_tests: tests?.failing ?? [],
    lint_pass: check ? check.exit === 0 : null,
    files_changed: last?.filesChanged ?? [],
  };
}

function statusOf(node: Node): StateFile['status'] {
  if (node.state === 'queued' || node.state === 'running') return 'running';
  if (node.last?.outcome === 'timeout' && node.state !== 'waiting') return 'timeout';
  if (node.state === 'needs_human' || node.state === 'failed' || node.state === 'cancelled') return 'needs_human';
  return node.last?.outcome === 'failing' && node.last.generation === node.generation ? 'failing' : 'pending';
}

function blockedBy(spine: Spine, item: Item | null): readonly string[] {
  const keys = item?.dependsOn ?? [];
  return keys.filter((key) => spine.items.find((one) => one.key === key)?.status !== 'done');
}

function defOf(spine: Spine, node: Node) {
  const all = spine.workflow.chain.flatMap((def) => [def, ...def.body]);
  return all.find((def) => def.id === node.template) ?? null;
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The story that the project stands at: the running one, else the last that was begun, else the first. */
export function currentChainKey(spine: Spine): string {
  const pick = (...statuses: readonly Item['status'][]) => spine.items.find((item) => statuses.includes(item.status));
  const begun = spine.items.findLast((item) => item.startedAt !== null);
  return (pick('running', 'merging') ?? pick('failed') ?? begun ?? spine.items[0])?.key ?? '';
}

/** Writes `.ai/STATE.json`, and the file of each story that changed. */
export async function exportRun(
  root: string,
  spine: Spine,
  changed: readonly string[],
  chainOf: (key: string) => Chain | null,
): Promise<void> {
  // A folder that is gone is not made anew: its disk may only be away.
  if (!(await stat(root).catch(() => null))?.isDirectory()) return;
  for (const key of changed) {
    const chain = chainOf(key);
    if (key === '' || !chain || chain.nodes.length === 0) continue;
    await writeWhole(join(root, '.ai', 'states', `${key}.json`), stateFile(spine, chain));
  }
  const current = currentChainKey(spine);
  const chain = chainOf(current);
  const begun = chain !== null && chain.nodes.length > 0;
  const idle = { ...initialState(spine.run.project), story: current || null };
  await writeWhole(join(root, '.ai', 'STATE.json'), begun ? stateFile(spine, chain) : idle);
}

export async function writeWhole(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o644 });
  await rename(temporary, path);
}
