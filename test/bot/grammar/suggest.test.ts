import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from '../../../src/bot/grammar/index.js';
import { closest, spell } from '../../../src/bot/grammar/spelling.js';
import { wordDistance } from '../../../src/engine/index.js';
import { corpusRows, knownNames } from './corpus.js';
import { offeredSentences } from './corpus-everyday.js';

const offered = (text: string, names = knownNames): readonly string[] =>
  parse(text, names).candidates.map((candidate) => candidate.text);

describe('candidates', () => {
  it('are at most four distinct sentences, each of which parses to its own command', () => {
    for (const { text, names, verb, reply } of corpusRows) {
      if (verb !== null || reply !== undefined) continue;
      const { candidates } = parse(text, names ?? knownNames);
      expect(candidates.length).toBeLessThanOrEqual(4);
      expect(candidates.length).toBeGreaterThan(0);
      expect(new Set(candidates.map((one) => one.text)).size).toBe(candidates.length);
      for (const one of candidates) {
        expect(parse(one.text, names ?? knownNames)).toMatchObject({ verb: one.verb, project: one.project });
      }
    }
  });

  it.each([
    ['contineu shop', ['continue shop']],
    ['continue shpo', ['continue shop']],
    ['contineu shpo', ['continue shop']],
    ['budgt 12 shop', ['budget shop +12']],
    ['rollbak to impl shop', ['rollback shop to impl']],
    ['lg', ['status', 'help']],
    ['continue nosuch', ['continue shop', 'continue api', 'continue blog-engine', 'continue']],
    ['nosuch: continue', ['continue shop', 'continue api', 'continue blog-engine', 'continue']],
    ['shpo: add login', ['shop: add login']],
    ['start shop add login', ['shop: add login', 'start shop']],
    ['continue shop: add a test', ['shop: add a test', 'continue shop']],
    ['shop: continue api', ['continue shop', 'continue api']],
    ['shop', ['continue shop', 'status shop']],
    ['roll back shop to impl', ['rollback shop to impl']],
    ['budget shop 12', ['budget shop +12']],
    ['use', ['use shop', 'use api', 'use blog-engine']],
    ['hello', ['status', 'help']],
    ["don't approve this", ['inbox']],
  ])('for %j are %j', (text, expected) => {
    expect(offered(text)).toEqual(expected);
  });

  it.each(offeredSentences)('for %j begin with %j', (text, first) => {
    expect(offered(text)[0]).toBe(first);
  });

  it('never turn a refusal, a doubt or talk of work into a task', () => {
    const talk = [
      "don't fix the bug in shop",
      'should we fix the bug in shop?',
      'fix the bug in shop later',
      'never add tests to shop',
      'the bug in shop is back',
      'who fixed the bug in shop?',
      '> fix the bug in shop',
      'I saw that you fixed the bug in shop',
      'maybe add a cart to shop',
      'stop the double charge in shop',
    ];
    for (const text of talk) expect([text, offered(text).filter((one) => one.includes(':'))]).toEqual([text, []]);
  });

  it('include each project of an ambiguous alias with the rest of the sentence', () => {
    const names = [
      { name: 'north', aliases: ['main'] },
      { name: 'south', aliases: ['main'] },
    ];
    expect(offered('retry main impl: mind the gap', names)).toEqual([
      'retry north impl: mind the gap',
      'retry south impl: mind the gap',
    ]);
    expect(offered('main: rollback to impl', names)).toEqual(['rollback north to impl', 'rollback south to impl']);
    expect(offered('start main with quick: go on', names)).toEqual([
      'start north with quick: go on',
      'start south with quick: go on',
    ]);
  });

  it('include the text as a task for each project when it looks like one', () => {
    expect(offered('add login')).toEqual(['status', 'help']);
    expect(offered('add a login page')).toEqual([
      'shop: add a login page',
      'api: add a login page',
      'blog-engine: add a login page',
    ]);
  });

  it('are the command or the two verdicts in a reply', () => {
    expect(parse('30 seconds', knownNames, 'review').candidates.map(({ verb }) => verb)).toEqual(['approve', 'reject']);
    expect(parse('stop A', knownNames, 'question').candidates).toEqual([
      { verb: 'stop', project: 'shop', text: 'stop A' },
    ]);
  });
});

describe('the cost of a message', () => {
  it.each(['continue project-4999', 'stop p17 please', 'haha nice', 'contineu shop', 'shpo: add a login page'])(
    '%s is read among thousands of projects without a look at each',
    (text) => {
      let looks = 0;
      const names = Array.from({ length: 5_000 }, (_, at) => ({
        get name() {
          looks += 1;
          return `project-${at}`;
        },
        aliases: [`p${at}`],
      }));
      parse('status', names);
      parse('continue project-1', names);
      looks = 0;
      parse(text, names);
      expect(looks).toBeLessThan(200);
    },
  );

  it('finds the same spellings as a comparison of every pair of words', () => {
    const word = fc.string({ unit: fc.constantFrom(...'aebst'), minLength: 1, maxLength: 7 });
    const limit = ({ length }: string) => (length <= 2 ? 0 : length <= 4 ? 1 : 2);
    fc.assert(
      fc.property(word, word, (said, known) => {
        const isNear = wordDistance(said, known) <= Math.min(limit(said), limit(known));
        expect(closest([known], said, (one) => [spell(one)]) !== undefined).toBe(isNear);
      }),
      { numRuns: 2_000 },
    );
  });
});
