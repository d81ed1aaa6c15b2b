import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTests } from '../../../src/agents/index.js';

const folder = join(import.meta.dirname, 'fixtures');
const fixture = (name: string): string => readFileSync(join(folder, name), 'utf8');
const formats = ['auto', 'vitest', 'jest', 'tap', 'node', 'go', 'junit', 'pytest', 'exit'];

describe('test counts', () => {
  it.each<[string, string, number, number, number, string[]]>([
    ['vitest', 'vitest.json', 1, 2, 2, ['cart removes', 'top { brace']],
    ['vitest', 'vitest-npm.txt', 1, 2, 2, ['cart removes', 'top { brace']],
    ['vitest', 'vitest-default.txt', 1, 2, 2, []],
    ['jest', 'jest.json', 3, 1, 2, ['cart removes an item']],
    ['jest', 'jest-default.txt', 3, 1, 2, ['cart › removes an item']],
    ['node', 'node.tap', 4, 4, 2, ['subtracts', 'costs nothing', 'child two']],
    ['node', 'node-spec.txt', 4, 4, 2, ['subtracts', 'costs nothing', 'child two']],
    ['tap', 'tap14.tap', 1, 2, 2, ['writes', 'swims \\# fast']],
    ['go', 'go.jsonl', 3, 1, 1, ['example.com/shop/cart TestTotal/with_tax']],
    ['junit', 'junit-nested.xml', 2, 2, 1, ['shop.Cart removes > nothing', 'shop.Order crashes']],
    ['junit', 'junit-pytest.xml', 2, 3, 2, ['test_a test_subtracts', 'test_a test_many[2]', 'test_a test_error']],
    [
      'pytest',
      'pytest.txt',
      2,
      3,
      2,
      ['test_a.py::test_subtracts', 'test_a.py::test_many[2]', 'test_a.py::test_error'],
    ],
    [
      'pytest',
      'pytest-q.txt',
      2,
      3,
      2,
      ['test_a.py::test_subtracts', 'test_a.py::test_many[2]', 'test_a.py::test_error'],
    ],
    [
      'pytest',
      'pytest-v.txt',
      2,
      3,
      2,
      ['test_a.py::test_subtracts', 'test_a.py::test_many[2]', 'test_a.py::test_error'],
    ],
  ])('of %s are parsed from %s, with the format given or detected', (format, name, pass, fail, skip, failing) => {
    const counts = { pass, fail, skip, failing };
    expect(readTests(format, fixture(name), 1)).toEqual(counts);
    expect(readTests('auto', fixture(name), 1)).toEqual(counts);
  });

  it.each([
    ['a build that failed', 'go', fixture('go-build-failed.jsonl')],
    ['pytest without tests', 'pytest', '===== no tests ran in 0.01s ====='],
    ['no output', 'auto', ''],
    ['prose', 'auto', 'Error: cannot find module {x}\n{\n}\n'],
    ['a format of the exit code alone', 'exit', fixture('pytest.txt')],
  ])('are missing for %s', (_title, format, text) => {
    expect(readTests(format, text, 1)).toBeNull();
  });

  it('are zero if no test ran and the command succeeded', () => {
    expect(readTests('pytest', 'no tests ran in 0.01s', 0)).toEqual({ pass: 0, fail: 0, skip: 0, failing: [] });
  });

  it('are parsed despite color codes', () => {
    expect(
      readTests('vitest', '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m7 passed\u001b[39m (7)', 0)?.pass,
    ).toBe(7);
  });

  it('include at most fifty names of at most 300 characters', () => {
    const lines = Array.from({ length: 80 }, (_, index) => `not ok ${index + 1} - ${'n'.repeat(400)}`);
    const counts = readTests('tap', `TAP version 14\n${lines.join('\n')}\n1..80\n`, 1);
    expect(counts?.fail).toBe(80);
    expect(counts?.failing).toHaveLength(50);
    expect(counts?.failing[0]).toHaveLength(300);
  });

  it('are neither hidden by a line of dashes nor read from prose', () => {
    const text = 'TAP version 14\nok 1 - a\n# printed:\n---\nok 2 - b\n1..2\n';
    expect(readTests('tap', text, 0)?.pass).toBe(2);
    expect(readTests('auto', 'ok 12 packages\n', 0)).toBeNull();
  });

  it('are the sum of several runs’ totals', () => {
    const run = '# tests 3\n# pass 2\n# fail 1\n';
    expect(readTests('tap', `TAP version 13\n${run}${run}`, 1)).toMatchObject({ pass: 4, fail: 2 });
  });

  it.each(readdirSync(folder))('never throw for %s cut anywhere', (name) => {
    const text = fixture(name);
    for (let end = 0; end < text.length; end += 7) {
      for (const format of end % 5 === 0 ? formats : [formatOf(name)]) {
        expect(() => readTests(format, text.slice(0, end), 1)).not.toThrow();
      }
    }
  });

  it.each([
    ['angle brackets', `<testsuite>${'<'.repeat(1_000_000)}`],
    ['tags that never close', `<testsuite>${'<testcase name="'.repeat(60_000)}`],
    ['tags without end', `<testsuite>${'<a '.repeat(300_000)}`],
    ['lines of braces', '{\n'.repeat(500_000)],
    ['deep braces', `{"a":${'['.repeat(900_000)}`],
    ['blanks before a total', `${' '.repeat(1_000_000)}1 passed in 1s`],
    ['numbers', '1 passed, '.repeat(100_000)],
    ['a point of blanks', `TAP version 14\nok${' '.repeat(1_000_000)}x`],
    ['hashes', `TAP version 14\nok 1 - ${'# '.repeat(500_000)}x`],
  ])('are parsed quickly from %s', (_title, text) => {
    const started = performance.now();
    for (const format of formats) readTests(format, text, 1);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

function formatOf(name: string): string {
  return formats.find((format) => name.startsWith(format)) ?? 'auto';
}
