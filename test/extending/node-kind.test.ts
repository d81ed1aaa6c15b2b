// The node kind that docs/extending.md adds: the compiler names the places of the page and no others, and it runs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadWorkflow, noteOf } from '../../src/engine/workflow/index.js';
import { Player, pass } from '../engine/builders.js';
import { readPageChanges } from '../foundations/page-changes.js';
import { compileWith } from '../foundations/page-types.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Only these can ask for the kind of a node, and to check them all takes four times as long. */
const asking = readdirSync(join(root, 'src/engine'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/engine/${name}`)
  .filter((path) => /NodeKind\b|nodeKinds|switch \([\w.]*kind\)/.test(readFileSync(join(root, path), 'utf8')));

it('makes the compiler name the places that the page lists, and no others', { timeout: 120_000 }, () => {
  const changes = readPageChanges().filter(({ path }) => path.startsWith('src/engine/'));
  const [type, row, ...places] = changes.map(({ path, text }) => [path, text] as const);
  if (!type || !row) throw new Error('docs/extending.md adds no kind of node');
  const begun = compileWith(asking, new Map([type, row]));
  expect(begun.broken).toEqual(places.map(([path]) => path).sort());
  const changed = new Map([type, row, ...places]);
  expect(compileWith([...changed.keys()], changed, begun.program).broken).toEqual([]);
});

it('is read from a workflow, passes at once and has its words in graphs', () => {
  const chain = '[{ id: a, prompt: Build }, { id: beta, kind: milestone }, { id: b, prompt: Ship }]';
  const loaded = loadWorkflow({ file: 'two.yaml', text: `workflow: two\nversion: 1\nchain: ${chain}\n` }, () => null);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const player = Player.start(loaded.workflow);
  expect(player.line()).toBe('a:queued beta:waiting b:waiting');
  expect(player.settle(pass).line()).toBe('a:passed beta:passed b:queued');
  expect(loaded.workflow.chain.map(noteOf)[1]).toBe('milestone');
});
