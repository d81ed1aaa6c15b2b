import type { DiffStat } from '../../engine/index.js';
import type { AttemptRow } from '../../store/index.js';

export const exampleAttempt = {
  id: '4f1c2a-r12-_-step-001-g1-d1',
  run: 'r12',
  item: null,
  node: 'n1',
  generation: 1,
  number: 1,
  state: 'settled',
  worker: 'local-4711',
  outcome: 'pass',
  reason: null,
  summary: 'Says hello.',
  tests: { pass: 42, fail: 0, skip: 1 },
  dispatched_at: '2026-03-02T09:30:00.000Z',
  started_at: '2026-03-02T09:30:00.200Z',
  ended_at: '2026-03-02T09:41:10.000Z',
  duration_ms: 669_800,
  cost_usd: 0.12,
  tokens_in: 12_000,
  tokens_out: 900,
};

export function attemptJson({ attempt, run, chain, node }: AttemptRow) {
  const { id, generation, number, state, worker, outcome, reason, summary, tests } = attempt;
  return {
    id,
    run,
    item: chain === '' ? null : chain,
    node,
    ...{ generation, number, state, worker, outcome, reason, summary },
    tests: tests && { pass: tests.pass, fail: tests.fail, skip: tests.skip },
    dispatched_at: new Date(attempt.dispatchedAt).toISOString(),
    started_at: iso(attempt.startedAt),
    ended_at: iso(attempt.endedAt),
    duration_ms: attempt.durationMs,
    cost_usd: attempt.costUsd,
    tokens_in: attempt.tokensIn,
    tokens_out: attempt.tokensOut,
  };
}

export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Without the sizes of large files, which are for cards. */
export function linesOf({ files, insertions, deletions }: DiffStat) {
  return { files, insertions, deletions };
}
