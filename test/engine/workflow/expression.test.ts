import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Expression,
  type Facts,
  holds,
  judge,
  parseExpression,
  type Term,
} from '../../../src/engine/workflow/expressions/expression.js';
import { experimentSize } from '../../size.js';

const facts: Facts = {
  verification: { passed: false, gaps: [{ id: 1 }], 'by-hand': 'Yes' },
  'quality-mode': 'full',
  quality_mode: 'quick',
  milestones: 0,
  retries: 3,
  written: '3',
  verdict: 'block',
  said: 'TRUE',
  word: 'false',
  blank: '',
  none: null,
  missing_later: undefined,
  empty: [],
  table: { a: 1, b: 2 },
  severity: 'medium',
  issues: [
    { severity: 'low', tags: ['x'] },
    { severity: 'High', tags: [] },
  ],
  phases: [
    { name: 'a', tasks: [{ status: 'done' }] },
    { name: 'b', tasks: [{ status: 'open' }, { name: 'own' }] },
  ],
  words: ['one', 'two'],
  latest: 'plan',
  geprüft: true,
  '2nd': 'yes',
};

describe('an expression', () => {
  it.each<[given: string, isTrue: boolean]>([
    // Names and values
    ['true', true],
    ['false', false],
    ['null', false],
    ['0', false],
    ['-1.5', true],
    ["''", false],
    ["'no'", true],
    ['"False"', false],
    ['retries', true],
    ['milestones', false],
    ['said', true],
    ['word', false],
    ['blank', false],
    ['none', false],
    ['empty', false],
    ['issues', true],
    ['table', true],
    ['geprüft', true],
    ['2nd == "yes"', true],
    ['quality-mode == "full"', true],
    ["quality_mode == 'quick'", true],
    ['verification.by-hand == "yes"', true],
    ['len', false],
    ['any', false],
    ['true.x', false],
    // What is not there
    ['nowhere', false],
    ['nowhere == null', true],
    ['nowhere.deep.down == null', true],
    ['latest.length == null', true],
    ['retries.toFixed == null', true],
    ['constructor == null', true],
    ['__proto__ == null', true],
    ['table.constructor == null && table.toString == null && table.__proto__ == null', true],
    ['empty.map == null', true],
    ['missing_later == null', true],
    ['none == nowhere', true],
    ["blank == null || nowhere == '' || blank == nowhere", false],
    ['milestones == null || word == null || empty == null', false],
    ['verification != null', true],
    ['nowhere != null', false],
    // Sameness
    ["verdict == 'BLOCK'", true],
    ["verdict != 'BLOCK'", false],
    ["verdict == 'BLOCKED'", false],
    ['said == true', true],
    ['true == said', true],
    ['said == 1 || true == 1', false],
    ['written == 3', true],
    ['3 == written', true],
    ["'3.0' == 3", true],
    ["written == '4'", false],
    ["'' == 0", false],
    ["' 3' == 3", false],
    ['table == table', true],
    ["table == '[object Object]'", false],
    ["'one,two' == words", false],
    ['table != words', true],
    // Order
    ['retries > 2', true],
    ['retries > 3', false],
    ['retries >= 3', true],
    ['retries >= 4', false],
    ['retries < 3', false],
    ['retries < 4', true],
    ['retries <= 3', true],
    ['retries <= 2', false],
    ['written > 2 && written <= 3', true],
    ["'10' > '9'", true],
    ["severity >= 'HIGH'", false],
    ["severity >= 'medium'", true],
    ["severity > 'low'", true],
    ["severity < 'critical'", true],
    ["'CRITICAL' > 'high'", true],
    ["severity < 'blocker' || severity >= 'blocker'", false],
    ["'blocker' < severity || 'blocker' >= severity", false],
    ["'apple' < 'banana'", true],
    ["'banana' < 'apple'", false],
    ["'banana' > 'apple'", true],
    ["'Apple' <= 'apple' && 'apple' >= 'Apple'", true],
    ["'B' > 'a'", true],
    ['null <= null || nowhere < 1 || nowhere > 1 || nowhere >= nowhere', false],
    ["true > false || retries > 'a' || words > 1 || 'a' < table", false],
    // Joining
    ['true || false && false', true],
    ['(true || false) && false', false],
    ['!false && true', true],
    ['!(true && false)', true],
    ['!!retries', true],
    ['!milestones == true', true],
    ['retries == 3 && milestones == 0', true],
    ['(retries || nowhere) == true', true],
    // len
    ['len(verification.gaps) > 0', true],
    ['len(issues) == 2', true],
    ['len(empty)', false],
    ['len(latest) == 4', true],
    ['len(table) == 2', true],
    ['len(nowhere) == 0 && len(none) == 0', true],
    ['len(retries) == 0 && len(true) == 0', true],
    // any
    ["any(issues, severity == 'high')", true],
    ["any(issues, severity == 'critical')", false],
    ["any(issues, severity > 'medium')", true],
    ['any(issues, len(tags) == 0)', true],
    ['any(issues, nowhere)', false],
    ['any(issues, retries == 3)', true],
    ["any(phases, any(tasks, status == 'open'))", true],
    ["any(phases, name == 'b' && any(tasks, name == 'own'))", true],
    ["any(phases, name == 'a' && any(tasks, name == 'a' && status == 'done'))", true],
    ["any(words, latest == 'plan')", true],
    ['any(empty, true)', false],
    ['any(nowhere, true) || any(table, true) || any(latest, true)', false],
    // Space
    ["  any(issues,severity=='high')&&!false\t\n", true],
  ])('evaluates %s to %s', (given, isTrue) => {
    expect(holds(parsed(given), facts)).toBe(isTrue);
  });

  it('looks a name up in the list entry first, even when its value is null', () => {
    const given = { severity: 'high', issues: [{ severity: null }] };
    expect(holds(parsed("any(issues, severity == 'high')"), given)).toBe(false);
    expect(holds(parsed("any(issues, severity == 'high')"), { ...given, issues: [{}] })).toBe(true);
  });

  it('checks at most the first 10,000 entries of a list', () => {
    const long = (at: number) => ({ list: Array.from({ length: 10_001 }, (_, n) => ({ bad: n === at })) });
    expect(holds(parsed('any(list, bad)'), long(9_999))).toBe(true);
    expect(holds(parsed('any(list, bad)'), long(10_000))).toBe(false);
    expect(holds(parsed('len(list) == 10001'), long(0))).toBe(true);
  });

  it('checks at most 50,000 entries in all, so that nested lists stay bounded', () => {
    const list = Array.from({ length: 9_999 }, () => ({}));
    const given = { list, five: [{}, {}, {}, {}, {}], six: [{}, {}, {}, {}, {}, { last: true }] };
    expect(holds(parsed('any(five, any(list, nowhere)) || true'), given)).toBe(true);
    expect(holds(parsed('any(five, any(list, nowhere)) || any(five, true)'), given)).toBe(false);
    expect(holds(parsed('any(six, last)'), given)).toBe(true);
    expect(holds(parsed('any(six, any(list, last))'), given)).toBe(false);
  });

  it('parses to plain JSON that keeps its text', () => {
    const expression = parsed("any(a.b-c, !x == 'y') || len(z) >= 2");
    expect(JSON.parse(JSON.stringify(expression))).toEqual({
      text: "any(a.b-c, !x == 'y') || len(z) >= 2",
      term: {
        type: 'or',
        left: {
          type: 'any',
          list: { type: 'path', path: ['a', 'b-c'] },
          condition: {
            type: 'compare',
            operator: '==',
            left: { type: 'not', term: { type: 'path', path: ['x'] } },
            right: { type: 'value', value: 'y' },
          },
        },
        right: {
          type: 'compare',
          operator: '>=',
          left: { type: 'len', term: { type: 'path', path: ['z'] } },
          right: { type: 'value', value: 2 },
        },
      },
    });
  });
});

