import { expect, it } from 'vitest';
import { parseEvidence } from '../../../src/engine/report/evidence/evidence.js';

function readValue(name: string, text: string): Readonly<Record<string, unknown>> {
  const parsed = parseEvidence(name, text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value as Readonly<Record<string, unknown>>;
}

const uat = (text: string) => readValue('uat.md', text);

it.each([
  ['verification.json', '{"passed": true', /^verification.json is not valid JSON/],
  ['verification.json', '  \n', 'verification.json is empty'],
  ['uat.md', '', 'uat.md is empty'],
  ['uat.md', '---\nstatus: complete\n', 'uat.md: its front matter is not closed with ---'],
  ['uat.md', '---\nstatus: complete\nthis is no pair\n---\n', /line that is not understood: this is no pair/],
  ['uat.md', '---\n  deep: 1\n---\n', /line that is not understood: deep: 1/],
  ['uat.md', '---\nstatus: text\n  more: 1\n---\n', /not understood: status: text/],
  ['uat.md', '---\nfields:\n  no pair\n---\n', /not understood: fields:/],
  ['uat.md', '---\nlist:\n    deep\n  - a\n---\n', /not understood: list:/],
  ['uat.md', `---\n${'a: 1\n'.repeat(2_001)}---\n`, /more than 2000 lines/],
  ['uat.md', 'x'.repeat(1024 * 1024 + 1), /has 1048577 characters/],
])('%s with %j is refused and the problem named', (name, text, error) => {
  const parsed = parseEvidence(name, text);
  expect(parsed).toMatchObject({ ok: false });
  if (!parsed.ok) expect(parsed.error).toMatch(error);
});

it.each<[name: string, written: unknown, read: unknown]>([
  ['verification.json', { passed: true, gaps: [], more: 1 }, { passed: true, gaps: [], more: 1 }],
  ['verification.json', { gaps: [] }, { gaps: [], passed: true }],
  ['verification.json', { gaps: ['a'] }, { gaps: ['a'], passed: false }],
  ['verification.json', { status: 'failed', gaps: [] }, { status: 'failed', gaps: [], passed: false }],
  ['verification.json', { status: 'Passed' }, { status: 'Passed', passed: true }],
  ['verification.json', { status: 'splendid' }, { status: 'splendid' }],
  ['verification.json', { passed: null, gaps: [] }, { passed: true, gaps: [] }],
  ['verification.json', { passed: 'yes' }, { passed: 'yes' }],
  ['verification.json', {}, {}],
  ['verification.json', [1], [1]],
  ['verification.json', 'text', 'text'],
  ['business-test-results.json', { failures: [{ id: 1 }] }, { failures: [{ id: 1 }], passed: false }],
  ['review.json', { verdict: 'WARN', issues: 3 }, { verdict: 'WARN', issues: 3 }],
  [
    'review.json',
    { verdict: 'PASS', issues: [{ severity: 'Blocker' }, { severity: 4 }, 'text', { severity: 'dire' }] },
    { verdict: 'PASS', issues: [{ severity: 'critical' }, { severity: 4 }, 'text', { severity: 'high' }] },
  ],
])('%s with %j is read as %j', (name, written, read) => {
  expect(readValue(name, `\uFEFF${JSON.stringify(written)}`)).toEqual(read);
});

it.each<[written: unknown, results: readonly string[], passed: boolean]>([
  [
    {
      results: [
        { name: 'a', status: 'pass' },
        { name: 'b', status: 'passed' },
      ],
    },
    ['pass', 'pass'],
    true,
  ],
  [
    {
      results: [
        { id: 'a', result: 'issue' },
        { name: 'b', outcome: 'skipped' },
      ],
    },
    ['fail', 'skip'],
    false,
  ],
  [{ results: [{ name: 'a', passed: true }, { passed: false }] }, ['pass', 'fail'], false],
  [{ results: [{ name: 'a' }, null] }, ['pending', 'pending'], false],
  [{ tests: ['pass', 'flaky'] }, ['pass', 'flaky'], false],
  [[{ name: 'a', status: 'ok' }], ['pass'], true],
  [{ results: [{ status: 'pass' }], passed: false }, ['pass'], false],
  [{ results: [{ status: 'pass' }], status: 'needs_human' }, ['pass'], false],
  [{ results: [{ status: 'pass' }], summary: { failed: 1 } }, ['pass'], false],
  [{ success: true, numFailedTests: 0 }, [], true],
  [{ success: false }, [], false],
  [{ passed: true }, [], true],
  [{ passed: true, failures: ['a'] }, [], false],
  [{ verdict: 'pass' }, [], true],
  [{ summary: { total: 2, passed: 2, failed: 0 } }, [], true],
  [{ total: 2, passed: 1 }, [], false],
  [{ total: 0, passed: 0 }, [], false],
  [{}, [], false],
  ['text', [], false],
])('a test run %j is read as results %j and passed: %j', (written, results, passed) => {
  const value = readValue('.tests/test-results.json', JSON.stringify(written));
  expect((value['results'] as { result: string }[]).map((one) => one.result)).toEqual(results);
  expect(value['passed']).toBe(passed);
});

it('front matter is read as YAML, one level deep', () => {
  const text = [
    '---  ',
    '# begins with a comment',
    'status: complete # over',
    'phase: 1',
    'rate: 0.5',
    'auto: True',
    'nothing: ~',
    'empty:',
    '',
    '# a comment',
    "quoted: 'a # b: c'",
    '"odd key": "x"',
    'url: https://example.org/a#b',
    'source: [a.md, "b, c.md", 3]',
    'none: []',
    'counts:',
    '  passed: 2',
    '  failed: 0',
    'lines:',
    '- one',
    '- 2',
    'maps:',
    '  - name: a',
    '    files:',
    '      - deep',
    '    no pair',
    '    result: pass',
    '  - name: b',
    'text: |',
    '  first',
    '  second',
    'folded: >-',
    '  first',
    '  second',
    '---',
    'body',
  ];
  expect(uat(text.join('\r\n'))).toMatchObject({
    status: 'complete',
    phase: 1,
    rate: 0.5,
    auto: true,
    nothing: null,
    empty: null,
    quoted: 'a # b: c',
    'odd key': 'x',
    url: 'https://example.org/a#b',
    source: ['a.md', 'b, c.md', 3],
    none: [],
    counts: { passed: 2, failed: 0 },
    lines: ['one', 2],
    maps: [{ name: 'a', files: null, result: 'pass' }, { name: 'b' }],
    text: 'first\nsecond',
    folded: 'first second',
  });
});

const done = '---\nstatus: complete\n---\n';

it.each<[test: string, result: string, name: string]>([
  ['- Login: pass', 'pass', 'Login'],
  ['- **Login**: `PASSED`.', 'pass', 'Login'],
  ['* Login — fail', 'fail', 'Login'],
  ['1. Login - ok', 'pass', 'Login'],
  ['2) Login → skipped', 'skip', 'Login'],
  ['- Login => n/a', 'skip', 'Login'],
  ['- Login (passed)', 'pass', 'Login'],
  ['- Login: pass (2.3 s)', 'pass', 'Login'],
  ['- Login: pass — as expected', 'pass', 'Login'],
  ['- Login: pass - the second try, the first: fail', 'fail', 'Login: pass - the second try, the first'],
  ['- Login: blocked', 'fail', 'Login'],
  ['- Login: flaky', 'flaky', 'Login'],
  ['- Login: [pending]', 'pending', 'Login'],
  ['- Login', 'pending', 'Login'],
  ['- Login (with SSO)', 'with', 'Login'],
  ['- [x] Login', 'pass', 'Login'],
  ['- [ ] Login', 'pending', 'Login'],
  ['- [FAIL] Login', 'fail', 'Login'],
  ['- ✅ Login', 'pass', 'Login'],
  ['- Login ❌', 'fail', 'Login'],
  ['- name: Login\n  result: pass', 'pass', 'Login'],
  ['- Login\n  - result: pass', 'pass', 'Login'],
  ['### 1. Login\nexpected: a page\nresult: pass', 'pass', 'Login'],
  ['### 1. Login\n- **Result:** issue\n- severity: major', 'fail', 'Login'],
  ['### T-001: Login\nresult: [pending]', 'pending', 'Login'],
  ['### 1. Login\nexpected: a page', 'pending', 'Login'],
  ['### Login: pass', 'pass', 'Login'],
  ['### 1. Login\n- Steps: open the page\n- Result: pass', 'pass', 'Login'],
  ['### Login\nresult: pass\n- seen twice', 'pass', 'Login'],
  ['### Login\nexpected:\n  - a page\nresult: pass', 'pass', 'Login'],
  ['### Smoke\n- Login: pass', 'pass', 'Login'],
  ['### Login\nresult: pass\nresult: fail', 'pass', 'Login'],
  ['- Failed: 2', 'fail', 'Failed: 2'],
  ['- Skipped: 1', 'skip', 'Skipped: 1'],
  ['| Test | Result |\n|---|:--:|\n| Login | fail | more |', 'fail', 'Login'],
])('the test %j is read as %s', (test, result, name) => {
  const { results, passed } = uat(`${done}## Tests\n\n${test}\n`);
  expect(results).toEqual([{ name, result }]);
  expect(passed).toBe(result === 'pass');
});

it.each([
  ['### Notes\nText with result.'],
  ['- Total: 5\n- Passed: 5\n- Failed: 0'],
  ['| Test | Owner |\n|---|---|\n| Login | me |'],
  ['<!-- - Login: fail -->'],
  ['<!-- - Login: fail'],
  ['just text'],
  ['severity: high'],
])('%j in the tests section is no test', (text) => {
  expect(uat(`${done}## Test Results\n${text}\n`)).toMatchObject({ results: [], passed: true });
});

it.each(['# Tests', '## Test environment', '## Current Test', '## Summary', '## 🙂', '## Resolved gaps', '## Notes'])(
  'a section called %s holds neither tests nor gaps',
  (heading) => {
    expect(uat(`${done}${heading}\n- Chrome: fail\n### 1. x\nresult: fail\n`)).toMatchObject({ results: [], gaps: [] });
  },
);

it.each<[gap: string, severity: string | null, description: string]>([
  ['- [high] no logout', 'high', 'no logout'],
  ['- **Critical**: no logout', 'critical', 'no logout'],
  ['- no logout (severity: low)', 'low', 'no logout'],
  ['- no logout, severity: dire', 'high', 'no logout'],
  ['- no logout (medium)', 'medium', 'no logout'],
  ['- no logout (on the phone)', null, 'no logout (on the phone)'],
  ['- no logout', null, 'no logout'],
  ['- Logout: does not work', null, 'Logout: does not work'],
  ['- severity: high\n  description: no logout', 'high', 'no logout'],
  [
    '- test: 3\n  truth: "no logout"\n  status: failed\n  severity: blocker\n  artifacts:\n    - path: a\n      severity: low',
    'critical',
    'no logout',
  ],
  ['```yaml\n- truth: no logout\n  severity: cosmetic\n```', 'low', 'no logout'],
  ['### no logout\nseverity: high', 'high', 'no logout'],
  ['### no logout severity: minor', 'medium', 'no logout'],
  ['### [major] no logout', 'high', 'no logout'],
  ['### High severity\n- no logout', 'high', 'no logout'],
  ['- [low] no logout\n  severity: high', 'high', 'no logout'],
  ['| Gap | Severity |\n|---|---|\n| no logout | High |', 'high', 'no logout'],
])('the gap %j has severity %s', (gap, severity, description) => {
  const value = uat(`${done}## Gaps\n${gap}\n`);
  expect(value['gaps']).toEqual([{ description, severity }]);
  expect(value['passed']).toBe(severity !== 'high' && severity !== 'critical');
});

it.each([
  '- none',
  '[none yet]',
  '- No open gaps',
  'None.',
  '- n/a',
  '### Blockers',
  '- truth: a\n  severity: high\n  status: resolved',
  '| --- |',
])('%j in the gaps section is no gap', (text) => {
  expect(uat(`${done}## Gaps\n${text}\n`)).toMatchObject({ gaps: [], passed: true });
});

it('front matter can hold tests and gaps too, and the failures list what is wrong', () => {
  const front = [
    '---',
    'status: complete',
    'results:',
    '  - name: Login',
    '    result: pass',
    '  - name: Pay',
    '    result: fail',
    'gaps:',
    '  - no logout',
    '  - description: slow',
    '    severity: high',
    '  - title: old',
    '    status: closed',
    '---',
  ].join('\n');
  expect(uat(`${front}\n## Results\n- Logout: skip\n## Gaps\n- [low] ugly\n`)).toMatchObject({
    results: [
      { name: 'Login', result: 'pass' },
      { name: 'Pay', result: 'fail' },
      { name: 'Logout', result: 'skip' },
    ],
    gaps: [
      { description: 'no logout', severity: null },
      { description: 'slow', severity: 'high' },
      { description: 'ugly', severity: 'low' },
    ],
    failures: ['Pay: fail', 'Logout: skip', 'no logout', 'slow (high)', 'ugly (low)'],
    passed: false,
  });
});

it.each<[text: string, complete: boolean, passed: boolean]>([
  ['---\nstatus: complete\n---\n## Results\n- Login: pass', true, true],
  ['---\nstatus: complete\n---\n', true, true],
  ['---\nstatus: complete\nissues: 2\n---\n', true, false],
  ['---\nstatus: complete\npassed: false\n---\n', true, false],
  ['---\nstatus: diagnosed\n---\n## Results\n- Login: issue', true, false],
  ['---\nstatus: failed\n---\n', true, false],
  ['---\nstatus: testing\n---\n## Results\n- Login: pass', false, false],
  ['---\nstatus: question\n---\n', false, false],
  ['## Results\n- Login: pass', false, true],
  ['---\nresult: pass\n---\n', false, true],
  ['---\nstatus: 3\n---\n', false, false],
  ['no report at all', false, false],
])('%j is complete: %s and passed: %s', (text, complete, passed) => {
  expect(uat(text)).toMatchObject({ complete, passed });
});

it('an acceptance report is read in the form that acceptance sessions write', () => {
  const text = [
    '---',
    'status: diagnosed',
    'phase: 04-comments',
    'source: [04-01-SUMMARY.md]',
    '---',
    '',
    '## Current Test',
    '[testing complete]',
    '## Tests',
    '### 1. View comments',
    'expected: |',
    '  - a list',
    'result: pass',
    '### 2. Create a comment',
    'expected: it appears',
    'result: issue',
    'reported: "only after a refresh"',
    'severity: major',
    '## Summary',
    'total: 2',
    'issues: 1',
    '## Gaps',
    '- truth: "A comment appears at once"',
    '  status: failed',
    '  severity: major',
    '  artifacts:',
    '    - path: "src/list.ts"',
    '      issue: "severity: low"',
  ];
  expect(uat(text.join('\n'))).toMatchObject({
    complete: true,
    passed: false,
    results: [
      { name: 'View comments', result: 'pass' },
      { name: 'Create a comment', result: 'fail' },
    ],
    gaps: [{ description: 'A comment appears at once', severity: 'high' }],
  });
});

it('each table is read by its own header', () => {
  const tables = '| Test | Result |\n|---|---|\n| Login | pass |\n\n| Result | Test |\n|---|---|\n| fail | Pay |\n';
  expect(uat(`${done}## Tests\n${tables}`)['results']).toEqual([
    { name: 'Login', result: 'pass' },
    { name: 'Pay', result: 'fail' },
  ]);
});

it('a long line is cut to 2,000 characters', () => {
  expect(uat(`${done}## Gaps\n- ${'x'.repeat(5_000)}\n`)['gaps']).toEqual([
    { description: 'x'.repeat(1_998), severity: null },
  ]);
});

it('a hostile file is read in linear time', () => {
  const begin = performance.now();
  for (const long of [
    `- ${' '.repeat(300_000)}x`,
    `- ${'a — '.repeat(80_000)}`,
    `- ${'('.repeat(300_000)}`,
    '<!--'.repeat(80_000),
    '- a: b\n'.repeat(60_000),
  ]) {
    uat(`${done}## Tests\n${long}\n## Gaps\n${long}`);
  }
  expect(performance.now() - begin).toBeLessThan(5_000);
});
