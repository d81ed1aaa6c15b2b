import { z } from 'zod';
import type { TestCounts } from '../../engine/index.js';

const maxCandidates = 50;
const maxWholeTries = 3;

const count = z.number().int().nonnegative();
const assertion = z.object({ status: z.string(), fullName: z.string().optional(), title: z.string().optional() });
const schema = z.object({
  numPassedTests: count,
  numFailedTests: count,
  numPendingTests: count.default(0),
  numTodoTests: count.default(0),
  testResults: z.array(z.object({ assertionResults: z.array(assertion).default([]) })).default([]),
});

export function readJsonReport(text: string): TestCounts | null {
  let wholeTries = maxWholeTries;
  const end = text.lastIndexOf('}') + 1;
  for (const start of lineStarts(text)) {
    const newline = text.indexOf('\n', start);
    const line = text.slice(start, newline < 0 ? text.length : newline);
    const counts = readDocument(line) ?? (wholeTries-- > 0 ? readDocument(text.slice(start, end)) : null);
    if (counts !== null) return counts;
  }
  return null;
}

function lineStarts(text: string): readonly number[] {
  const starts = text.startsWith('{') ? [0] : [];
  let at = text.indexOf('\n{');
  while (at >= 0 && starts.length < maxCandidates) {
    starts.push(at + 1);
    at = text.indexOf('\n{', at + 1);
  }
  return starts;
}

function readDocument(text: string): TestCounts | null {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const report = parsed.data;
  const failing = report.testResults
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status === 'failed')
    .map((test) => test.fullName ?? test.title ?? 'unnamed');
  return {
    pass: report.numPassedTests,
    fail: report.numFailedTests,
    skip: report.numPendingTests + report.numTodoTests,
    failing,
  };
}

/** Undefined: most output lines are not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
