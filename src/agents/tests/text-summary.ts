// `Tests 2 failed | 1 passed (3)`, `Tests: 1 failed, 3 passed`.
import type { TestCounts } from '../../engine/index.js';

const linePattern = /^\s{0,20}Tests:?\s{1,20}(\d{1,9} (?:failed|passed|skipped|todo|pending).{0,200})$/;
const maxLineChars = 300;

export function readTextSummary(text: string): TestCounts | null {
  const lines = text.split('\n');
  const totals = lines
    .map((line) => linePattern.exec(line.slice(0, maxLineChars))?.[1])
    .findLast((line) => line !== undefined);
  if (totals === undefined) return null;
  const number = (word: string): number => Number(new RegExp(`(\\d{1,9}) ${word}`).exec(totals)?.[1] ?? 0);
  return {
    pass: number('passed'),
    fail: number('failed'),
    skip: number('skipped') + number('todo') + number('pending'),
    failing: failingNames(lines),
  };
}

function failingNames(lines: readonly string[]): readonly string[] {
  const names = lines
    .map((line) => /^\s{0,20}(?:● (?=.* › )|FAIL +(?=.* > ))(.{1,500})$/.exec(line.slice(0, maxLineChars))?.[1]?.trim())
    .filter((name) => name !== undefined);
  return [...new Set(names)];
}
