// The newest evidence of a story, whichever of its steps brought it: tests, check and changed files.
import type { TestCounts } from './envelope.js';
import type { Attempt, Chain } from './model.js';

export interface LatestEvidence {
  readonly tests: TestCounts | null;
  /** Whether the last check passed; null: none has run. */
  readonly checkPassed: boolean | null;
  readonly filesChanged: readonly string[];
}

export function latestEvidence(chain: Chain): LatestEvidence {
  const attempts = settledAttempts(chain);
  const check = attempts.flatMap(({ checks }) => checks.filter(({ name }) => name === 'check'))[0];
  return {
    tests: attempts.find(({ tests }) => tests !== null)?.tests ?? null,
    checkPassed: check ? check.exit === 0 : null,
    filesChanged: attempts.find(({ filesChanged }) => filesChanged.length > 0)?.filesChanged ?? [],
  };
}

/** The last settled attempt of each step, the newest first. */
export function settledAttempts({ nodes }: Chain): readonly Attempt[] {
  const settled = nodes.flatMap(({ last }) => (last && last.endedAt !== null ? [last] : []));
  return settled.sort((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0));
}

/** The same in words, for a prompt. */
export function evidenceText(chain: Chain): string {
  const { tests, checkPassed } = latestEvidence(chain);
  const failing = tests?.failing.length ? ` (${tests.failing.slice(0, 10).join(', ')})` : '';
  const counts = tests && `${tests.pass} passed, ${tests.fail} failed${failing}, ${tests.skip} skipped`;
  const check = checkPassed === null ? 'not run' : checkPassed ? 'passed' : 'failed';
  return `tests: ${counts ?? 'not counted'}; check: ${check}`;
}
