// `go test -json`. Packages and parents of subtests do not count.
import { z } from 'zod';
import type { TestCounts } from '../../engine/index.js';
import { parseJson } from './json-report.js';

const event = z.object({
  Action: z.enum(['pass', 'fail', 'skip']),
  Package: z.string().default(''),
  Test: z.string().min(1).max(1000),
});
const anyEvent = z.object({ Action: z.string(), Package: z.string() });
const maxDepth = 20;

type Verdict = z.infer<typeof event>;

export function readGoTests(text: string): TestCounts | null {
  const verdicts = new Map<string, Verdict>();
  const parents = new Set<string>();
  let isGo = false;
  for (const line of text.split('\n')) {
    if (!line.startsWith('{') || !line.includes('"Action"')) continue;
    const data = parseJson(line);
    isGo ||= anyEvent.safeParse(data).success;
    const parsed = event.safeParse(data);
    if (!parsed.success) continue;
    verdicts.set(idOf(parsed.data.Package, parsed.data.Test), parsed.data);
    for (const parent of parentsOf(parsed.data.Test)) parents.add(idOf(parsed.data.Package, parent));
  }
  if (!isGo) return null;
  const leaves = [...verdicts].filter(([id]) => !parents.has(id)).map(([, verdict]) => verdict);
  const having = (action: Verdict['Action']): readonly Verdict[] => leaves.filter((leaf) => leaf.Action === action);
  const failed = having('fail');
  return {
    pass: having('pass').length,
    fail: failed.length,
    skip: having('skip').length,
    failing: failed.map((leaf) => `${leaf.Package} ${leaf.Test}`.trim()),
  };
}

function idOf(pkg: string, test: string): string {
  return `${pkg}\n${test}`;
}

function parentsOf(test: string): readonly string[] {
  const parents: string[] = [];
  let slash = test.indexOf('/');
  while (slash > 0 && parents.length < maxDepth) {
    parents.push(test.slice(0, slash));
    slash = test.indexOf('/', slash + 1);
  }
  return parents;
}
