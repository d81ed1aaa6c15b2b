// A Markdown file of the changes as it reads: nothing in it acts on the page.
import { expect, it } from 'vitest';
import { readPatch } from '../../src/web/pages/diff/patch.js';
import { canBeRead, newText, Rendered } from '../../src/web/pages/diff/rendered.js';

const drawn = (text: string) =>
  String(Rendered({ text })?.toString()).replace(/^<div class="rendered" dir="auto">(.*)<\/div>$/s, '$1');

it.each([
  ['# Orders\n\nA **list** of _orders_.', '<h3>Orders</h3><p>A <strong>list</strong> of <em>orders</em>.</p>'],
  ['## Later\n### Then', '<h4>Later</h4><h5>Then</h5>'],
  ['- one\n- [x] two\n  - three', '<ul><li>one</li><li>☑ two<ul><li>three</li></ul></li></ul>'],
  ['3. three\n4. four', '<ol start="3"><li>three</li><li>four</li></ol>'],
  ['> so `it` was', '<blockquote><p>so <code>it</code> was</p></blockquote>'],
  ['```js\nlet a = 1 < 2;\n```', '<pre class="code">let a = 1 &lt; 2;</pre>'],
  [
    '| a | b |\n|---|---|\n| 1 | ~~2~~ |',
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><s>2</s></td></tr></tbody></table>',
  ],
  ['a  \nb\n\n---', '<p>a<br/>b</p><hr/>'],
])('%j is shown as its blocks', (text, shown) => {
  expect(drawn(text)).toBe(shown);
});

it.each([
  ['<script>alert(1)</script>', '<pre>&lt;script&gt;alert(1)&lt;/script&gt;</pre>'],
  ['see <b onclick="x()">here</b>', '<p>see &lt;b onclick=&quot;x()&quot;&gt;here&lt;/b&gt;</p>'],
  ['[pay](javascript:alert(1))', '<p>pay (javascript:alert(1))</p>'],
  ['[example.org](https://elsewhere.example)', '<p>example.org (https://elsewhere.example)</p>'],
  ['[here]()', '<p>[here]()</p>'],
  ['https://example.org', '<p>https://example.org</p>'],
  ['![logo](https://example.org/a.png)', '<p>logo (https://example.org/a.png)</p>'],
])('%j becomes text', (text, shown) => {
  expect(drawn(text)).toBe(shown);
});

it.each([
  ['nested too deeply', '> '.repeat(30_000)],
  ['too long', `# A\n${'a line\n'.repeat(10_000)}`],
])('a file that is %s stays as written', (_, text) => {
  expect(drawn(text)).toBe(`<pre>${text.replaceAll('>', '&gt;')}</pre>`);
});

it('a paragraph that would take long to read stays as written', () => {
  const from = performance.now();
  expect(drawn('_a'.repeat(30_000))).toBe(`<p>${'_a'.repeat(30_000)}</p>`);
  expect(performance.now() - from).toBeLessThan(1_000);
});

it('the text behind the change is read, in files that have one', () => {
  const patch = 'diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,3 @@\n # A\n-old\n+new\n+more\n';
  const [file] = readPatch(patch, { maxLines: 100, ignoreSpace: false }).files;
  if (file === undefined) throw new Error('no file was read');
  expect(newText(file).trimEnd()).toBe('# A\nnew\nmore');
  const kinds = ['changed', 'added', 'renamed', 'deleted', 'binary'] as const;
  expect(kinds.map((kind) => canBeRead({ ...file, kind }))).toEqual([true, true, true, false, false]);
  expect(canBeRead({ ...file, path: 'a.ts' })).toBe(false);
});
