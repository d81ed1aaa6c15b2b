// The small parts of pages: colours of terminals, logs, waves, graphs, durations.
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Item } from '../../src/engine/index.js';
import { readLogPart, streamLog, tailBytes } from '../../src/web/pages/attempt/log-file.js';
import { piecesOf } from '../../src/web/pages/attempt/log-view.js';
import { differenceOf } from '../../src/web/pages/diff/code-line.js';
import { DiffView } from '../../src/web/pages/diff/diff-view.js';
import { readPatch } from '../../src/web/pages/diff/patch.js';
import { wavesOf } from '../../src/web/pages/run/run-view.js';
import { durationOf, lineOf, shortened } from '../../src/web/pages/shared/text.js';
import { graphOf } from '../../src/web/pages/workflow/graph.js';
import { def, goto, loop, workflow } from '../engine/builders.js';

const e = '\u001b';

describe('terminal escape codes', () => {
  it.each([
    ['plain', [['plain', '']]],
    [
      `${e}[31mred${e}[0m not`,
      [
        ['red', 'f1'],
        [' not', ''],
      ],
    ],
    [
      `${e}[1;32mok${e}[22m still green${e}[39m`,
      [
        ['ok', 'f2 a1'],
        [' still green', 'f2'],
      ],
    ],
    [
      `${e}[38;5;1mone${e}[38;2;1;2;3mtwo`,
      [
        ['one', ''],
        ['two', ''],
      ],
    ],
    [`${e}[2J${e}[1;1Hgone${e}]0;title\u0007 stays`, [['gone stays', '']]],
    [`${e}]8;;http://evil.example\u0007link${e}]8;;\u0007`, [['link', '']]],
    [`a\u202eb\u200bc\u0000d\re`, [['abcde', '']]],
    [`${e}[<script>m`, [['[<script>m', '']]],
    ['', []],
  ] as const)('of %j become styled text', (line, pieces) => {
    expect(piecesOf(line).map(({ text, look }) => [text, look])).toEqual(pieces);
  });

  it('that fill a line are rendered within bounds', () => {
    const line = `${e}[31mx`.repeat(2_000);
    const from = performance.now();
    expect(piecesOf(line).length).toBeLessThan(300);
    expect(performance.now() - from).toBeLessThan(200);
  });
});

describe('a diff', () => {
  it('shows changed lines that look like file headers, and hides the headers themselves', () => {
    const head = 'diff --git a/q.sql b/q.sql\nindex 1234567..89abcde 100644\n--- a/q.sql\n+++ b/q.sql';
    const hunk = '@@ -1,2 +1,2 @@\n--- old comment\n+++ counter;\n index 1234567';
    const page = String(DiffView({ patch: `${head}\n${hunk}\n${head}\n${hunk}\n` }));
    const text = page.replace(/<[^>]+>/g, '');
    expect(text.match(/−-- old comment/g)).toHaveLength(2);
    expect(text.match(/\+\+\+ counter;/g)).toHaveLength(2);
    expect(page.match(/class="ln cut"/g)).toHaveLength(2);
    expect(page.match(/class="ln add"/g)).toHaveLength(2);
    expect(text).not.toMatch(/[ab]\/q\.sql|89abcde/);
  });

  const read = (patch: string, ignoreSpace = false) => readPatch(patch, { maxLines: 1_000, ignoreSpace });

  it('is read into files with numbered lines and the lines left out between them', () => {
    const patch = [
      'diff --git a/src/a.ts b/src/a.ts',
      'index 1234567..89abcde 100644',
      '--- a/src/a.ts',
      '+++ b/src/a.ts',
      '@@ -3,3 +3,4 @@ function sum() {',
      ' const a = 1;',
      '-const b = 2;',
      '+const b = 3;',
      '+const c = 4;',
      ' return a;',
      '@@ -20 +21 @@',
      '-old',
      '+new',
      '\\ No newline at end of file',
      'diff --git a/logo.png b/logo.png',
      'new file mode 100644',
      'Binary files /dev/null and b/logo.png differ',
      'diff --git a/one.md b/two.md',
      'similarity index 100%',
      'rename from one.md',
      'rename to two.md',
    ].join('\n');
    const { files, isCut } = read(patch);
    expect(isCut).toBe(false);
    expect(
      files.map(({ path, from, kind, insertions, deletions }) => [path, from, kind, insertions, deletions]),
    ).toEqual([
      ['src/a.ts', null, 'changed', 3, 2],
      ['logo.png', null, 'binary', 0, 0],
      ['two.md', 'one.md', 'renamed', 0, 0],
    ]);
    const [first, second] = files[0]?.hunks ?? [];
    expect([first?.skipped, first?.around, second?.skipped]).toEqual([2, 'function sum() {', 14]);
    expect(first?.blocks).toEqual([
      { kind: 'same', lines: [{ n: 3, before: 3, text: 'const a = 1;' }] },
      {
        kind: 'change',
        old: [{ n: 4, text: 'const b = 2;' }],
        new: [
          { n: 4, text: 'const b = 3;' },
          { n: 5, text: 'const c = 4;' },
        ],
      },
      { kind: 'same', lines: [{ n: 6, before: 5, text: 'return a;' }] },
    ]);
  });

  it('leaves out changes of white space where they are not wanted', () => {
    const patch =
      'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-if (x)  y;\n+  if (x) y;\n one\n@@ -9 +9 @@\n-a\n+b\n';
    expect(read(patch).files[0]?.insertions).toBe(2);
    expect(read(patch, true).files[0]).toMatchObject({ insertions: 1, hunks: [{ skipped: 6 }] });
  });

  it('marks only the part of a line that changed', () => {
    expect(differenceOf('return Math.floor(a);', 'return Math.round(a);')).toEqual({
      old: { from: 12, to: 17 },
      new: { from: 12, to: 17 },
    });
    expect(differenceOf('alpha', 'quite another line')).toBe(null);
  });
});

