// The text of a request for changes, read back: comments on lines lead to their files.
import { expect, it } from 'vitest';
import { requestLines } from '../../src/web/pages/review/earlier-requests.js';

it('tells comments on lines from words about all of the work', () => {
  const text =
    '1. src/a b.ts:12: use cents: not floats\n2. docs/x.md:3 before: keep this\n\nand thanks\n3. not a comment';
  expect(requestLines(text)).toEqual([
    { words: 'use cents: not floats', path: 'src/a b.ts', line: 12 },
    { words: 'keep this', path: 'docs/x.md', line: 3 },
    { words: 'and thanks', path: null, line: 0 },
    { words: '3. not a comment', path: null, line: 0 },
  ]);
});
