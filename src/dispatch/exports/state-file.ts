// `.ai/STATE.json`, `.ai/states/<item>.json`: one story each, in the protocol's words.
import {
  type Chain,
  currentNode,
  type Item,
  latestEvidence,
  type Node,
  type Run,
  settledAttempts,
} from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import { defOf, iso } from './formats.js';

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
  const base = {
    ...initialState(spine.run.project),
    story: item?.key ?? null,
    blocked_by: blockedBy(spine, item),
    ...evidence(chain),
  };
  if (!node) return { ...base, ...ended(spine.run, chain) };
  const before = passedJustBefore(chain, node);
  if (before) return { ...base, ...passed(spine, chain, before) };
  const def = defOf(spine.workflow, node.template);
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
    human_note: notesOf(chain),
  };
}

/** While the next step waits for dispatch. */
function passedJustBefore(chain: Chain, node: Node): Node | null {
  if (statusOf(node) !== 'pending' || node.live) return null;
  const walked = chain.nodes.slice(0, chain.nodes.indexOf(node)).filter(({ state }) => state !== 'skipped');
  const before = walked.at(-1);
  const newest = settledAttempts(chain)[0];
  const isNewest = newest !== undefined && walked.some(({ last }) => last === newest);
  return before?.state === 'passed' && isNewest ? before : null;
}

function passed({ workflow }: Spine, chain: Chain, node: Node): Partial<StateFile> {
  const def = defOf(workflow, node.template);
  return {
    step: node.template,
    attempt: node.last?.number ?? node.attempt,
    max_attempts: def?.maxAttempts ?? 1,
    status: 'pass',
    dispatched_at: iso(node.last?.dispatchedAt ?? null),
    completed_at: iso(node.last?.endedAt ?? null),
    timeout_min: Math.round((def?.timeoutMs ?? 0) / 60_000),
    human_note: notesOf(chain),
  };
}

function notesOf({ notes }: Chain): string | null {
  return notes.map((note) => note.text).join('\n') || null;
}

function ended(run: Run, chain: Chain): Partial<StateFile> {
  const last = chain.nodes.findLast((node) => node.last !== null)?.last ?? null;
  return {
    step: 'done',
    status: 'pass',
    dispatched_at: iso(last?.dispatchedAt ?? null),
    completed_at: iso(last?.endedAt ?? run.endedAt),
  };
}

/** Evidence persists until a later step replaces it. */
function evidence(chain: Chain): Pick<StateFile, 'tests' | 'failing_tests' | 'lint_pass' | 'files_changed'> {
  const { tests, checkPassed, filesChanged } = latestEvidence(chain);
  return {
    tests: tests && { pass: tests.pass, fail: tests.fail, skip: tests.skip },
    failing_tests: tests?.failing ?? [],
    lint_pass: checkPassed,
    files_changed: filesChanged,
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

export function currentChainKey(spine: Spine): string {
  const pick = (...statuses: readonly Item['status'][]) => spine.items.find((item) => statuses.includes(item.status));
  const begun = spine.items.findLast((item) => item.startedAt !== null);
  return (pick('running', 'merging') ?? pick('failed') ?? begun ?? spine.items[0])?.key ?? '';
}