const end = { bytes: tailBytes, line: null };

describe('the end of a log', () => {
  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'bosun-log-'));
    onTestFinished(() => rmSync(made, { recursive: true }));
    return made;
  }
  const entry = (line: string, s = 'out') => `${JSON.stringify({ t: 1, s, line })}\n`;

  it('is read without the lines before it', async () => {
    const root = folder();
    const path = join(root, 'a.jsonl');
    writeFileSync(path, entry('first') + entry('x'.repeat(2 * tailBytes)) + entry('bad', 'err') + entry('last'));
    const log = await readLogPart({ root, path }, end);
    expect(log?.lines).toEqual([
      { source: 'err', text: 'bad', at: 1, n: 3 },
      { source: 'out', text: 'last', at: 1, n: 4 },
    ]);
    expect(log?.isCut).toBe(true);
  });

  it('numbers its lines, also around one of them and while it grows', async () => {
    const root = folder();
    const path = join(root, 'a.jsonl');
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, at) => entry(`line ${from + at} ${'é'.repeat((at % 37) * 3)}`)).join(
        '',
      );
    writeFileSync(path, lines(1, 9_000));
    const isNumbered = (log: Awaited<ReturnType<typeof readLogPart>>) =>
      log !== null && log.lines.length > 0 && log.lines.every(({ n, text }) => text.startsWith(`line ${n} `));
    expect(isNumbered(await readLogPart({ root, path }, end))).toBe(true);
    for (const line of [1, 2, 99, 101, 2_500, 8_999, 9_000]) {
      const log = await readLogPart({ root, path }, { bytes: tailBytes, line });
      expect([line, isNumbered(log), log?.lines.some(({ n }) => n === line)]).toEqual([line, true, true]);
      expect(log?.isEnd).toBe(log?.lines.at(-1)?.n === 9_000);
    }
    expect((await readLogPart({ root, path }, { bytes: tailBytes, line: 99_999 }))?.lines).toEqual([]);
    appendFileSync(path, lines(9_001, 9_500));
    const grown = await readLogPart({ root, path }, end);
    expect([isNumbered(grown), grown?.lines.at(-1)?.n]).toEqual([true, 9_500]);
  });

  it('cuts a single overlong line and accepts lines that are no JSON', async () => {
    const root = folder();
    const path = join(root, 'a.jsonl');
    writeFileSync(path, entry('y'.repeat(5_000_000)));
    const one = await readLogPart({ root, path }, end);
    expect(JSON.stringify(one?.lines).length).toBeLessThan(3_000);
    writeFileSync(path, 'no json\n{"half');
    expect((await readLogPart({ root, path }, end))?.lines.map(({ text }) => text)).toEqual(['no json', '{"half']);
  });

  it('is read only from a regular file inside the project', async () => {
    const [root, other] = [folder(), folder()];
    writeFileSync(join(other, 'secret'), 'a secret');
    symlinkSync(join(other, 'secret'), join(root, 'link'));
    for (const path of [join(other, 'secret'), join(root, 'link'), join(root, 'none'), root, '/dev/zero']) {
      expect(await readLogPart({ root, path }, { bytes: 100, line: null })).toBeNull();
      expect(await streamLog({ root, path })).toBeNull();
    }
  });
});

describe('waves of items', () => {
  const item = (key: string, ...dependsOn: string[]) => ({ key, dependsOn }) as unknown as Item;
  const keys = (items: readonly Item[]) => wavesOf(items).map((wave) => wave.map(({ key }) => key));

  it('come after their dependencies and ignore unknown ones', () => {
    expect(keys([item('a'), item('b', 'a'), item('c'), item('d', 'b', 'c'), item('e', 'elsewhere')])).toEqual([
      ['a', 'c', 'e'],
      ['b'],
      ['d'],
    ]);
  });

  it('are finite even if items depend on each other', () => {
    expect(keys([item('a', 'b'), item('b', 'a')])).toEqual([['a', 'b']]);
  });
});

describe('a workflow as a graph', () => {
  it('passes through a loop and draws each route back once', () => {
    const verify = def('verify', { onFail: { default: goto('code') }, onStatus: { retry: goto('code') } });
    const graph = graphOf(workflow([def('plan'), loop('stories', [def('code'), verify]), def('ship')]));
    const ways = graph.edges.map(({ from, to, label, kind }) =>
      `${kind} ${from.id} ${'id' in to ? to.id : to.title} ${label}`.trim(),
    );
    expect(ways).toEqual([
      'on start plan',
      'on plan stories',
      'on verify ship',
      'on ship done',
      'on stories code',
      'on code verify',
      'back verify code fail, retry',
    ]);
    expect(new Set(graph.boxes.map(({ x, y }) => `${x} ${y}`)).size).toBe(graph.boxes.length);
  });
});

describe('display text', () => {
  it('is shortened and loses invisible characters', () => {
    expect(lineOf(' \n first  line\nsecond')).toBe('first line');
    expect([...lineOf('é👩‍👩‍👧'.repeat(200), 50)].length).toBeLessThanOrEqual(50);
    expect(shortened('x'.repeat(5_000_000), 100)).toBe(`${'x'.repeat(100)} …`);
    expect(shortened(`a\u202e\u0007b\u001b[31mc`)).toBe('abc');
  });

  it.each([
    [0, '0 s'],
    [640, '0.6 s'],
    [61_000, '1 min 1 s'],
    [3_600_000, '1 h 0 min'],
  ])('shows %i ms as %s', (ms, words) => {
    expect(durationOf(ms)).toBe(words);
  });
});
