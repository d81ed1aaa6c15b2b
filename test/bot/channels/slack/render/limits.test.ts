// Whatever a project produces, and whatever a text holds: the platform takes it, and nothing of it is lost or is more
// than a text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type RenderedSlackMessage,
  renderView,
  type SlackPart,
} from '../../../../../src/bot/channels/slack/render/index.js';
import { inert, runsOf, textOf, tidy } from '../../../../../src/bot/render/index.js';
import { view } from '../../../../../src/bot/views/view.js';
import type { View } from '../../../../../src/store/messages/message-types.js';
import { problemsOf } from '../server/blocks.js';
import { longest } from './longest.js';
import { rendered } from './phone.js';
import { textsOf } from './read.js';

const hostile =
  '<!channel> <!here|x> <@U1> <#C1> @here @channel @Everyone <https://a.b|c> https://a.b *b* _i_ ~s~ `c` :tada: &amp; &lt;';

const fillers: Readonly<Record<string, string>> = {
  letters: 'x',
  words: 'word ',
  lines: 'a line of them\n',
  'lines of one': 'x\n',
  ampersands: '&',
  quotes: '"\\',
  'characters of two columns': '你',
  emoji: '🎉',
  families: '👨‍👩‍👧‍👦',
  'letters with marks': 'e\u0301\u0301\u0301',
  code: '```ts\nlet a = 1;\n```\n',
  'what calls people': `${hostile} `,
};

function messageOf(parts: readonly SlackPart[]): RenderedSlackMessage {
  const [first] = parts;
  if (first?.kind !== 'message') throw new Error('the first part is no message');
  return first;
}

/** All that is wrong with it; empty: the platform takes it, may it be sent or edited. */
function faultsOf(parts: readonly SlackPart[]): readonly string[] {
  const { text, plain, blocks } = messageOf(parts);
  const faults = [...problemsOf(blocks, 'message')];
  if (unescaped(text).length > 150) faults.push(`a banner of ${unescaped(text).length}`);
  if (text.length === 0 || text.length > 3_000) faults.push(`words beside the blocks of ${text.length}`);
  if (plain.length === 0 || plain.length > 3_500) faults.push(`words without blocks of ${plain.length}`);
  if (/[<>]|&(?!(?:amp|lt|gt);)/.test(text + plain)) faults.push('markup in words');
  if (/@(?:here|channel|everyone)/i.test(text + plain)) faults.push('words that call everybody');
  const shown = textsOf(blocks);
  if (shown.some((one) => one.markup !== 'none')) faults.push('markup in blocks');
  if (shown.some((one) => /\p{Cs}/u.test(one.text))) faults.push('half a character');
  if (parts.slice(1).some((one) => one.kind !== 'file')) faults.push('more than one message');
  return faults;
}

