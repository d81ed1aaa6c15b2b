// A log as the page draws it: commands fold what they printed, failures stand out, and searched words are marked.
import { expect, it } from 'vitest';
import { entriesOf, filtered, found, isFailure } from '../../src/web/pages/attempt/log-entries.js';
import type { LogLine } from '../../src/web/pages/attempt/log-file.js';
import { LogView } from '../../src/web/pages/attempt/log-view.js';

let n = 0;
const line = (text: string, at: number | null = null, source: LogLine['source'] = 'out'): LogLine => {
  n += 1;
  return { source, text, at, n };
};
const drawn = async (lines: readonly LogLine[], words = '', from = 1_000) =>
  String(await LogView({ entries: found(entriesOf(lines), words), from, words, isFollowed: true })?.toString());

it.each([
  ['Error 401: IMAGE_CDN_KEY is not set', true],
  ['FAILED tests/cart.py::test_total', true],
  ['PUT /v1/cover.avif 401 Unauthorized', true],
  ['0 errors, 3 warnings', false],
  ['12 passed, 0 failed', false],
  ['wrote errors.md', false],
  ['compiling error-free', true],
  ['[tool] Bash grep -rn "error" src', false],
])('%s tells of a failure: %s', (text, is) => {
  expect(isFailure(line(text))).toBe(is);
});

it('takes what came on standard error for a failure', () => {
  expect(isFailure(line('warming up', null, 'err'))).toBe(true);
});

it('marks words in any case, escapes them, and tells the time since the attempt began', async () => {
  n = 0;
  const markup = await drawn([line('GET <b>Cart</b> cart', 66_000), line('a cart before', 500)], 'cart');
  expect(markup).toContain('GET &lt;b&gt;<mark>Cart</mark>&lt;/b&gt; <mark>cart</mark>');
  expect(markup.match(/class="at num">[^<]*/g)).toEqual(['class="at num">1:05']);
  expect(markup).toMatch(/id="L2"><a class="no num" href="#L2"/);
});

const run = () => [
  line('[session] claude 2.1'),
  line('[tool] Read src/a.ts'),
  line('[tool] Read src/b.ts'),
  line('[tool] Grep: total'),
  line('I will run the tests first.'),
  line('[tool] Bash npm test', 2_000),
  line('1 of 3 failed', 8_000, 'tool'),
  line('exit 1', 8_000, 'tool'),
  line('[tool] Edit src/a.ts'),
  line('[tool] failed: no such text'),
  line('$ npm run lint', null, 'sys'),
  line('clean'),
  line('STATUS: pass', null, 'sys'),
];

it('folds what a command printed, and files that were looked at in a row, into one line each', async () => {
  n = 0;
  const entries = entriesOf(run());
  expect(entries.map(({ kind, lines }) => `${kind} ${lines.length}`)).toEqual([
    ...['note 1', 'look 3', 'message 1', 'command 3', 'edit 1', 'error 1', 'command 2', 'note 1'],
  ]);
  const markup = await drawn(run());
  const folded = [...markup.matchAll(/<summary>(.*?)<\/summary>/g)].map(([, one = '']) => one.replace(/<[^>]+>/g, '|'));
  expect(folded.map((one) => one.replace(/\|+/g, '|'))).toEqual([
    '|Read src/a.ts, Read src/b.ts and 1 more| |3 places|',
    '|$ npm test|exit 1 · 6.0 s |· 2 lines|',
    '|$ npm run lint| |1 line|',
  ]);
  expect(markup).not.toContain('<details id="fold-19" open');
});

it('filters commands, edits, messages and errors, and searches within them', () => {
  const entries = entriesOf(run());
  const texts = (only: Parameters<typeof filtered>[1], words = '') =>
    found(filtered(entries, only), words).map(({ lines }) => lines.map(({ text }) => text));
  expect(texts('commands')).toEqual([
    ['[tool] Bash npm test', '1 of 3 failed', 'exit 1'],
    ['$ npm run lint', 'clean'],
  ]);
  expect(texts('edits')).toEqual([['[tool] Edit src/a.ts']]);
  expect(texts('messages')).toEqual([['I will run the tests first.']]);
  expect(texts('errors')).toEqual([['1 of 3 failed'], ['[tool] failed: no such text']]);
  expect(texts('commands', 'of 3')).toEqual([['[tool] Bash npm test', '1 of 3 failed']]);
  expect(texts('', 'nowhere')).toEqual([]);
});
