// The import table holds for the real tree, and the checkers are shown to bite on planted offenders.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { allowances } from './foundations/allowances.js';
import { findFolderCycles } from './foundations/folder-cycles.js';
import {
  castJson,
  comments,
  countOpeners,
  crowdedFolders,
  figuresOf,
  filesPerFolder,
  homonyms,
  kindComparisons,
  optionalParts,
  ownComments,
  strayLiterals,
  valueCycles,
  wholeStores,
} from './foundations/house.js';
import { findOffences, ruleNames } from './foundations/import-rules.js';
import { readPageChanges } from './foundations/page-changes.js';
import type { SourceText } from './foundations/references.js';

const root = fileURLToPath(new URL('..', import.meta.url));

function listFiles(): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => relative(root, join(it.parentPath, it.name)).split(sep).join('/'))
    .sort();
}

function readSources(named: RegExp): SourceText[] {
  const sources = listFiles().filter((path) => named.test(path));
  return sources.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

describe('the source tree', () => {
  const tree = readSources(/\.tsx?$/);

  it('contains the engine', () => {
    expect(tree.map((it) => it.path)).toContain('src/engine/index.ts');
  });

  it('has no import that breaks the import table', () => {
    expect(findOffences(tree)).toEqual([]);
  });

  it('has no import cycle between folders', () => {
    expect(findFolderCycles(tree)).toEqual([]);
  });

  it('has no cycle of value imports between files', () => {
    expect(valueCycles(tree)).toEqual([]);
  });

  // What these find must be listed, and whatever is listed must still be found: the lists can only shrink.
  it(`keeps at most ${filesPerFolder} files at the top of each folder`, () => {
    expect(crowdedFolders(listFiles())).toEqual(allowances.crowdedFolders);
  });

  it('has no type name exported twice within a top-level folder', () => {
    expect(homonyms(tree)).toEqual(allowances.homonyms);
  });

  it('requires each member of the types that hand dependencies, plans and batches over', () => {
    expect(optionalParts(tree)).toEqual(allowances.optionalParts);
  });

  it('parses JSON that comes from elsewhere, and casts only rows that Bosun alone writes', () => {
    expect(castJson(tree)).toEqual(allowances.castJson);
  });

  it('hands bot and web the ports that they use, and never the whole store or runtime', () => {
    expect(wholeStores(tree)).toEqual([]);
  });

  it('names channels and agents only in their registries', () => {
    expect(strayLiterals(tree)).toEqual(allowances.strayLiterals);
  });

  it('has no comment sentence that opens with one of the banned riddle words, even in scripts and styles', () => {
    const scripts = [...tree, ...readSources(/\.js$/)].map((source) => ({ ...source, said: ownComments(source) }));
    const styles = readSources(/\.css$/).map((source) => ({ ...source, said: comments(source.text) }));
    expect([...scripts, ...styles].filter(({ said }) => countOpeners(said) > 0).map(({ path }) => path)).toEqual([]);
  });

  it('asks for the kind of a node only in the workflow folder and where a node is begun', () => {
    const hint = 'Give the row of each kind in node-kinds.ts a field for it, or ask the state, and compare no kind';
    expect(kindComparisons(tree), hint).toEqual(allowances.kindComparisons);
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const quoted = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([^`*]+)`/g)].map(([, name = '']) => name);
  const rows = [...page.matchAll(/^\| (`[a-z]+\/.*?) \| (.*) \|$/gm)].map(([, rooms, holds]) => ({
    rooms: quoted(rooms),
    names: quoted(holds).filter((name) => /^[\w-]+(\.ts|\/)$/.test(name)),
  }));

  it('names only files and folders that exist', () => {
    const there = (rooms: readonly string[], name: string) =>
      rooms.some((room) => existsSync(join(root, 'src', room, name)));
    expect(rows.flatMap(({ names }) => names).length).toBeGreaterThan(40);
    expect(rows.flatMap(({ rooms, names }) => names.filter((name) => !there(rooms, name)))).toEqual([]);
  });

  it('names every folder of src two levels deep', () => {
    const inside = (room: string) =>
      readdirSync(join(root, 'src', room), { withFileTypes: true })
        .filter((it) => it.isDirectory())
        .map(({ name }) => `${name}/`);
    const unnamed = rows.flatMap(({ rooms: [room = ''], names }) =>
      inside(room)
        .filter((folder) => !names.includes(folder))
        .map((folder) => room + folder),
    );
    expect(unnamed).toEqual([]);
  });

  it('names every top-level folder of src in at most 150 lines', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((it) => it.isDirectory());
    const named = rows.flatMap((row) => row.rooms);
    expect(folders.map(({ name }) => `${name}/`).filter((folder) => !named.includes(folder))).toEqual([]);
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  const paths = (text: string) => quoted(text).filter((name) => /^[a-z]+\/[\w./-]*$/.test(name));
  const [, walks = '', goes = ''] = page.split(/^## (?=One message|Where a new thing)/m);
  const goesTo = new Map(
    [...goes.matchAll(/^\| an? (.*?) \| (.*) \|$/gm)].map(([, thing = '', to = '']) => [thing, paths(to)]),
  );

  it('names only files that exist on the way of a message and where a new thing goes', () => {
    const named = paths(walks + goes);
    expect(named.length).toBeGreaterThan(60);
    const isThere = (path: string) => ['src', '.'].some((base) => existsSync(join(root, base, path)));
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  it.each([
    ['chat verb', /^bot\/(grammar|commands)\//],
    ['coding agent', /^agents\//],
    ['chat channel', /^bot\/channels\//],
    ['kind of node', /^engine\//],
  ])('sends a new %s to the files that docs/extending.md changes', (thing, home) => {
    const changed = readPageChanges()
      .filter(({ isNew }) => !isNew)
      .map(({ path }) => path.replace('src/', ''))
      .filter((path) => home.test(path));
    const named = goesTo.get(thing) ?? [];
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.filter((path) => !named.includes(path))).toEqual([]);
    if (thing === 'kind of node') expect(named).toEqual(changed);
  });

  it.each([
    ['agents/adapters', (folder: string) => `${folder}/${folder}.ts`],
    ['bot/channels', (folder: string) => `${folder}/kind.ts`],
  ])('names the registry of %s, which lists each folder there', (home, fileOf) => {
    const registry = readFileSync(join(root, 'src', home, 'registry.ts'), 'utf8');
    expect([...goesTo.values()].flat()).toContain(`${home}/registry.ts`);
    const folders = readdirSync(join(root, 'src', home), { withFileTypes: true })
      .filter((it) => it.isDirectory() && existsSync(join(root, 'src', home, fileOf(it.name))))
      .map(({ name }) => name);
    expect([...registry.matchAll(/from '\.\/([\w-]+)\//g)].map(([, folder]) => folder).sort()).toEqual(folders.sort());
  });
});

/** Each must be reported once, under its rule and no other. */
const planted: readonly (readonly [rule: (typeof ruleNames)[number], path: string, text: string])[] = [
  ['folder order', 'src/base/a.ts', `import { x } from '../engine/index.js';`],
  ['folder order', 'src/engine/a.ts', `import { x } from '../dispatch/index.js';`],
  ['folder order', 'src/engine/a.ts', `import type { X } from '../jobs/index.js';`],
  ['folder order', 'src/engine/a.ts', `export { x } from '../bot/index.js';`],
  ['folder order', 'src/store/a.ts', `import { x } from '../queue/index.js';`],
  ['folder order', 'src/queue/a.ts', `import type { X } from '../store/index.js';`],
  ['folder order', 'src/workspace/a.ts', `import { x } from '../config/index.js';`],
  ['folder order', 'src/worker/a.ts', `import { x } from '../store/index.js';`],
  ['folder order', 'src/worker/attempt/a.ts', `export * from '../../dispatch/index.js';`],
  ['folder order', 'src/dispatch/a.ts', `type X = import('../web/index.js').X;`],
  ['folder order', 'src/bot/a.ts', `const x = await import('../cli/index.js');`],
  ['folder order', 'src/bot/a.ts', `import { x } from '../queue/index.js';`],
  ['folder order', 'src/web/a.ts', `import { x } from '../workspace/index.js';`],
  ['folder order', 'src/web/a.tsx', `import '../cli/index.js';`],
  ['folder order', 'src/cli/a.ts', `import { x } from '../web/index.js';`],
  ['folder order', 'src/web/a.ts', `import { x } from '../main.js';`],
  ['entry through index', 'src/dispatch/a.ts', `import { x } from '../engine/decide.js';`],
  ['entry through index', 'src/bot/channels/telegram/a.ts', `import { x } from '../../../store/file/open-store.js';`],
  ['entry through index', 'src/cli/a.ts', `import { x } from '../store/runs/index.js';`],
  ['entry through index', 'src/main.ts', `import { x } from './web/server.js';`],
  ['home of an SDK', 'src/bot/channels/slack/a.ts', `import { Bot } from 'grammy';`],
  ['home of an SDK', 'src/bot/a.ts', `import type { Update } from 'grammy/types';`],
  ['home of an SDK', 'src/main.ts', `import { run } from '@grammyjs/runner';`],
  ['home of an SDK', 'src/bot/channels/telegram/a.ts', `import bolt from '@slack/bolt';`],
  ['home of an SDK', 'src/queue/a.ts', `import Database from 'better-sqlite3';`],
  ['home of an SDK', 'src/dispatch/a.ts', `import { Queue } from 'bullmq';`],
  ['home of an SDK', 'src/queue/embedded/a.ts', `const redis = require('ioredis');`],
  ['home of an SDK', 'src/bot/a.ts', `import { Hono } from 'hono';`],
  ['home of an SDK', 'src/bot/render/a.ts', `import { lexer } from 'marked';`],
  ['home of an SDK', 'src/cli/a.ts', `import { serve } from '@hono/node-server';`],
  ['home of an SDK', 'src/cli/a.ts', `import { pino } from 'pino';`],
  ['home of an SDK', 'src/cli/a.ts', `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';`],
  ['engine imports', 'src/engine/a.ts', `import { readFileSync } from 'node:fs';`],
  ['engine imports', 'src/engine/workflow/a.ts', `import { readFileSync } from 'fs';`],
  ['engine imports', 'src/engine/a.ts', `import { z } from 'zod';`],
  ['engine imports', 'src/engine/report/a.ts', `import { parse } from 'yaml';`],
  ['engine imports', 'src/engine/workflow/a.ts', `import { command } from 'commander';`],
  ['engine is pure', 'src/engine/a.ts', 'const at = Date.now();'],
  ['engine is pure', 'src/engine/a.ts', `const at = Date['now']();`],
  ['engine is pure', 'src/engine/a.ts', 'const at = new Date();'],
  ['engine is pure', 'src/engine/a.ts', 'const at = Date();'],
  ['engine is pure', 'src/engine/a.ts', 'const die = Math.random();'],
  ['engine is pure', 'src/engine/a.ts', 'export async function f() {}'],
  ['engine is pure', 'src/engine/a.ts', 'const f = async () => 1;'],
  ['engine is pure', 'src/engine/a.ts', 'const x = await y;'],
  ['engine is pure', 'src/engine/a.ts', 'for await (const x of xs) y(x);'],
  ['engine is pure', 'src/engine/a.ts', 'const p = new Promise(f);'],
  ['engine is pure', 'src/engine/a.ts', 'const p = Promise.resolve(1);'],
  ['engine is pure', 'src/engine/a.ts', 'setTimeout(f, 5);'],
  ['engine is pure', 'src/engine/workflow/a.ts', 'const home = process.env;'],
  ['engine is pure', 'src/engine/a.ts', 'const t = performance.now();'],
  ['engine is pure', 'src/engine/a.ts', 'const id = crypto.randomUUID();'],
  ['leaves src', 'src/dispatch/a.ts', `import { x } from '../../test/setup.js';`],
  ['import by expression', 'src/main.ts', 'const x = await import(name);'],
];

/** Each looks like an offence and is none. */
const allowed: readonly (readonly [path: string, text: string])[] = [
  ['src/main.ts', `import { a } from './cli/index.js'; import { b } from './web/index.js';`],
  ['src/cli/a.ts', `const slack = await import('../bot/channels/slack/setup/index.js');`],
  ['src/bot/channels/telegram/a.ts', `import { Bot } from 'grammy'; import { x } from '../view.js';`],
  ['src/bot/channels/slack/a.ts', `import bolt from '@slack/bolt';`],
  ['src/store/a.ts', `import Database from 'better-sqlite3';`],
  ['src/queue/redis/a.ts', `import { Queue } from 'bullmq'; import type { Redis } from 'ioredis';`],
  ['src/cli/mcp/a.ts', `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';`],
  ['src/web/a.tsx', `import { Hono } from 'hono'; import { jsx } from 'hono/jsx';`],
  [
    'src/engine/workflow/a.ts',
    `import { z } from 'zod'; import { parse } from 'yaml'; import { x } from '../model.js';`,
  ],
  ['src/engine/a.ts', `// Date.now() and process.env are not for here\nconst text = 'await new Date()';`],
  ['src/engine/a.ts', 'const at = Date.parse(text); const most = Math.max(1, 2);'],
  ['src/dispatch/a.ts', 'export async function f() { await g(Date.now(), Math.random()); }'],
];

describe('the import table checker', () => {
  it.each(planted)('reports, as %s: %s with %s', (rule, path, text) => {
    expect(findOffences([{ path, text: `\n${text}` }])).toEqual([{ rule, path, line: 2, what: expect.any(String) }]);
  });

  it.each(allowed)('accepts %s with %s', (path, text) => {
    expect(findOffences([{ path, text }])).toEqual([]);
  });

  it('has a planted offender for each rule', () => {
    expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(ruleNames));
  });
});

describe('the folder cycle finder', () => {
  const find = (files: Readonly<Record<string, string>>) =>
    findFolderCycles(Object.entries(files).map(([path, text]) => ({ path, text })));

  it('reports two sibling folders that import each other', () => {
    const cycles = find({
      'src/dispatch/queue/a.ts': `import '../store/b.js';`,
      'src/dispatch/store/b.ts': `import type { A } from '../queue/a.js';`,
    });
    expect(cycles).toEqual([['src/dispatch/queue', 'src/dispatch/store']]);
  });

  it('reports a cycle over three folders once', () => {
    const cycles = find({
      'src/dispatch/a/a.ts': `import '../b/b.js';`,
      'src/dispatch/b/b.ts': `import '../c/c.js';`,
      'src/dispatch/c/c.tsx': `export * from '../a/a.js';`,
    });
    expect(cycles).toEqual([['src/dispatch/a', 'src/dispatch/b', 'src/dispatch/c']]);
  });

  it("reports a folder that imports its parent's index", () => {
    const cycles = find({
      'src/bot/index.ts': `export * from './telegram/index.js';`,
      'src/bot/telegram/index.ts': `import '../index.js';`,
    });
    expect(cycles).toEqual([['src/bot/index.ts', 'src/bot/telegram']]);
  });

  it('names only the file and the folder when files import each other as well', () => {
    const cycles = find({
      'src/bot/a.ts': `import './b.js';`,
      'src/bot/b.ts': `import './a.js'; import './cards/c.js';`,
      'src/bot/cards/c.ts': `import '../b.js';`,
    });
    expect(cycles).toEqual([['src/bot/b.ts', 'src/bot/cards']]);
  });

  it('accepts a folder that imports one file beside it and is imported by another', () => {
    const cycles = find({
      'src/dispatch/submit.ts': `import './store/index.js';`,
      'src/dispatch/store/index.ts': `import '../error.js';`,
      'src/dispatch/error.ts': '',
    });
    expect(cycles).toEqual([]);
  });
});

describe('the checks of the source tree', () => {
  const source = (path: string, text: string) => ({ path, text });

  it('find cycles of value imports and ignore type imports', () => {
    const circle = [
      source('src/bot/a.ts', `import { b } from './b.js';`),
      source('src/bot/b.ts', `import { type C, c } from './c.js';`),
      source('src/bot/c.ts', `export { a } from './a.js';`),
      source('src/bot/d.ts', `import type { E } from './e.js';`),
      source('src/bot/e.ts', `import { d } from './d.js';`),
    ];
    expect(valueCycles(circle)).toEqual([['src/bot/a.ts', 'src/bot/b.ts', 'src/bot/c.ts']]);
  });

  it('find a folder with too many files', () => {
    const paths = Array.from({ length: filesPerFolder + 1 }, (_, n) => `src/bot/file-${n}.ts`);
    expect(crowdedFolders(paths)).toEqual([`src/bot ${filesPerFolder + 1}`]);
    expect(crowdedFolders(paths.slice(1))).toEqual([]);
  });

  it('find a type name exported twice in one top-level folder', () => {
    const twice = [
      source('src/bot/a.ts', 'export interface Place { x: 1 }'),
      source('src/bot/views/b.ts', 'export type Place = 2;'),
      source('src/web/c.ts', 'export class Place {}'),
    ];
    expect(homonyms(twice)).toEqual(['bot Place']);
  });

  it('find a channel or agent named outside its registry', () => {
    const files = [
      source('src/store/a.ts', `if (channel === 'telegram') send(); // 'slack'`),
      source('src/store/b.ts', 'const id = `sl:$'.concat('{team}`;')),
      source('src/config/c.ts', `const kind = 'codex';`),
      source('src/bot/channels/slack/d.ts', `const name = 'slack';`),
      source('src/web/e.ts', `import { x } from 'slack';`),
    ];
    expect(strayLiterals(files)).toEqual(['channel src/store/a.ts', 'channel src/store/b.ts', 'agent src/config/c.ts']);
  });

  it("find comparisons of a node's kind outside the workflow folder", () => {
    const files = [
      source(
        'src/web/a.ts',
        `if (def.kind === 'human' || kind !== 'loop' || 'task' === kind || kind === 'other') go();`,
      ),
      source('src/web/b.ts', `switch (node.kind) { case 'loop': go(); break; case 'other': stay(); }`),
      source('src/web/c.ts', `const jobs = ['task', 'check']; const tags = { task: '', check: 'c', loop: 'l' };`),
      source('src/worker/d.ts', `function f(spec: AttemptSpec) { if (spec.kind === 'check') go(); }`),
      source(
        'src/worker/e.ts',
        `const f = ({ kind }: AttemptSpec, node: Node) => kind === 'check' && node.kind === 'check';`,
      ),
      source('src/bot/f.ts', `function f(read: Instruction) { switch (read.kind) { case 'task': go(); } }`),
      source('src/engine/workflow/g.ts', `if (def.kind === 'decision') go();`),
      source('src/engine/flow/advance.ts', `switch (node.kind) { case 'loop': go(); }`),
    ];
    expect(kindComparisons(files)).toEqual(['src/web/a.ts 3', 'src/web/b.ts 1', 'src/web/c.ts 2', 'src/worker/e.ts 1']);
  });

  it('find a dependency that may be left out', () => {
    const parts = `interface DoorParts { readonly log?: Log; readonly now: () => number }\ninterface Door { key?: 1 }`;
    expect(optionalParts([source('src/bot/a.ts', parts)])).toEqual(['src/bot/a.ts DoorParts 1']);
  });

  it('find a file that casts the JSON that it reads', () => {
    const files = [
      source('src/bot/a.ts', 'const said = JSON.parse(text) as Said;'),
      source('src/bot/b.ts', 'const said = schema.parse(JSON.parse(text) as unknown);'),
    ];
    expect(castJson(files)).toEqual(['src/bot/a.ts']);
  });

  it('find a file of bot or web that reaches the whole store', () => {
    const files = [
      source('src/bot/a.ts', `import type { Store } from '../store/index.js';`),
      source('src/web/b.ts', 'const run = services.runtime.store.run(id);'),
      source('src/web/c.ts', 'const { reader } = services.runtime;'),
      source('src/cli/d.ts', 'app.runtime.store.close();'),
    ];
    expect(wholeStores(files)).toEqual(['src/bot/a.ts Store', 'src/web/b.ts store']);
  });

  it("are counted in the tree's figures", () => {
    const { files, lines, cycles, commentWords, optionalParts } = figuresOf([
      source('src/bot/a.ts', `// Two words.\nimport './b.js';\nexport interface AParts {\n  x?: number;\n}\n`),
      source('src/bot/b.ts', `import './a.js';\n`),
    ]);
    expect({ files, lines, cycles, commentWords, optionalParts }).toEqual({
      ...{ files: 2, lines: 6, cycles: 1, commentWords: 2, optionalParts: 1 },
    });
  });

  it('count sentences that open as a riddle', () => {
    expect(countOpeners('Whoever waits is told. Nobody knows: what is said is kept. Whatever comes.')).toBe(3);
    expect(countOpeners('The first comment\nNobody knows')).toBe(1);
    expect(countOpeners('The worker renews its lease, whoever holds it.')).toBe(0);
    expect(countOpeners('Where logs lie. Whose card it is.\nWhether it ended. What keys do: Which one.')).toBe(5);
    const text = 'const sent = `\n// What is sent.\n`;\n// Whose text it is.';
    expect(countOpeners(ownComments({ path: 'src/agents/a.ts', text }))).toBe(1);
    expect(countOpeners('Git tells where logs lie. When full, drops the oldest.')).toBe(0);
  });
});