describe('an invalid expression', () => {
  it.each<[given: string, error: string]>([
    ['^', 'expected a name, a value or "(", found the end'],
    ['  ^', 'expected a name, a value or "(", found the end'],
    ['a == ^', 'expected a name, a value or "(", found the end'],
    ['a && ^', 'found the end'],
    ['a || ^)', 'expected a name, a value or "(", found ")"'],
    ['!^', 'found the end'],
    ['^== 1', 'expected a name, a value or "(", found "=="'],
    ['a ^b', 'expected &&, || or the end, found a name'],
    ['a ^"root:x:0:0"', 'expected &&, || or the end, found a text (at'],
    ['a ^4711', 'expected &&, || or the end, found a number (at'],
    ['a ^and b', 'found "and"; use "&&", not "and"'],
    ['a ^OR b', 'found "OR"; use "||", not "OR"'],
    ['not ^a', 'expected &&, || or the end, found a name'],
    ['^not(a)', 'use "!", not "not"'],
    ['a ^= 1', '"=" is not understood; use "=="'],
    ['a ==^= 1', '"=" is not understood; use "=="'],
    ['a ^& b', '"&" is not understood; use "&&"'],
    ['a ^| b', '"|" is not understood; use "||"'],
    ['a ^+ 1', '"+" is not understood'],
    ['a^[0]', '"[" is not understood'],
    ['a^.', '"." is not understood'],
    ['a == ^-b', '"-" is not understood'],
    ["a == ^'b", "the text that begins here has no closing '"],
    ['a == ^"b\'', 'the text that begins here has no closing "'],
    ['^1234567890123456', 'a number has more than 15 digits'],
    ['a == b ^== c', 'a comparison has two sides; put one of them into parentheses'],
    ['(a == b^', 'expected ")", found the end'],
    ['(a ^b)', 'expected ")", found a name'],
    ['a^)', 'found ")"'],
    ['^count(a)', 'there is no count(); only len() and any()'],
    ['^a.b(1)', 'there is no a.b(); only len() and any()'],
    ['len(^)', 'expected a name'],
    ['len(a^', 'expected ")"'],
    ['len(a^, b)', 'expected ")", found ","'],
    ['any(^)', 'expected a name'],
    ['any(a^)', 'expected ", condition)": any() takes a list and a condition, found ")"'],
    ['any(a, ^)', 'expected a name'],
    ['any(a, b^', 'expected ")"'],
    [`${'('.repeat(51)}^a`, 'it is nested more than 50 levels deep'],
    [`${'!'.repeat(51)}^a`, 'it is nested more than 50 levels deep'],
    [`${'a || '.repeat(200)}^b`, 'the expression has 1001 characters; at most 1000 are allowed'],
  ])('is refused with offset and reason: %s', (given, error) => {
    const at = given.indexOf('^');
    const result = parseExpression(given.replace('^', ''));
    expect(result).toMatchObject({ ok: false, offset: at, error: expect.stringContaining(error) });
    expect(result).toMatchObject({ error: expect.stringMatching(` \\(at offset ${at}\\)$`) });
  });

  it.each([
    ['parentheses', `${'('.repeat(50)}a${')'.repeat(50)}`],
    ['negations', `${'!'.repeat(50)}a`],
    ['neighbours, which are no depth', Array.from({ length: 60 }, () => '(a)').join(' && ')],
    ['characters', 'a'.repeat(1_000)],
  ])('an expression may have the maximum of %s', (_what, text) => {
    expect(parseExpression(text).ok).toBe(true);
  });
});

