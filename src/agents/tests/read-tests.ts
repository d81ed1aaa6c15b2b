// Never throws: unreadable output has no counts.
import type { TestCounts } from '../../engine/index.js';
import { readGoTests } from './go.js';
import { readJsonReport } from './json-report.js';
import { readJunit } from './junit.js';
import { readPytest } from './pytest.js';
import { readSpecReport, readTap } from './tap.js';
import { readTextSummary } from './text-summary.js';

type Reader = (text: string) => TestCounts | null;

const allReaders: readonly Reader[] = [
  readJsonReport,
  readGoTests,
  readJunit,
  readTap,
  readSpecReport,
  readTextSummary,
  readPytest,
];

const readers: ReadonlyMap<string, readonly Reader[]> = new Map([
  ['vitest', [readJsonReport, readTextSummary]],
  ['jest', [readJsonReport, readTextSummary]],
  ['tap', [readTap, readSpecReport]],
  ['node', [readTap, readSpecReport]],
  ['go', [readGoTests]],
  ['junit', [readJunit]],
  ['pytest', [readPytest]],
  ['exit', []],
]);

const maxFailing = 50;
const maxNameChars = 300;

/** Null: no counts, or no test ran and the command failed. */
export function readTests(format: string, text: string, exit: number | null): TestCounts | null {
  const plain = withoutColours(text);
  for (const read of readers.get(format) ?? allReaders) {
    const counts = read(plain);
    if (counts === null) continue;
    const ranNothing = counts.pass + counts.fail + counts.skip === 0;
    if (ranNothing && exit !== 0) return null;
    return { ...counts, failing: counts.failing.slice(0, maxFailing).map((name) => name.slice(0, maxNameChars)) };
  }
  return null;
}

function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the escape character.
  return text.replace(/\u001b\[[0-9;]{0,20}[A-Za-z]/g, '').replaceAll('\r\n', '\n');
}
