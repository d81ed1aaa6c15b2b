// What no corpus can hold: random text, and every row of the corpus said in other ways.
import { describe, expect, it } from 'vitest';
import { maxTextLength, type Parsed, parse, replyKinds, understand, verbRows } from '../../../src/bot/grammar/index.js';
import { verbTable } from '../../../src/bot/grammar/verbs.js';
import { experimentSize } from '../../size.js';
import { corpusRows, knownNames } from './corpus.js';

const projects = knownNames.flatMap(({ name, aliases }) => [name, ...aliases]);
const knownWords = [
  ...new Set([
    ...verbTable(verbRows).phrases.flatMap(({ words }) => words),
    ...projects,
    'with',
    'of',
    'on',
    'to',
    'all',
  ]),
];
const targets = ['impl', 'US-005', '+5', 'i7', 'please', 'bosun', 'everything', 'use_case'];
const noiseWords = [
  'tests',
  'the',
  'don’t',
  '"ok"',
  'https://x.test/a:b',
  '👍',
  '继续',
  '`x`',
  '>',
  '{}',
  '\u0000',
  '\ud800',
  '((',
  '-',
];
const noiseSigns = [' ', ' ', ' ', ' ', ', ', ': ', '\n', '! ', '? ', '', ' - ', '; '];

