import type { TestCounts } from '../../engine/index.js';

const words = 'failed|passed|skipped|errors?|xfailed|xpassed|deselected|warnings?|rerun|subtests passed';
const totalsPattern = new RegExp(
  `^(?:=+ )?((?:\\d{1,9} (?:${words})(?:, )?){1,10}) in [\\d.:]{1,20}s?(?: \\([\\d:]{1,20}\\))?(?: =+)?$`,
);
const noTests = /^(?:=+ )?no tests ran in [\d.]{1,20}s(?: =+)?$/;
const maxLineChars = 2000;

export function readPytest(text: string): TestCounts | null {
  const lines = text.split('\n').map((line) => line.slice(0, maxLineChars).trim());
  const totals = lines.map((line) => totalsPattern.exec(line)?.[1]).findLast((found) => found !== undefined);
  if (totals === undefined) {
    return lines.some((line) => noTests.test(line)) ? { pass: 0, fail: 0, skip: 0, failing: [] } : null;
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
