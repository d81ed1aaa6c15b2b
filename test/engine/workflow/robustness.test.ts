import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyStepRules, type Loaded, loadWorkflow, toMermaid } from '../../../src/engine/workflow/index.js';
import { experimentSize } from '../../size.js';
import { loadShipped, readShippedPrompt, shippedNames, shippedText } from './support.js';

const texts = shippedNames.map(shippedText);
const ruled = ['micro-waterfall', 'dynamic-ralph', 'lifecycle'].map(loadShipped);

type Mutate = (text: string) => string;

/** What a hurried person does to a file: leave something out, say it twice, misspell it, break it off. */
const mutation: fc.Arbitrary<Mutate> = fc.oneof(
  fc.nat().map(
    (n): Mutate =>
      (text) =>
        text.slice(0, n % (text.length + 1)),
  ),
  fc.tuple(fc.nat(), fc.nat(40)).map(
    ([n, length]): Mutate =>
      (text) =>
        text.slice(0, n % (text.length + 1)) + text.slice((n % (text.length + 1)) + length),
  ),
  fc.nat().map((n) => onLine(n, () => [])),
  fc.nat().map((n) => onLine(n, (line) => [line, line])),
  fc.nat().map((n) => onLine(n, (line) => [`  ${line}`])),
  fc.nat().map((n) => onLine(n, (line) => [line.replace(/[a-z_]+:/, (key) => `${key.slice(1, -1)}x:`)])),
  fc.nat().map((n) => onLine(n, (line) => [line.replace(/: .*/, ':')])),
  fc
    .tuple(
      fc.nat(),
      fc.constantFrom(
        '[',
        '{',
        '}',
        '"',
        "'",
        '&a ',
        '*a',
        '- ',
        '? ',
        ': ',
        '\t',
        '{{x}}',
        '!!',
        '#',
        '|\n',
        '0',
        'null',
      ),
    )
    .map(
      ([n, piece]): Mutate =>
        (text) =>
          text.slice(0, n % (text.length + 1)) + piece + text.slice(n % (text.length + 1)),
    ),
);

function onLine(n: number, change: (line: string) => string[]): Mutate {
  return (text) => {
    const lines = text.split('\n');
    return lines.flatMap((line, index) => (index === n % lines.length ? change(line) : [line])).join('\n');
  };
}

function expectPlaces(result: Loaded, text: string): void {
  if (result.ok) return;
  expect(result.problems.length).toBeGreaterThan(0);
  const lines = text.split('\n').length;
  for (const { file, line, column, message } of result.problems) {
    if (file === 'flow.yaml') expect(line).toBeLessThanOrEqual(lines);
    expect(line).toBeGreaterThanOrEqual(1);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(message).not.toMatch(/undefined|\[object|NaN/);
  }
}

describe('loading corrupted input', () => {
  it('loads a mutated workflow or refuses it with positions, without throwing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        (shipped, mutations) => {
          const text = mutations.reduce((before, mutate) => mutate(before), shipped);
          const result = loadWorkflow({ file: 'flow.yaml', text }, readShippedPrompt);
          expectPlaces(result, text);
          if (result.ok) expect(JSON.parse(JSON.stringify(result.workflow))).toEqual(result.workflow);
          if (result.ok) expect(toMermaid(result.workflow)).not.toContain('undefined');
        },
      ),
      { numRuns: 150 * experimentSize },
    );
  });

  it('refuses arbitrary text with positions', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (text) => {
        expectPlaces(
          loadWorkflow({ file: 'flow.yaml', text }, () => null),
          text,
        );
      }),
      { numRuns: 100 * experimentSize },
    );
  });

  it('applies step rules or refuses them with positions', () => {
    const key = fc.constantFrom(
      'bdd',
      'impl',
      'review',
      'story',
      'stories',
      'linting',
      'rebase_resolve',
      'post-verify',
      'debug',
      'steps',
    );
    const field = fc.constantFrom(
      'max_attempts',
      'on_fail',
      'next_on_fail',
      'kind',
      'check',
      'reads',
      'needs',
      'expects',
      'tests',
      'on_pass',
      'outputs',
      'evidence',
      'fail_when',
      'max_retries',
      'on',
      'on_answer',
      'on_exhausted',
      'parallel',
      'on_item_done',
      'team_roles',
      'when',
      'nonsense',
    );
    const value = fc.constantFrom(
      '1',
      'bdd',
      'review',
      'task',
      '{default: impl}',
      '[a, b]',
      '',
      'true',
      '{goto: bdd}',
      '{insert: fix}',
      '{fix: {insert: fix}}',
      'verify.json?',
      '{{x}}',
    );
    const rule = fc.tuple(key, field, value).map(([id, name, said]) => `${id}: {${name}: ${said}}`);
    fc.assert(
      fc.property(fc.constantFrom(...ruled), fc.array(rule, { minLength: 1, maxLength: 3 }), (workflow, rules) => {
        const text = rules.join('\n');
        expectPlaces(applyStepRules(workflow, { file: 'flow.yaml', text }), text);
      }),
      { numRuns: 100 * experimentSize },
    );
  });
});
