// A story's newest tests, check and files; each kind stays until a newer attempt replaces it.

import type { Attempt, Chain, LatestEvidence } from '../model/model.js';
import type { TestCounts } from '../report/envelope.js';

const noEvidence: LatestEvidence = { tests: null, checkPassed: null, filesChanged: [] };

/** Derived for chains of earlier versions. */
export function latestEvidence(chain: Chain): LatestEvidence {
  return chain.evidence ?? settledAttempts(chain).toReversed().reduce(withEvidenceOf, noEvidence);
}

export function withEvidenceOf(known: LatestEvidence, { tests, checks, filesChanged }: Attempt): LatestEvidence {
  const check = checks.find(({ name }) => name === 'check');
  if (tests === null && check === undefined && filesChanged.length === 0) return known;
  return {
    tests: tests === null ? known.tests : { ...tests, failing: failingNames(tests, known.tests) },
    checkPassed: check ? check.exit === 0 : known.checkPassed,
    filesChanged: filesChanged.length > 0 ? filesChanged : known.filesChanged,
  };
}

/** A report may count failing tests without naming them. */
function failingNames({ fail, failing }: TestCounts, known: TestCounts | null): readonly string[] {
  return fail === 0 || failing.length > 0 ? failing : (known?.failing ?? []);
}

/** Newest first. */
export function settledAttempts({ nodes }: Chain): readonly Attempt[] {
  const settled = nodes.flatMap(({ last }) => (last?.endedAt == null ? [] : [{ last, endedAt: last.endedAt }]));
  return settled.sort((one, other) => other.endedAt - one.endedAt).map(({ last }) => last);
}

export function evidenceText(chain: Chain): string {
  const { tests, checkPassed } = latestEvidence(chain);
  const failing = tests?.failing.length ? ` (${tests.failing.slice(0, 10).join(', ')})` : '';
  const counts = tests && `${tests.pass} passed, ${tests.fail} failed${failing}, ${tests.skip} skipped`;
  const check = checkPassed === null ? 'not run' : checkPassed ? 'passed' : 'failed';
  return `tests: ${counts ?? 'not counted'}; check: ${check}`;
}
