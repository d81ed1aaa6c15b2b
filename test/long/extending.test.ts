// The code of docs/extending.md has no type error: not its own files, and not those that collect them.
import { expect, it } from 'vitest';
import { readPageChanges } from '../foundations/page-changes.js';
import { compileWith } from '../foundations/page-types.js';

it('compiles with the code of docs/extending.md', () => {
  const changed = new Map(readPageChanges().map(({ path, text }) => [path, text]));
  const handlers = 'src/bot/commands/verb-handlers.ts';
  expect(compileWith([...changed.keys(), handlers], changed).broken).toEqual([]);
  // Shown to bite: the row without its handler.
  changed.delete('src/bot/commands/drive.ts');
  expect(compileWith([handlers], changed).broken).toEqual([handlers]);
});