describe('an arbitrary text', () => {
  const pieces = fc.constantFrom(
    ..."a len( any( , ( ) ! && || == <= > 'x' \" 3 -1 null true constructor __proto__ . - =".split(' '),
  );
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 40 }).map((all) => all.join(' ')),
  );

  it('is parsed or refused without throwing, and a parsed one evaluates to true or false', () => {
    fc.assert(
      fc.property(text, fc.dictionary(fc.string(), fc.jsonValue()), (given, around) => {
        const result = parseExpression(given);
        if (result.ok) expect(typeof holds(result.expression, around)).toBe('boolean');
        else expect(result.offset).toBeLessThanOrEqual(given.length);
      }),
      { numRuns: 500 * experimentSize },
    );
  });

  it('a printed term parses back to itself', () => {
    fc.assert(
      fc.property(term, (given) => {
        const written = print(given);
        fc.pre(written.length <= 1_000);
        expect(parsed(written).term).toEqual(given);
      }),
      { numRuns: 300 * experimentSize },
    );
  });
});

const { term } = fc.letrec<{ term: Term }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'term' },
    fc.record({
      type: fc.constant('value' as const),
      value: fc.oneof(
        fc.string().filter((it) => !it.includes('"')),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
      ),
    }),
    fc.record({
      type: fc.constant('path' as const),
      path: fc
        .array(fc.stringMatching(/^[a-z_][a-z0-9_-]{0,5}$/), { minLength: 1, maxLength: 3 })
        .filter(([first]) => !['true', 'false', 'null'].includes(first ?? '')),
    }),
    fc.record({ type: fc.constantFrom('not' as const, 'len' as const), term: tie('term') }),
    fc.record({ type: fc.constantFrom('and' as const, 'or' as const), left: tie('term'), right: tie('term') }),
    fc.record({
      type: fc.constant('compare' as const),
      operator: fc.constantFrom('==', '!=', '<', '<=', '>', '>='),
      left: tie('term'),
      right: tie('term'),
    }),
    fc.record({ type: fc.constant('any' as const), list: tie('term'), condition: tie('term') }),
  ),
}));

