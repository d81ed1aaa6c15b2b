// What the page tells of the changes of an attempt: its own, and nobody else's.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ProjectConfig } from '../../src/config/config.js';
import { changesOf } from '../../src/dispatch/checkouts/attempt-diff.js';
import type { Attempt } from '../../src/engine/index.js';
import type { AttemptRow, Spine } from '../../src/store/runs/run-types.js';
import type { Store } from '../../src/store/store.js';
import { checkpoint } from '../../src/workspace/index.js';
import { def, item, loop, Player, workflow } from '../engine/builders.js';

interface Work {
  readonly item: string;
  readonly changes: Readonly<Record<string, string>>;
}

/** A checkout in which one attempt after the other did this; what comes back tells of the nth. */
async function worked(works: readonly Work[], afterwards: Work['changes'] = {}, idle = 0) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-changes-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x', ...args]);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'begin');
  const write = (changes: Work['changes']) => {
    for (const [file, text] of Object.entries(changes)) writeFileSync(join(root, file), text);
  };
  const player = Player.start(workflow([loop('stories', [def('impl')])]), {
    items: [...new Set(works.map((work) => work.item))].map((key) => item(key)),
  });
  const rows: AttemptRow[] = [];
  for (const [index, work] of works.entries()) {
    const before = JSON.stringify(await checkpoint(root));
    write(work.changes);
    const attempt = {
      ...{ id: `a${index}`, dispatchedAt: index * 10, startedAt: index * 10, endedAt: index * 10 + 10 },
      ...{ filesChanged: Object.keys(work.changes), diffStat: { files: Object.keys(work.changes).length } },
    } as unknown as Attempt;
    rows.push({ run: 'r1', chain: work.item, node: 'n', checkpoint: before, attempt });
  }
  write(afterwards);
  // They find what the last one left.
  const left = JSON.stringify(await checkpoint(root));
  for (let n = 0; n < idle; n += 1) {
    const attempt = { id: `idle${n}`, dispatchedAt: 1_000 + n, endedAt: 1_001 + n } as unknown as Attempt;
    rows.push({ run: 'r1', chain: 'US-1', node: 'n', checkpoint: left, attempt });
  }
  const attemptsAfter = (_run: string, id: string, limit: number) => {
    const from = rows.findIndex(({ attempt }) => attempt.id === id) + 1;
    return rows.slice(from, from + limit);
  };
  const newestAttempts = (_run: string, limit: number) => rows.toReversed().slice(0, limit);
  const store = { pages: { attemptsAfter }, browsing: { newestAttempts } } as unknown as Store;
  const spine = { run: player.run, items: player.state.items, interactions: [], workflow: player.workflow } as Spine;
  return async (n: number) => {
    const row = rows[n];
    if (row === undefined) throw new Error('no such attempt');
    const found = await changesOf(store, spine, { root } as ProjectConfig, row);
    if (found.kind === 'none') throw new Error(found.why);
    return { ...found, files: [...found.patch.matchAll(/^diff --git a\/(\S+)/gm)].map(([, file]) => file) };
  };
}

it('the diff of the last attempt of a story ends where the next story begins in the same checkout', async () => {
  const changes = await worked([
    { item: 'US-1', changes: { 'one.txt': 'first\n' } },
    { item: 'US-2', changes: { 'one.txt': 'second\n', 'two.txt': 'second\n' } },
  ]);
  const first = await changes(0);
  expect(first).toMatchObject({ files: ['one.txt'], untilNow: false });
  expect(first.patch).toContain('+first');
  expect(await changes(1)).toMatchObject({ files: ['one.txt', 'two.txt'], untilNow: true });
});

it('the diff of an attempt omits files that the attempt did not change', async () => {
  const changes = await worked([{ item: 'US-1', changes: { 'one.txt': 'first\n' } }], { 'of another run.txt': 'x\n' });
  expect(await changes(0)).toMatchObject({ files: ['one.txt'], untilNow: true });
});

it('the diff of an attempt that changed nothing is empty', async () => {
  const changes = await worked([{ item: 'US-1', changes: {} }], { 'of another run.txt': 'x\n' });
  expect((await changes(0)).patch).toBe('');
});

it('the diff of an attempt ends where the next one begins, with 500 more after it', async () => {
  const changes = await worked(
    [
      { item: 'US-1', changes: { 'one.txt': 'first\n' } },
      { item: 'US-1', changes: { 'one.txt': 'second\n' } },
    ],
    {},
    500,
  );
  const { patch, untilNow } = await changes(0);
  expect([patch.includes('+first'), patch.includes('+second'), untilNow]).toEqual([true, false, false]);
});
