// TAP, and the spec report of `node --test`.
import type { TestCounts } from '../../engine/index.js';

const pointPattern = /^( *)(not )?ok\b(?: +\d+)?(?: *- *| +)?(.*)$/;
const directivePattern = /(?:^|[^\\])# *(skip|todo)\b/i;
const maxLineChars = 2000;

interface Point {
  readonly depth: number;
  readonly ok: boolean;
  readonly name: string;
  readonly isSkipped: boolean;
}

export function readTap(text: string): TestCounts | null {
  if (!/^TAP version 1[34]\s*$|^1\.\.\d+\s*$/m.test(text)) return null;
  const lines = text.split('\n');
  const tests = leavesOf(points(lines));
  const failing = tests.filter((test) => !test.ok && !test.isSkipped).map((test) => test.name);
  const summary = readSummary(lines, '# ');
  if (summary !== null) return { ...summary, failing };
  const skip = tests.filter((test) => test.isSkipped).length;
  return { pass: tests.length - skip - failing.length, fail: failing.length, skip, failing };
}

export function readSpecReport(text: string): TestCounts | null {
  const lines = text.split('\n');
  const summary = readSummary(lines, 'ℹ ');
  if (summary === null) return null;
  const list = lines.findIndex((line) => /^✖ failing tests:/.test(line));
  const names = lines
    .slice(list < 0 ? 0 : list + 1)
    .map((line) => /^\s{0,40}✖ (.{1,500}) \([\d.]{1,20}ms\)$/.exec(line.slice(0, maxLineChars))?.[1])
    .filter((name) => name !== undefined);
  return { ...summary, failing: [...new Set(names)] };
}

/** Skips YAML diagnostic blocks. */
function points(lines: readonly string[]): readonly Point[] {
  const found: Point[] = [];
  let isYaml = false;
  let isAfterPoint = false;
  for (const line of lines) {
    const short = line.slice(0, maxLineChars);
    const match: RegExpExecArray | null = isYaml ? null : pointPattern.exec(short);
    isYaml = isYaml ? short.trim() !== '...' : isAfterPoint && short.trim() === '---';
    isAfterPoint = match !== null;
    if (match !== null) found.push(pointOf(match));
  }
  return found;
}

function pointOf(match: RegExpExecArray): Point {
  const [, indent = '', not, rest = ''] = match;
  const directive = directivePattern.exec(rest);
  const name = (directive === null ? rest : rest.slice(0, directive.index + 1)).replace(/[# ]+$/, '').trim();
  return { depth: indent.length, ok: not === undefined, name, isSkipped: directive !== null };
}

/** A point after deeper ones is their suite. */
function leavesOf(all: readonly Point[]): readonly Point[] {
  return all.filter((point, index) => (all[index - 1]?.depth ?? 0) <= point.depth);
}

/** Summed over several runs. */
function readSummary(lines: readonly string[], prefix: string): Omit<TestCounts, 'failing'> | null {
  const totals = new Map<string, number>();
  for (const line of lines) {
    if (!line.startsWith(prefix)) continue;
    const match = /^(pass|fail|cancelled|skipped|skip|todo) {1,10}(\d{1,9})$/.exec(
      line.slice(prefix.length).slice(0, 60).trim(),
    );
    const [, word = '', number = '0'] = match ?? [];
    if (match !== null) totals.set(word, (totals.get(word) ?? 0) + Number(number));
  }
  if (!totals.has('pass')) return null;
  const total = (...words: readonly string[]): number => words.reduce((sum, word) => sum + (totals.get(word) ?? 0), 0);
  return { pass: total('pass'), fail: total('fail', 'cancelled'), skip: total('skip', 'skipped', 'todo') };
}
