import { describe, expect, it } from 'vitest';
import { clean, duration, testsInWords, view } from '../../../src/bot/views/view.js';

const esc = String.fromCharCode(27);
const bell = String.fromCharCode(7);

describe('text from outside', () => {
  it.each([
    ['letters stay', 'Grüße, 你好 🎉\n\ttabbed', 'Grüße, 你好 🎉\n\ttabbed'],
    ['colours go', `${esc}[31mred${esc}[0m`, 'red'],
    ['a cursor is not moved', `${esc}[2J${esc}[1;1Hhere`, 'here'],
    ['a title is not set', `${esc}]0;owned${bell}after`, 'after'],
    ['an open sequence takes nothing along', `${esc}]0;open\nnext line`, ']0;open\nnext line'],
    ['nothing rings or goes back', `a${bell}b\rc\bd`, 'abcd'],
    ['writing is not turned around', 'abc\u202efed\u2066x\u2069', 'abcfedx'],
  ])('%s', (_what, text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  it.each([
    '123456789:AAF_abcdefghijklmnopqrstuvwxyz-12345',
    'xoxb-1234567890-abcdef',
    'xapp-1-A0B1-123-abc',
    `sk-${'a1'.repeat(12)}`,
    'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'a'.repeat(64),
  ])('that looks like a secret is redacted: %s', (secret) => {
    expect(clean(`key=${secret} end`)).toBe('key=[redacted] end');
  });

  it('that only resembles a secret is kept', () => {
    const text = 'commit 3de275dc60316b89702be30ddd21fb0d78b6161c, 12:40, task-list, skip-me';
    expect(clean(text)).toBe(text);
  });
});

describe('a view', () => {
  it('moves a text that is too long for a message into a file', () => {
    const shown = view('answer', 'x'.repeat(5_000));
    expect(shown.text.length).toBeLessThan(3_600);
    expect(shown.file).toEqual({ name: 'answer.txt', text: 'x'.repeat(5_000) });
  });

  it('turns offered sentences into buttons that wait for the id of their message', () => {
    const shown = view('answer', 'Which?', [{ label: 'shop', says: 'status shop' }]);
    expect([shown.buttons, shown.offers]).toEqual([[{ label: 'shop', press: '.0' }], ['status shop']]);
  });
});

describe('formatted numbers', () => {
  it.each([
    [-172_196_000, '0 s'],
    [400, '0 s'],
    [59_400, '59 s'],
    [61_000, '1 min 1 s'],
    [7_260_000, '2 h 1 min'],
  ])('%d ms is %s', (ms, shown) => {
    expect(duration(ms)).toBe(shown);
  });

  it.each([
    [null, ''],
    [{ pass: 44, fail: 0, skip: 0, failing: [] }, 'tests 44 of 44 ✓'],
    [{ pass: 0, fail: 0, skip: 0, failing: [] }, 'no tests'],
    [{ pass: 0, fail: 0, skip: 3, failing: [] }, 'no tests, 3 skipped'],
    [{ pass: 42, fail: 2, skip: 1, failing: ['a'] }, '2 of 44 tests fail, 1 skipped'],
  ])('tests %j are "%s"', (tests, shown) => {
    expect(testsInWords(tests)).toBe(shown);
  });
});
