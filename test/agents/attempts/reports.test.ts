import { describe, expect, it } from 'vitest';
import { parseHandoff, parseResultFile } from '../../../src/agents/index.js';

const nothing = {
  status: null,
  reason: null,
  summary: null,
  filesChanged: [],
  tests: null,
  reviewDigest: null,
  questions: [],
};

describe('a hand-off', () => {
  it('is parsed into front matter and body', () => {
    const text = `---
story: US-001
step: impl
attempt: 2
status: failing
reason: null
summary: half of it
files_changed:
  - src/cart.ts
  - src/order.ts
tests_pass: 42
tests_fail: "2"
tests_skip: 1
review_digest: look at the totals
questions: [which tax?]
unknown: { deep: [1] }
---

# Done

---
status: pass
---
`;
    expect(parseHandoff(text)).toEqual({
      identity: { story: 'US-001', item: null, step: 'impl', attempt: '2', token: null },
      handoff: {
        front: {
          status: 'failing',
          reason: null,
          summary: 'half of it',
          filesChanged: ['src/cart.ts', 'src/order.ts'],
          tests: { pass: 42, fail: 2, skip: 1 },
          reviewDigest: 'look at the totals',
          questions: ['which tax?'],
        },
        body: '# Done\n\n---\nstatus: pass\n---',
      },
      warning: null,
    });
  });

  it.each<[string, string, object]>([
    ['an inline list', 'files_changed: [a.ts, b.ts]', { filesChanged: ['a.ts', 'b.ts'] }],
    ['an empty list', 'files_changed: []', { filesChanged: [] }],
    ['an empty value', 'files_changed:', { filesChanged: [] }],
    ['a list as text', 'files_changed: a.ts, b.ts', { filesChanged: ['a.ts', 'b.ts'] }],
    ['a null', 'reason: null', { reason: null }],
    ['a null as text', 'reason: "null"', { reason: null }],
    ['a value with a colon', 'summary: fixed: the cart', { summary: 'fixed: the cart' }],
    ['an address', 'summary: see https://x.y/z', { summary: 'see https://x.y/z' }],
    ['quotes', 'summary: "a: b"', { summary: 'a: b' }],
    ['lines', 'summary: |\n  one\n  two', { summary: 'one\ntwo' }],
    ['counts in a mapping', 'tests: { pass: 1, fail: 2 }', { tests: { pass: 1, fail: 2, skip: 0 } }],
    ['counts that are none', 'tests_pass: many', { tests: null }],
    ['one question', 'questions: why?', { questions: ['why?'] }],
    ['a word of YAML', 'status: true', { status: 'true' }],
    [
      'a question that YAML takes for a map',
      'questions: [Is it ok: yes or no?]',
      { questions: ['Is it ok: yes or no?'] },
    ],
    [
      'questions as a map',
      'questions:\n  tax: { which: one }\n  colour:',
      { questions: ['tax: {"which":"one"}', 'colour'] },
    ],
    ['an empty entry among questions', 'questions: [null, why?]', { questions: ['why?'] }],
    ['nothing', '', {}],
  ])('may contain %s', (_title, line, front) => {
    expect(parseHandoff(`---\n${line}\n---\n`)).toMatchObject({
      handoff: { front: { ...nothing, ...front } },
      warning: null,
    });
  });

  it.each([
    ['with Windows line ends', '---\r\nstatus: pass\r\n---\r\nBody\r\n'],
    ['after an empty line', '\n---\nstatus: pass\n---\nBody'],
    ['closed by dots', '---\nstatus: pass\n...\nBody'],
  ])('is parsed %s', (_title, text) => {
    expect(parseHandoff(text).handoff).toMatchObject({ front: { status: 'pass' }, body: 'Body' });
  });

  it('without front matter is all body', () => {
    expect(parseHandoff('# Notes\n---\nstatus: pass\n---\n').handoff).toEqual({
      front: null,
      body: '# Notes\n---\nstatus: pass\n---',
    });
    expect(parseHandoff('').handoff).toEqual({ front: null, body: '' });
  });

  it.each<[string, string, object]>([
    ['a path with brackets', 'files_changed: [app/[id].js, b.ts]', { filesChanged: ['app/[id].js', 'b.ts'] }],
    [
      'a value that begins with a backtick',
      'review_digest: `total` now rounds',
      { reviewDigest: '`total` now rounds' },
    ],
    [
      'a list below it',
      'summary: `x`\nquestions:\n  - "why?"\n  - who: then',
      { summary: '`x`', questions: ['why?', 'who: then'] },
    ],
    ['quoted questions', "summary: `x`\nquestions: ['a, b?', 'c?']", { summary: '`x`', questions: ['a, b?', 'c?'] }],
    [
      'a question with a comma',
      'summary: `x`\nquestions: [Tax, or no tax?]',
      { summary: '`x`', questions: ['Tax, or no tax?'] },
    ],
    [
      'a text of several lines',
      'summary: `x`\nreview_digest: |\n  one\n  two',
      { summary: '`x`', reviewDigest: 'one\ntwo' },
    ],
    ['a folded text', 'reason: `x`\nsummary: >\n  one\n  two', { reason: '`x`', summary: 'one two' }],
    [
      'a comment and counts',
      'summary: `x`\nreason: scope_warning # of mine\ntests_pass: 3',
      { summary: '`x`', reason: 'scope_warning', tests: { pass: 3, fail: 0, skip: 0 } },
    ],
    ['a stray line and an empty value', 'summary: `x`\nreason:\n\nwhat is this\n  more', { summary: '`x`' }],
    ['a list for a word', 'reason: [a, b]\nsummary: it broke', { summary: 'it broke' }],
  ])('is recovered with a warning if the YAML is broken by %s', (_title, lines, front) => {
    const parsed = parseHandoff(`---\nstory: US-1\nstatus: pass\n${lines}\n---\nBody`);
    expect(parsed.handoff).toEqual({ front: { ...nothing, status: 'pass', ...front }, body: 'Body' });
    expect(parsed.identity.story).toBe('US-1');
    expect(parsed.warning).toMatch(/^the front matter of HANDOFF.md is broken at line \d+: /);
  });

  it.each([
    ['never closes', '---\nstatus: pass\n', /opens at line 1 and never closes/],
    ['is no YAML', '---\nstory: US-001\nstatus: [pass\n---\nBody', /broken at line [34]/],
    ['says a thing twice', '---\nstatus: pass\nstatus: failing\n---\nBody', /broken at line 3/],
    ['is a list', '---\n- status\n---\nBody', /broken at line 2: it is not a mapping/],
    ['has a status that is no word', '---\nstep: impl\nstatus: [pass]\n---\nBody', /broken at line 3: "status"/],
    [
      'unfolds without end',
      `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nstatus: pass\n---\n`,
      /broken at line 2/,
    ],
  ])('whose front matter %s has no status, and the warning names the line', (_title, text, warning) => {
    const parsed = parseHandoff(text);
    expect(parsed.handoff.front).toEqual(nothing);
    expect(parsed.warning).toMatch(warning);
  });
});