function print(given: Term): string {
  switch (given.type) {
    case 'value':
      return typeof given.value === 'string' ? `"${given.value}"` : String(given.value);
    case 'path':
      return given.path.join('.');
    case 'not':
      return `!(${print(given.term)})`;
    case 'len':
      return `len(${print(given.term)})`;
    case 'any':
      return `any(${print(given.list)}, ${print(given.condition)})`;
    case 'compare':
      return `(${print(given.left)}) ${given.operator} (${print(given.right)})`;
    default:
      return `(${print(given.left)}) ${given.type === 'and' ? '&&' : '||'} (${print(given.right)})`;
  }
}

function parsed(text: string): Expression {
  const result = parseExpression(text);
  if (!result.ok) throw new Error(`${text}: ${result.error}`);
  return result.expression;
}

describe('judging evidence', () => {
  const told: Facts = {
    passed: true,
    failed: 'no',
    count: 3,
    none: 0,
    blank: '',
    word: 'open',
    gaps: [],
    found: [{ severity: 'minor' }, { severity: 'low' }],
    odd: [{ severity: 'urgent' }, 'text', { severity: 7 }],
    yes: 'True',
    level: 'urgent',
    table: { a: 1 },
    missing: null,
    many: Array.from({ length: 10_001 }, () => ({ a: 1 })),
  };

  it.each<[given: string, judged: boolean | string]>([
    ['passed == true', true],
    ["passed == 'True'", true],
    ["passed != 'FALSE'", true],
    ['passed == false', false],
    ['!passed', false],
    ['failed == false', 'failed'],
    ['failed != true', 'failed'],
    ['!failed', 'failed'],
    ['failed', 'failed'],
    ['nowhere', 'nowhere'],
    ['nowhere == 1', 'nowhere'],
    ['nowhere == null', true],
    ['missing != null', false],
    ['passed != null', true],
    ['count', true],
    ['!none', true],
    ['blank', false],
    ['!gaps', true],
    ['!found', 'found'],
    ['!table', 'table'],
    ['count > 2', true],
    ["count > '2'", true],
    ["count == '3'", true],
    ['count > word', 'count, word'],
    ["word == 'closed'", false],
    ["word < 'p'", true],
    ['word == 1', 'word'],
    ['gaps == 1', 'gaps'],
    ['len(gaps) > 0', false],
    ['len(table) == 1', true],
    ['len(count) > 0', 'count'],
    ['len(nowhere) > 0', 'nowhere'],
    ['any(nowhere, true)', 'nowhere'],
    ['any(table, a == 1)', 'table'],
    ["any(found, severity >= 'high')", false],
    ["any(found, severity == 'medium')", true],
    ["any(found, 'medium' <= severity)", true],
    ["any(odd, severity >= 'high')", 'severity'],
    ["any(odd, severity == 'high')", 'severity'],
    ["level == 'high'", 'level'],
    ["level != 'high'", 'level'],
    ["level >= 'high'", 'level'],
    ["count < 'high'", 'count'],
    ['yes', true],
    ['!yes', false],
    ['any(many, a == 2)', 'many'],
    ['any(many, any(many, a == 2))', 'many'],
    // One side may settle it alone.
    ['passed || nowhere', true],
    ['nowhere || passed', true],
    ['!passed && nowhere', false],
    ['nowhere && !passed', false],
    ['passed && nowhere', 'nowhere'],
    ['!passed || nowhere', 'nowhere'],
    ['!(nowhere || !passed)', 'nowhere'],
    // A list or a file that is absent is passed over beside what is decided.
    ['!passed || len(nowhere) > 0', false],
    ['len(nowhere) > 0 || !passed', false],
    ['missing.passed == false', 'missing.passed'],
    ['!passed || missing.passed == false', false],
    ['len(nowhere) > 0 || any(missing, true)', 'nowhere, missing'],
    ['passed && len(nowhere) > 0', 'nowhere'],
    ['!passed && len(nowhere) > 0', false],
    ['!(len(nowhere) > 0)', 'nowhere'],
  ])('by %s yields %s', (given, judged) => {
    const parsed = parseExpression(given);
    if (!parsed.ok) throw new Error(parsed.error);
    const found = judge(parsed.expression, told);
    expect(typeof found === 'boolean' ? found : found.undecidedBy.join(', ')).toBe(judged);
  });
});