function unescaped(text: string): string {
  return text.replaceAll('\u2060', '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

describe('the longest views of a project', () => {
  it.each(Object.entries(fillers))("made of %s stay within Slack's limits", (_, filler) => {
    const faults = longest(filler).flatMap(([name, made]) =>
      faultsOf(rendered(made)).map((fault) => `${name}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });
});

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('```\n', '```ts\n', '\n```\n', '\n', '\n\n\n', '    ', '\t', '&amp;', '&', '<', '`', hostile),
  fc.constantFrom('\u200b', '\u2800', '\ufeff', '\ud83c', '\udf89', '🏳️‍🌈', '👨‍👩‍👧‍👦', 'é́́́', '\u202e', '\u0000'),
  fc
    .tuple(fc.constantFrom(...Object.values(fillers), '\n', ' ', '\u200b', '\n \n'), fc.integer({ min: 1, max: 4_000 }))
    .map(([what, times]) => what.repeat(times).slice(0, 6_000)),
);
const anyText = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const anyView: fc.Arbitrary<View> = fc.record({
  kind: fc.constantFrom('answer', 'review', 'question', 'progress', 'report', 'error', 'ack', 'log'),
  text: anyText,
  buttons: fc
    .array(anyText, { maxLength: 40 })
    .map((labels) => labels.map((label, index) => ({ label, press: `i1-1.${index}` }))),
  offers: fc.constant([]),
  rings: fc.boolean(),
  file: fc.option(fc.record({ name: anyText, text: anyText })),
});

describe('any view', () => {
  it("stays within Slack's limits", () => {
    fc.assert(
      fc.property(anyView, (given) => {
        expect(faultsOf(rendered(given))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('arrives complete, in the message or in its file', () => {
    const letters = (text: string) =>
      text.replace(/[\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu, '');
    fc.assert(
      fc.property(fc.constantFrom('answer', 'report', 'progress', 'review'), anyText, (kind, text) => {
        const given = { ...view(kind, 'x'), text, buttons: [{ label: 'Go', press: 'i1-1.go' }] };
        const parts = rendered(given);
        const [, file] = parts;
        // A heading that had to be cut, with its word joiners, is there once more.
        const isLong = inert(tidy(text).split('\n')[0] ?? '').length > 150;
        const read =
          file?.kind === 'file'
            ? file.bytes.toString()
            : textsOf(messageOf(parts).blocks)
                .filter((one) => one.of !== 'button' && !(one.of === 'header' && isLong))
                .map((one) => one.text)
                .join('');
        // Where there is too much code to draw, its fences stay.
        expect([letters(textOf(runsOf(tidy(text), false))), letters(tidy(text))]).toContain(letters(read));
      }),
      { numRuns: 300 },
    );
  });
});

describe('mentions, links and markup in text from outside', () => {
  const given = (patch: Partial<View>): View => ({ ...view('answer', 'x'), ...patch });
  const cases: readonly (readonly [string, View])[] = [
    ['an answer', given({ text: hostile })],
    ['a heading that rings', given({ kind: 'report', rings: true, text: `${hostile.slice(0, 140)}\n${hostile}` })],
    ['a heading', given({ kind: 'review', text: `${hostile}\n${hostile}`, buttons: [{ label: 'x', press: 'i1.x' }] })],
    ['small letters', given({ kind: 'review', text: `Review: shop\n✅ Approved by Ada, 12:40: ${hostile}` })],
    ['code', given({ text: `a\n\`\`\`\n${hostile}\n\`\`\`` })],
    ['a button', given({ buttons: [{ label: hostile.slice(0, 40), press: 'i1.x' }] })],
  ];

  it.each(cases)('are shown as plain letters in %s', (_, shown) => {
    const { blocks, plain, text } = messageOf(rendered(shown));
    expect(new Set(textsOf(blocks).map((one) => one.markup))).toEqual(new Set(['none']));
    expect(
      textsOf(blocks)
        .map((one) => unescaped(one.text))
        .join('\n'),
    ).toContain(unescaped(hostile).slice(0, 30));
    expect(`${text}${plain}`).not.toMatch(/[<>]|@\w|:\/\//i);
    const tapped = textsOf(blocks).filter((one) => !['button', 'rich_text_preformatted'].includes(one.of));
    expect(tapped.map((one) => one.text).join('\n')).not.toMatch(/@\w|:\/\//);
  });
});

describe('a text', () => {
  const partsOf = (text: string) => rendered({ ...view('answer', 'x'), text }).map(({ kind }) => kind);

  it('too long for a later edit is sent as a file', () => {
    expect(partsOf('word '.repeat(700))).toEqual(['message']);
    expect(partsOf('word '.repeat(730))).toEqual(['message', 'file']);
  });

  it('with few characters but a long escaped form is sent as a file', () => {
    expect(partsOf('你'.repeat(3_500))).toEqual(['message']);
    expect(partsOf('&'.repeat(3_500))).toEqual(['message', 'file']);
  });
});

describe('truncation', () => {
  const family = '👨‍👩‍👧‍👦';

  it('never splits a character', () => {
    const { blocks, text } = messageOf(rendered({ ...view('answer', 'x'), text: family.repeat(320) }));
    const sections = textsOf(blocks).map((one) => one.text.length % family.length);
    expect([sections, blocks.length]).toEqual([[0, 0], 2]);
    expect(text).toBe(`${family.repeat(13)}…`);
  });

  it('never splits an escape sequence', () => {
    const { plain } = messageOf(rendered({ ...view('answer', 'x'), text: '&'.repeat(1_500) }));
    expect(plain).toMatch(/^(?:&amp;)+…$/);
    expect(plain.length).toBeLessThanOrEqual(3_400);
  });

  it('of a text longer than a message attaches the whole text as a file', () => {
    const text = Array.from({ length: 400 }, (_, index) => `line ${index} ${'x'.repeat(40)}`).join('\n');
    const [message, file] = renderView({ ...view('log', 'x'), text }, () => 'p1');
    expect(messageOf(message ? [message] : []).plain).toMatch(/^line 0 [\s\S]*x\n… \(the whole is in the file\)$/);
    expect(file).toEqual({ kind: 'file', name: 'log.txt', title: 'log.txt', bytes: Buffer.from(text) });
  });
});