describe('a result file', () => {
  it.each<[string, string, object]>([
    ['lines', 'status: pass\nreason: null\nsummary: all good', { status: 'pass', reason: null, summary: 'all good' }],
    ['comments', '# written by hand\nstatus: pass\n', { status: 'pass', reason: null, summary: null }],
    ['quotes and blanks', '  Status :  "pass" \r\nsummary: \'x\'\r\n', { status: 'pass', reason: null, summary: 'x' }],
    [
      'a summary over lines',
      'summary: one\ntwo: 2\nstatus: done',
      { status: 'done', reason: null, summary: 'one\ntwo: 2' },
    ],
    [
      'JSON',
      '{"status": "failing", "reason": "scope_warning", "attempt": 2, "more": []}',
      { status: 'failing', reason: 'scope_warning', summary: null },
    ],
  ])('may contain %s', (_title, text, report) => {
    expect(parseResultFile(text)).toMatchObject({ report, warning: null });
  });

  it.each([
    ['prose', 'It went well.', /no status/],
    ['broken JSON', '{"status": "pass"', /not valid JSON/],
    ['a status that is a list', '{"status": ["pass"]}', /"status" must be plain text/],
  ])('with %s has no status, but a warning', (_title, text, warning) => {
    expect(parseResultFile(text)).toMatchObject({ report: { status: null }, warning: expect.stringMatching(warning) });
  });
});
