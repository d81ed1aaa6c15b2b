// A log as the page draws it: failures stand out, and what was searched for is marked.
import { expect, it } from 'vitest';
import { isFailure, LogView } from '../../src/web/pages/attempt/log-view.js';

const line = (text: string, at: number | null = null, source: 'out' | 'err' = 'out') => ({ source, text, at });

it.each([
  ['Error 401: IMAGE_CDN_KEY is not set', true],
  ['FAILED tests/cart.py::test_total', true],
  ['PUT /v1/cover.avif 401 Unauthorized', true],
  ['0 errors, 3 warnings', false],
  ['12 passed, 0 failed', false],
  ['wrote errors.md', false],
  ['compiling error-free', true],
])('%s tells of a failure: %s', (text, is) => {
  expect(isFailure(line(text))).toBe(is);
});

it('takes what came on standard error for a failure', () => {
  expect(isFailure(line('warming up', null, 'err'))).toBe(true);
});

it('marks words in any case, escapes them, and tells the time since the attempt began', async () => {
  const lines = [line('GET <b>Cart</b> cart', 66_000), line('before', 500)];
  const log = { lines, sizeBytes: 1, isCut: false, firstError: lines[1] };
  const drawn = String(await LogView({ log, from: 1_000, words: 'cart' })?.toString());
  expect(drawn).toContain('GET &lt;b&gt;<mark>Cart</mark>&lt;/b&gt; <mark>cart</mark>');
  expect(drawn.match(/class="at num">[^<]*/g)).toEqual(['class="at num">1:05']);
  expect(drawn).toMatch(/id="first-error"><bdi>before/);
});
