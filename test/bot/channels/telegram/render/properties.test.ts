// Whatever a text holds: what arrives is the text, in parts that the platform takes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderView } from '../../../../../src/bot/channels/telegram/render/index.js';
import { clean, view } from '../../../../../src/bot/views/view.js';
import type { View } from '../../../../../src/store/messages/message-types.js';
import { parseHtml } from '../server/index.js';

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('```\n', '```ts\n', '\n```\n', '\n', '\n\n\n', '    ', '\t', '<b>', '</pre>', '&amp;', '&', '"', '`'),
  fc.constantFrom('\u200b', '\u2800', '\ufeff', '\ud83c', '\udf89', '🏳️‍🌈', '👨‍👩‍👧‍👦', 'é́́́', '\u202e', '\u0000'),
  fc
    .tuple(
      fc.constantFrom('x', 'word ', 'line\n', '🎉', '\n', ' ', '\u200b', '\n \n', '&', 'a\u0301'),
      fc.integer({ min: 1, max: 5_000 }),
    )
    .map(([what, times]) => what.repeat(times)),
);
const block = fc
  .tuple(
    fc.constantFrom('', 'ts', 'c++'),
    fc.constantFrom('let a = 1;\n', '<b>&\n', '\n', 'x', '🎉'),
    fc.integer({ min: 1, max: 1_500 }),
  )
  .map(([language, what, times]) => `\n\`\`\`${language}\n${what.repeat(times)}\n\`\`\`\n`);
const anyText = fc
  .array(fc.oneof({ weight: 5, arbitrary: piece }, block), { maxLength: 12 })
  .map((pieces) => pieces.join(''));
const kinds = fc.constantFrom('answer', 'review', 'report', 'error');

function given(kind: string, text: string): View {
  return { ...{ ...view(kind, 'x'), rings: true }, text, buttons: [{ label: 'Go', press: 'i1-1.go' }] };
}

/** What a person is to read of it: fences that hold something are marks, not text. */
function expected(text: string): string {
  const gap = '[\\p{White_Space}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc]';
  const shown = clean(text)
    .replace(/\p{Cs}/gu, '\ufffd')
    .replaceAll('\t', '  ')
    .replace(new RegExp(`(${gap}{100})${gap}+`, 'gu'), '$1')
    .trim();
  if (new RegExp(`^${gap}*$`, 'u').test(shown)) return '…';

  return withoutFences(shown.split('\n'), new RegExp(`^${gap}*$`, 'u')).join('\n');
}

function withoutFences(lines: readonly string[], blank: RegExp): readonly string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const isFence = /^```[\w+#.-]{0,20}\s*$/.test(line);
    const end = isFence ? lines.findIndex((one, index) => index > at && /^```\s*$/.test(one)) : -1;
    const inner = lines.slice(at + 1, Math.max(at + 1, end));
    const isCode = end > at && !blank.test(inner.join('\n'));
    out.push(...(isCode ? inner : [line]));
    if (isCode) at = end;
  }
  return out;
}

/** Without what keeps words from being tapped. */
const letters = (text: string) => text.replaceAll('\u2060', '');

describe('any text', () => {
  it('arrives complete, in parts that a strict HTML parser accepts or as a document', () => {
    fc.assert(
      fc.property(kinds, anyText, (kind, text) => {
        const { parts, documents } = renderView(given(kind, text), () => 'p1');
        const read = parts.map((part) => letters(parseHtml(part.html).text));
        expect(read).toEqual(parts.map((part) => letters(part.plain)));
        const whole = documents[0]?.bytes.toString() ?? read.join('');
        expect(letters(whole)).toBe(letters(expected(text)));
      }),
      { numRuns: 300 },
    );
  });

  it('is sent in at most three visible parts within the length limit, never splitting a character', () => {
    fc.assert(
      fc.property(kinds, anyText, (kind, text) => {
        const { parts } = renderView(given(kind, text), () => 'p1');
        expect(parts.length).toBeGreaterThan(0);
        expect(parts.length).toBeLessThanOrEqual(3);
        for (const { html, plain } of parts) {
          expect(plain.length).toBeLessThanOrEqual(4_000);
          expect(plain).not.toMatch(/\p{Cs}/u);
          expect(plain).toMatch(/[^\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u);
          expect(parseHtml(html).entities.length).toBeLessThanOrEqual(100);
        }
        expect(parts.map((part) => part.keyboard.length)).toEqual(
          parts.map((_, at) => (at === parts.length - 1 ? 1 : 0)),
        );
        expect(parts.filter((part) => !part.isSilent)).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });
});
