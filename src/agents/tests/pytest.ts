import type { TestCounts } from '../../engine/index.js';

const WORDS = 'failed|passed|skipped|errors?|xfailed|xpassed|deselected|warnings?|rerun|subtests passed';
const TOTALS = new RegExp(
  `^(?:=+ )?((?:\\d{1,9} (?:${WORDS})(?:, )?){1,10}) in [\\d.:]{1,20}s?(?: \\([\\d:]{1,20}\\))?(?: =+)?$`,
);
const NO_TESTS = /^(?:=+ )?no tests ran in [\d.]{1,20}s(?: =+)?$/;
const MAX_LINE_CHARS = 2000;

export function readPytest(text: string): TestCounts | null {
  const lines = text.split('\n').map((line) => line.slice(0, MAX_LINE_CHARS).trim());
  const totals = lines.map((line) => TOTALS.exec(line)?.[1]).findLast((found) => found !== undefined);
  if (totals === undefined) {
    return lines.some((line) => NO_TESTS.test(line)) ? { pass: 0, fail: 0, skip: 0, failing: [] } : null;
  }
  const number = (word: string): number => Number(new RegExp(`(\\d{1,9}) ${word}\\b`).exec(totals)?.[1] ?? 0);
  return {
    pass: number('passed') + number('xpassed'),
    fail: number('failed') + number('errors?'),
    skip: number('skipped') + number('xfailed'),
    failing: lines
      .map((line) => /^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$/.exec(line)?.[1])
      .filter((name) => name !== undefined),
  };
}