/** A small generator with a seed, so that a failure can be repeated. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

function pick<T>(from: readonly T[], random: (limit: number) => number): T {
  const found = from[random(from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

function randomText(
  random: (limit: number) => number,
  vocabulary: readonly string[],
  signs: readonly string[],
): string {
  let text = '';
  for (let left = random(12); left >= 0; left -= 1) text += pick(vocabulary, random) + pick(signs, random);
  return text;
}

describe('random text', () => {
  it(
    'is parsed at least 100,000 times without throwing, in bounded time',
    () => {
      const random = randomFrom(7);
      const vocabulary = [...knownWords, ...targets, ...noiseWords];
      const started = performance.now();
      for (let turn = 0; turn < 100_000 * experimentSize; turn += 1) {
        const text = randomText(random, vocabulary, noiseSigns);
        const reply = turn % 3 === 0 ? pick(replyKinds, random) : undefined;
        const parsed = parse(text, knownNames, reply);
        if (parsed.text !== text || (parsed.verb !== null && parsed.candidates.length > 0)) expect(parsed).toBeNull();
        if (reply !== undefined && !['approve', 'reject', 'answer', null].includes(parsed.verb))
          expect(parsed).toBeNull();
      }
      expect(performance.now() - started).toBeLessThan(60_000 * experimentSize);
    },
    90_000 * experimentSize,
  );

  it('never acts when it has two words unknown to the grammar', () => {
    const random = randomFrom(11);
    const noise = noiseWords.filter((word) => !word.includes(':'));
    for (let turn = 0; turn < 20_000; turn += 1) {
      const words = Array.from({ length: 3 + random(8) }, () => pick([...knownWords, ...targets], random));
      for (let left = 2; left > 0; left -= 1) words.splice(random(words.length + 1), 0, pick(noise, random));
      const text = words.join(' ');
      expect(`${text}: ${parse(text, knownNames).verb}`).toBe(`${text}: null`);
    }
  });

  it('of five or more grammar words acts only when it is exactly a long phrase', () => {
    const random = randomFrom(13);
    let acted = 0;
    for (let turn = 0; turn < 60_000; turn += 1) {
      const words = Array.from({ length: 5 + random(4) }, () => pick([...knownWords, 'impl', '+5'], random));
      const text = words.join(' ');
      if (parse(text, knownNames).verb === null) continue;
      acted += 1;
      expect(text).toMatch(longRow);
    }
    for (const text of longTexts)
      expect([text, parse(text, knownNames).verb === null]).toEqual([text, !longRow.test(text)]);
    expect(acted).toBeLessThan(60);
  }, 60_000);

  it('approves as a reply only when one of its clauses is exactly an approving word', () => {
    const random = randomFrom(17);
    const vocabulary = [
      'ok',
      'yes',
      'lgtm',
      'approve',
      'approved',
      'looks good',
      'others ok',
      'not',
      "don't",
      'no',
      ...noiseWords,
    ];
    for (let turn = 0; turn < 20_000; turn += 1) {
      const text = randomText(random, vocabulary, noiseSigns);
      const { verb } = parse(text, knownNames, 'review');
      if (verb !== 'approve') continue;
      expect(text).not.toMatch(/\?|\bnot\b|don[’']t\b|\bno\b/);
      expect(` ${text} `).toMatch(/(^|[\s,;!:-])(ok|yes|lgtm|approved?|looks good|others ok)(?=[\s,;!:-])/);
    }
  });
});

// Written by hand, apart from the table: the rows that can have five words or more without a colon.
const P = `(?:(?:with |of |on )?(?:${projects.join('|')}))`;
const nodeName = String.raw`[\w.+-]+`;
const longRow = new RegExp(
  `^(?:${[
    `(?:${P} )?(?:where are we|stop for today|what has changed|what's in the queue|what did you change|what changed in|what has changed in)(?: ${P})?`,
    `(?:${P} )?rollback (?:${P} )?to ${nodeName}(?: ${P})?`,
    `(?:${P} )?(?:start|do|build) (?:${P} )?with ${nodeName}(?: ${P})?`,
    `(?:${P} )?(?:continue|go on|resume|next|proceed|retry|skip|log|diff)(?: ${P})?(?: ${nodeName})?(?: ${P})?`,
    `(?:${P} )?budget (?:${P} )?\\+5(?: ${P})?`,
    `(?:${P} )?how is ${P}`,
  ].join('|')})$`,
  'i',
);

const longTexts = [
  'where are we with shop',
  'on shop where are we',
  'stop for today on shop',
  'rollback with shop to impl',
  'rollback to impl on shop',
  'start shop with quick on',
  'with shop go on impl',
  'where are we with impl',
  'retry shop and then stop',
];

describe('long noise', () => {
  it.each([
    ['signs at the end', `${'!'.repeat(maxTextLength - 1)}x`],
    ['openings of quotations', '“('.repeat(maxTextLength / 2)],
    ['backticks', '`'.repeat(maxTextLength - 1)],
    ['clauses', 'ok,'.repeat(maxTextLength / 3)],
    ['white space', `ok${' '.repeat(maxTextLength - 3)}x`],
    ['new lines', '> \n'.repeat(maxTextLength / 3)],
    ['commas', ','.repeat(maxTextLength)],
    ['letters', 'a'.repeat(maxTextLength)],
    ['please', 'please '.repeat(maxTextLength / 7)],
    ['dashes', ' -'.repeat(maxTextLength / 2)],
    ['a task', `shop: ${' stop: '.repeat(5_000)}`],
  ])('of %s is parsed in less than 2 s', (_, text) => {
    const started = performance.now();
    for (const reply of [undefined, ...replyKinds]) understand(text, knownNames, reply);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('a command in another form', () => {
  const ROWS = corpusRows.filter(({ reply, names }) => reply === undefined && names === undefined);
  const what = ({ verb, project, target, code, workflow }: Parsed): unknown =>
    [verb, project, target, code, workflow].map((part) => part?.toLowerCase() ?? null);

  it.each([
    ['behind a slash', (text: string) => `/${text}`, /^\p{L}/u],
    ['behind an exclamation mark', (text: string) => `!${text}`, /^\p{L}/u],
    ['addressed to bosun', (text: string) => `bosun ${text}`, /^/],
    ['addressed to @bosun', (text: string) => `@bosun, ${text}`, /^/],
    ['after please', (text: string) => `please ${text}`, /^/],
    ['before please', (text: string) => `${text} please`, /^[^:：]*$/],
    ['with signs at the end', (text: string) => `${text}!..`, /[^:：]$/],
    ['in capitals', (text: string) => text.toUpperCase(), /^(?!.*(\ba test|i7|\.yaml))/s],
    ['in small letters', (text: string) => text.toLowerCase(), /^/],
    ['between blanks', (text: string) => `\n ${text} \t`, /^/],
  ] as const)('means the same %s', (_, otherwise, fits) => {
    for (const { text } of ROWS.filter((row) => fits.test(row.text))) {
      expect([text, what(parse(otherwise(text), knownNames))]).toEqual([text, what(parse(text, knownNames))]);
    }
  });
});
