import { describe, expect, it } from 'vitest';
import { resolveOutcome } from '../../src/engine/attempts/outcome.js';
import type { Scope } from '../../src/engine/attempts/scope.js';
import type { Envelope, JobDef, Workflow } from '../../src/engine/index.js';
import type { Resolved } from '../../src/engine/model/model.js';
import { check, crash, def, envelope, goto, handoff, policy, report, said, workflow } from './builders.js';

interface Row {
  readonly name: string;
  readonly envelope: Envelope;
  readonly def?: Partial<JobDef>;
  readonly workflow?: Partial<Workflow>;
  readonly expected: Partial<Resolved>;
}

const printed = (text = 'hello'): Envelope['output'] => ({
  isEmpty: false,
  keys: {},
  stories: null,
  summary: null,
  tail: text,
});
const expects = (patch: Partial<JobDef['expects']>): Pick<JobDef, 'expects'> => ({
  expects: { status: null, keys: [], items: 'any', red: false, ...patch },
});
const passed = { kind: 'pass', reason: null } as const;
const bad = (summary: string) => ({ kind: 'failing', reason: 'bad_output', summary }) as const;
const idle = bad('No file was changed. Where none has to change, report the reason nothing_to_do.');
const noTests = { pass: 0, fail: 0, skip: 0, failing: [] };
const hung = { ...check('tests', false), timedOut: true, tests: null };
const story = '[{"id":"US-1","title":"One","description":"","acceptanceCriteria":["a"]}]';
const deciding = { decisionKey: 'DECISION', onDecision: { approved: goto('ship') } } as const;

const handing = {
  onFail: { default: goto('implement', { carry: { verify_feedback: 'ISSUES' } }) },
  onStatus: { retry: goto('implement', { carry: { verify_feedback: 'ISSUES' } }) },
} as const;

const endings: readonly Row[] = [
  {
    name: 'a verdict without a summary is told by what it hands on, once',
    envelope: said({ STATUS: 'retry', ISSUES: 'no index' }),
    def: handing,
    expected: { kind: 'failing', summary: 'no index' },
  },
  {
    name: 'a failure that hands on nothing is told by what else it reported',
    envelope: said({ STATUS: 'retry', FAILURES: '- login', RESULTS: 'none', RAN: '12 suites' }),
    expected: { kind: 'failing', summary: 'FAILURES: - login\nRAN: 12 suites' },
  },
  {
    name: 'a pass is not told by its values',
    envelope: said({ STATUS: 'done', CHANGES: 'a file' }),
    expected: { kind: 'pass', summary: null },
  },
  {
    name: 'a verdict that hands on nothing has no summary',
    envelope: said({ STATUS: 'retry', ISSUES: ' None ' }),
    def: handing,
    expected: { kind: 'failing', summary: null },
  },
  {
    name: 'a time limit is a timeout, whatever was said before it',
    envelope: said({ STATUS: 'pass' }, { killed: 'timeout' }),
    expected: { kind: 'timeout', claim: 'pass' },
  },
  { name: 'a kill is cancelled', envelope: envelope({ killed: 'cancel' }), expected: { kind: 'cancelled' } },
  {
    name: 'an interruption is a crash that is nobody’s fault',
    envelope: envelope({ killed: 'interrupted', result: report('pass') }),
    expected: { kind: 'crashed', reason: 'interrupted', isInterrupted: true },
  },
  {
    name: 'an interruption that whoever lost it can explain says so',
    envelope: envelope({ killed: 'interrupted', fault: { code: 'interrupted', message: 'The worker w1 died.' } }),
    expected: { kind: 'crashed', reason: 'interrupted', summary: 'The worker w1 died.' },
  },
  {
    name: 'an interruption beside another fault names no other reason',
    envelope: envelope({ killed: 'interrupted', fault: { code: 'quota', message: 'out of quota' } }),
    expected: { kind: 'crashed', reason: 'interrupted', summary: 'It was interrupted.' },
  },
  {
    name: 'an executor that could not start is a crash, whatever lies in its files',
    envelope: envelope({ fault: { code: 'not_found', message: 'no claude' }, result: report('pass') }),
    expected: { kind: 'crashed', reason: 'not_found', summary: 'no claude' },
  },
  {
    name: 'a bad exit without a report is a crash',
    envelope: crash,
    expected: { kind: 'crashed', reason: 'exit', summary: 'The agent exited with code 1.' },
  },
  {
    name: 'a bad exit with a claimed pass is a crash, with the end of what it printed',
    envelope: said({ STATUS: 'done' }, { exit: 2 }),
    expected: { kind: 'crashed', reason: 'exit', summary: 'The agent exited with code 2.\nsaid', claim: 'done' },
  },
  {
    name: 'a bad exit with an honest failing keeps its reason',
    envelope: envelope({ exit: 1, result: report('failing', 'scope_warning', 'Too much') }),
    expected: { kind: 'failing', reason: 'scope_warning', summary: 'Too much', claim: null },
  },
  {
    name: 'a bad exit with a question still asks',
    envelope: envelope({ exit: 1, result: report('needs_human', null, 'Which?') }),
    expected: { kind: 'needs_human', summary: 'Which?' },
  },
  {
    name: 'a bad exit with a word that nobody knows never passes',
    envelope: envelope({ exit: 1, result: report('fine') }),
    expected: { kind: 'failing', reason: 'bad_output' },
  },
];

const silences: readonly Row[] = [
  {
    name: 'no report where a status is expected is bad output',
    envelope: envelope({ output: printed() }),
    def: expects({ status: ['done', 'retry'] }),
    expected: bad('There is no report; STATUS must be one of done, retry.'),
  },
  {
    name: 'no report where the policy requires one is a crash',
    envelope: envelope({ output: printed() }),
    workflow: policy({ report: 'required' }),
    expected: { kind: 'crashed', reason: 'no_report' },
  },
  {
    name: 'no report of a coding agent is a crash where the policy says nothing',
    envelope: envelope({ output: printed(), reports: true }),
    workflow: policy({ report: null }),
    expected: { kind: 'crashed', reason: 'no_report' },
  },
  {
    name: 'no report of a coding agent passes where the policy says optional',
    envelope: envelope({ output: printed(), reports: true }),
    workflow: policy({ report: 'optional' }),
    expected: passed,
  },
  {
    name: 'no report of another program passes where the policy says nothing',
    envelope: envelope({ output: printed() }),
    workflow: policy({ report: null }),
    expected: passed,
  },
  { name: 'some output passes elsewhere', envelope: envelope({ output: printed() }), expected: passed },
  { name: 'no output at all is a crash', envelope: envelope(), expected: { kind: 'crashed', reason: 'no_output' } },
  {
    name: 'some output does not pass over red tests',
    envelope: envelope({ output: printed(), checks: [check('tests', false, ['t1', 't2'])] }),
    expected: { kind: 'failing', reason: null, summary: 'tests: 2 failing (t1, t2)' },
  },
  {
    name: 'skeletons whose tests are green do not pass in silence',
    envelope: envelope({ output: printed(), checks: [check('tests', true)] }),
    def: expects({ red: true }),
    expected: { kind: 'failing', reason: null },
  },
  {
    name: 'skeletons whose tests are red pass in silence',
    envelope: envelope({ output: printed(), checks: [check('tests', false, ['t1'])] }),
    def: expects({ red: true }),
    expected: passed,
  },
  {
    name: 'skeletons whose tests hang do not pass in silence',
    envelope: envelope({ output: printed(), checks: [hung] }),
    def: expects({ red: true }),
    expected: { kind: 'failing', reason: 'test_timeout', summary: 'tests: timed out' },
  },
];

const claims: readonly Row[] = [
  ...['pass', 'passed', 'PASSING', 'done', 'complete', 'ok', '**done**'].map((word) => ({
    name: `the word ${word} passes`,
    envelope: said({ STATUS: word }),
    expected: { ...passed, claim: null },
  })),
  ...['failing', 'fail', 'failed', 'retry', 'redo'].map((word) => ({
    name: `the word ${word} is failing`,
    envelope: said({ STATUS: word }),
    expected: { kind: 'failing', reason: null, claim: null } as const,
  })),
  ...['fine', 'not ok', 'constructor', '__proto__', ''].map((word) => ({
    name: `the word "${word}" never passes`,
    envelope: said({ STATUS: word }),
    expected: { ...bad(`"${word}" is not a status that is known.`), word },
  })),
  {
    name: 'STATUS lines that contradict each other never pass',
    envelope: said(
      { STATUS: 'pass' },
      { output: { ...printed(), keys: { STATUS: 'done' }, statuses: ['failed', 'done'] } },
    ),
    expected: { ...bad('The report contradicts itself: STATUS is failed, and done.'), claim: null },
  },
  {
    name: 'a result file goes before STATUS lines that contradict each other',
    envelope: envelope({
      result: report('pass'),
      output: { ...printed(), keys: { STATUS: 'done' }, statuses: ['failed', 'done'] },
    }),
    expected: passed,
  },
  {
    name: 'a report without a status never passes',
    envelope: envelope({ result: report(null, null, 'All went well') }),
    expected: { ...bad('The report names no status.'), word: null },
  },
  {
    name: 'a report without a status says which slip in the hand-off it may be owed to',
    envelope: envelope({
      handoff: handoff({}),
      warnings: ['other', 'the front matter of HANDOFF.md is broken at line 3: Flow map'],
    }),
    expected: bad('The report names no status: the front matter of HANDOFF.md is broken at line 3: Flow map.'),
  },
  {
    name: 'red tests beat a claimed pass, and what was claimed is kept',
    envelope: said({ STATUS: 'pass' }, { checks: [check('tests', false, ['t1'])] }),
    expected: { kind: 'failing', reason: null, claim: 'pass', tests: { pass: 2, fail: 1, skip: 0, failing: ['t1'] } },
  },
  {
    name: 'a red check beats a claimed pass and keeps the reason that goes with it',
    envelope: envelope({ result: report('pass', 'scope_warning'), checks: [check('check', false)] }),
    expected: { kind: 'failing', reason: 'scope_warning', claim: 'pass' },
  },
  {
    name: 'tests that hang are their own reason',
    envelope: said({ STATUS: 'pass' }, { checks: [check('check', true), hung] }),
    expected: { kind: 'failing', reason: 'test_timeout', summary: 'check: ok; tests: timed out' },
  },
  {
    name: 'what decided comes first, and what the agent says of it is marked as its claim',
    envelope: envelope({ result: report('pass', null, 'All green.'), checks: [check('tests', false, ['t1', 't2'])] }),
    expected: { kind: 'failing', summary: 'tests: 2 failing (t1, t2)\nThe agent says: All green.' },
  },
  {
    name: 'a red lint line is told by the place that it names',
    envelope: said(
      { STATUS: 'pass' },
      {
        checks: [{ ...check('check', false), tail: '> lint\n  src/a.ts:3 E501 line too long\nsrc/b.ts:4 E501' }],
      },
    ),
    def: { check: '{{project.lint}}' },
    expected: { kind: 'failing', summary: 'lint: src/a.ts:3 E501 line too long' },
  },
  {
    name: 'a red check that names no position is told by the line that says why',
    envelope: said(
      { STATUS: 'pass' },
      { checks: [{ ...check('check', false), exit: 1, tail: 'looking\nopenapi.yaml is missing\n1 problem\n' }] },
    ),
    expected: { kind: 'failing', summary: 'check: exit 1: openapi.yaml is missing' },
  },
  {
    name: 'a red check that names no cause is told by its last line',
    envelope: said(
      { STATUS: 'pass' },
      { checks: [{ ...check('check', false), exit: 2, tail: 'main.go\ncart.go\n\n' }] },
    ),
    expected: { kind: 'failing', summary: 'check: exit 2: cart.go' },
  },
  {
    name: 'a green command that ran no test is told as such',
    envelope: said({ STATUS: 'pass' }, { checks: [{ ...check('tests', false), exit: 0, tests: noTests }] }),
    expected: { kind: 'failing', summary: 'tests: no tests', tests: noTests },
  },
  {
    name: 'skeletons of which no test ran do not pass',
    envelope: said({ STATUS: 'pass' }, { checks: [{ ...check('tests', true), tests: noTests }] }),
    def: expects({ red: true }),
    expected: { kind: 'failing', summary: 'No test ran; the new ones must fail before the code is written.' },
  },
  {
    name: 'a question wins over red tests',
    envelope: envelope({ result: report('needs_human', null, 'Which colour?'), checks: [check('tests', false)] }),
    expected: { kind: 'needs_human', summary: 'Which colour?' },
  },
  {
    name: 'a pass that is not among the expected words is bad output',
    envelope: said({ STATUS: 'pass' }),
    def: expects({ status: ['retry'] }),
    expected: bad('STATUS is "pass"; it must be one of retry.'),
  },
  {
    name: 'a near word of an expected one passes',
    envelope: said({ STATUS: 'complete' }),
    def: expects({ status: ['done', 'retry'] }),
    expected: passed,
  },
  {
    name: 'failing is heard where only done and retry are expected',
    envelope: said({ STATUS: 'failed' }),
    def: expects({ status: ['done', 'retry'] }),
    expected: { kind: 'failing', reason: null },
  },
  {
    name: 'expected keys must be there and say something',
    envelope: said({ STATUS: 'done', REPO: 'x', BRANCH: ' ' }),
    def: expects({ keys: ['REPO', 'BRANCH', 'PR'] }),
    expected: bad('The report lacks BRANCH, PR.'),
  },
  {
    name: 'expected keys and stories that are missing are told together',
    envelope: said({ STATUS: 'done' }),
    def: expects({ keys: ['PR'], items: 'required' }),
    expected: bad('The report lacks PR. There is no STORIES_JSON.'),
  },
  ...[
    { name: 'no change', patch: {}, expected: idle },
    { name: 'no change but of its own hand-off', patch: { filesChanged: ['.ai/HANDOFF.md'] }, expected: idle },
    {
      name: 'no change and a reason that is not enough',
      patch: { result: report('pass', 'scope_warning') },
      expected: idle,
    },
    { name: 'a change that an earlier try made', patch: { filesKept: ['a.ts'] }, expected: passed },
    { name: 'a change', patch: { filesChanged: ['a.ts'] }, expected: passed },
    {
      name: 'no change and the reason nothing_to_do',
      patch: { result: report('pass', 'Nothing to do', 'It is there already.') },
      expected: { kind: 'pass', reason: 'nothing_to_do', summary: 'It is there already.', warnings: [] } as const,
    },
    { name: 'what nobody measured', patch: { diffStat: null }, expected: passed },
  ].map(({ name, patch, expected }) => ({
    name: `where a coding agent has to change something: ${name}`,
    envelope: said(
      { STATUS: 'done' },
      { reports: true, diffStat: { files: 0, insertions: 0, deletions: 0 }, ...patch },
    ),
    def: expects({ changes: true }),
    expected,
  })),
  {
    name: 'where something has to change, another program than a coding agent is not held to it',
    envelope: said({ STATUS: 'done' }, { diffStat: { files: 0, insertions: 0, deletions: 0 } }),
    def: expects({ changes: true }),
    expected: passed,
  },
  {
    name: 'expected stories must be there',
    envelope: said({ STATUS: 'done' }),
    def: expects({ items: 'required' }),
    expected: bad('There is no STORIES_JSON.'),
  },
  {
    name: 'an empty list of stories is none',
    envelope: said({ STATUS: 'done' }, { output: { ...printed(), keys: { STATUS: 'done' }, stories: '[]' } }),
    expected: bad('STORIES_JSON names no story.'),
  },
  {
    name: 'stories that do not parse are bad output',
    envelope: envelope({ output: { ...printed(), keys: { STATUS: 'done' }, stories: '{}' } }),
    expected: bad('STORIES_JSON must be an array of stories'),
  },
  {
    name: 'stories are refused where none may come',
    envelope: envelope({ output: { ...printed(), keys: { STATUS: 'done' }, stories: story } }),
    def: expects({ items: 'none' }),
    expected: bad('It must not report stories.'),
  },
  {
    name: 'good stories come along with the pass',
    envelope: envelope({ output: { ...printed(), keys: { STATUS: 'done' }, stories: story } }),
    expected: {
      ...passed,
      stories: [
        {
          id: 'US-1',
          title: 'One',
          description: '',
          acceptanceCriteria: ['a'],
          dependsOn: [],
          complexity: null,
          parallelTags: 0,
          priority: null,
        },
      ],
    },
  },
  {
    name: 'a pass without its decision is a bad one',
    envelope: said({ STATUS: 'done' }),
    def: deciding,
    expected: { kind: 'failing', reason: 'bad_decision', summary: 'Decision key DECISION not found in the report.' },
  },
  {
    name: 'a pass with its decision passes',
    envelope: said({ STATUS: 'done', DECISION: 'Approved' }),
    def: deciding,
    expected: passed,
  },
];

const sources: readonly Row[] = [
  {
    name: 'the result file goes before the hand-off, which supplies the tests, and the conflict is kept',
    envelope: envelope({
      result: report('pass', null, 'Done.'),
      handoff: handoff({ status: 'failing', tests: { pass: 3, fail: 2, skip: 1 } }),
    }),
    expected: {
      ...passed,
      summary: 'Done.',
      tests: { pass: 3, fail: 2, skip: 1, failing: [] },
      warnings: ['executor-result says pass, HANDOFF says failing'],
    },
  },
  {
    name: 'claims of pass and failing are both recorded when the tests are red',
    envelope: envelope({
      result: report('pass'),
      handoff: handoff({ status: 'failing' }),
      checks: [check('tests', false, ['a', 'b'])],
    }),
    expected: { kind: 'failing', claim: 'pass', warnings: ['executor-result says pass, HANDOFF says failing'] },
  },
  {
    name: 'reasons that differ are a conflict as well',
    envelope: envelope({
      result: report('failing', 'nfr_missing'),
      handoff: handoff({ status: 'failing', reason: 'scope_warning' }),
    }),
    expected: {
      reason: 'nfr_missing',
      warnings: ['executor-result says failing (nfr_missing), HANDOFF says failing (scope_warning)'],
    },
  },
  {
    name: 'the hand-off goes before the printed status',
    envelope: said({ STATUS: 'failing' }, { handoff: handoff({ status: 'pass' }) }),
    expected: { ...passed, warnings: ['HANDOFF says pass, STATUS says failing'] },
  },
  {
    name: 'a result file that names no status leaves the word to the next report',
    envelope: envelope({ result: report(null, null, 'From the result'), handoff: handoff({ status: 'pass' }) }),
    expected: { ...passed, summary: 'From the result', warnings: ['HANDOFF says pass, executor-result says nothing'] },
  },
  {
    name: 'a printed reason counts',
    envelope: said({ STATUS: 'failing', REASON: 'Scope Warning' }),
    expected: { kind: 'failing', reason: 'scope_warning' },
  },
  {
    name: 'a reason that the node routes by is known',
    envelope: said({ STATUS: 'failing', REASON: 'flaky' }),
    def: { onFail: { flaky: goto('impl') } },
    expected: { kind: 'failing', reason: 'flaky' },
  },
  {
    name: 'free text is no reason, but is kept in the summary with a warning',
    envelope: envelope({ result: report('failing', 'the disk was full', 'No luck') }),
    expected: {
      kind: 'failing',
      reason: null,
      summary: 'No luck\nReason given: the disk was full',
      warnings: ['unknown reason "the disk was full"'],
    },
  },
  {
    name: 'free text is kept where there is no summary',
    envelope: envelope({ result: report('failing', 'the disk was full') }),
    expected: { reason: null, summary: 'Reason given: the disk was full' },
  },
  {
    name: 'a near miss in a file is read, with a warning',
    envelope: envelope({ result: report('passing') }),
    expected: { ...passed, warnings: ['executor-result says "passing", which was read as pass'] },
  },
  {
    name: 'a word that the node itself declares is no near miss',
    envelope: envelope({ result: report('done') }),
    def: expects({ status: ['done'] }),
    expected: { ...passed, warnings: [] },
  },
  {
    name: 'a body without front matter is searched for its markers',
    envelope: envelope({ handoff: { front: null, body: 'Done, but NEEDS CLARIFICATION on 3' } }),
    expected: { kind: 'failing', reason: 'needs_clarification' },
  },
  {
    name: 'a body without markers passes and is the summary',
    envelope: envelope({ handoff: { front: null, body: ' All done. ' } }),
    expected: { ...passed, summary: 'All done.' },
  },
  {
    name: 'a body without markers is no status where one is expected',
    envelope: envelope({ handoff: { front: null, body: 'All done.' } }),
    def: expects({ status: ['done'] }),
    expected: bad('The report names no status.'),
  },
  {
    name: 'markers in a body count for nothing beside front matter',
    envelope: envelope({ handoff: handoff({ status: 'pass' }, 'I resolved the NEEDS CLARIFICATION marker') }),
    expected: { ...passed, summary: 'I resolved the NEEDS CLARIFICATION marker' },
  },
  {
    name: 'the printed summary goes before the body',
    envelope: envelope({
      result: report('pass'),
      handoff: { front: null, body: 'body' },
      output: { ...printed(), summary: 'closing words' },
    }),
    expected: { summary: 'closing words' },
  },
  {
    name: 'on_status may be written in the canonical word',
    envelope: said({ STATUS: 'redo' }),
    def: { onStatus: { retry: goto('impl') } },
    expected: { kind: 'failing', word: 'retry' },
  },
  {
    name: 'on_status may be written in the word of the report',
    envelope: said({ STATUS: 'Redo' }),
    def: { onStatus: { redo: goto('impl') } },
    expected: { kind: 'failing', word: 'redo' },
  },
];

const red = expects({ red: true });
const skeletons: readonly Row[] = [
  {
    name: 'red tests pass',
    envelope: said({ STATUS: 'pass' }, { checks: [check('tests', false, ['a'])] }),
    def: red,
    expected: { ...passed, claim: null },
  },
  {
    name: 'an honest failing on red tests passes',
    envelope: said({ STATUS: 'failing' }, { checks: [check('tests', false, ['a'])] }),
    def: red,
    expected: { ...passed, claim: 'failing' },
  },
  {
    name: 'green tests do not pass',
    envelope: said({ STATUS: 'pass' }, { checks: [check('tests', true)] }),
    def: red,
    expected: { kind: 'failing', reason: null, claim: 'pass' },
  },
  {
    name: 'a reason does not pass',
    envelope: said({ STATUS: 'failing', REASON: 'nfr_missing' }, { checks: [check('tests', false)] }),
    def: red,
    expected: { kind: 'failing', reason: 'nfr_missing' },
  },
  {
    name: 'a reason beside a claimed pass does not pass',
    envelope: said({ STATUS: 'pass', REASON: 'nfr_missing' }, { checks: [check('tests', false)] }),
    def: red,
    expected: { kind: 'failing', reason: 'nfr_missing' },
  },
  {
    name: 'an honest failing with a bad exit does not pass',
    envelope: said({ STATUS: 'failing' }, { exit: 1, checks: [check('tests', false)] }),
    def: red,
    expected: { kind: 'failing' },
  },
  {
    name: 'another red check does not pass',
    envelope: said({ STATUS: 'pass' }, { checks: [check('tests', false), check('check', false)] }),
    def: red,
    expected: { kind: 'failing' },
  },
  {
    name: 'tests that hang do not pass',
    envelope: said({ STATUS: 'pass' }, { checks: [hung] }),
    def: red,
    expected: { kind: 'failing', reason: 'test_timeout' },
  },
  {
    name: 'retry does not pass',
    envelope: said({ STATUS: 'retry' }, { checks: [check('tests', false)] }),
    def: red,
    expected: { kind: 'failing' },
  },
  {
    name: 'a word that nobody knows does not pass',
    envelope: said({ STATUS: 'fine' }, { checks: [check('tests', false)] }),
    def: red,
    expected: { kind: 'failing', reason: 'bad_output' },
  },
  {
    name: 'the report alone decides where no tests are set',
    envelope: said({ STATUS: 'pass' }),
    def: red,
    expected: passed,
  },
];

const checking: readonly Row[] = [
  {
    name: 'all green passes',
    envelope: envelope({ checks: [check('tests', true), check('check', true)] }),
    expected: { ...passed, summary: 'tests: ok; check: ok' },
  },
  {
    name: 'nothing to run passes and says so',
    envelope: envelope(),
    expected: { ...passed, summary: 'Not checked: no command is set.' },
  },
  {
    name: 'failing tests are counted and named',
    envelope: envelope({ checks: [check('tests', false, ['t1'])] }),
    expected: { kind: 'failing', summary: 'tests: 1 failing (t1)' },
  },
  {
    name: 'counts without names do',
    envelope: envelope({ checks: [{ ...check('tests', false), tests: { pass: 0, fail: 4, skip: 0, failing: [] } }] }),
    expected: { summary: 'tests: 4 failing' },
  },
  {
    name: 'a check that fails says its exit',
    envelope: envelope({ checks: [check('check', false)] }),
    expected: { kind: 'failing', reason: null, summary: 'check: exit 1: check broke' },
  },
  {
    name: 'a check that was killed says so',
    envelope: envelope({ checks: [{ ...check('check', false), exit: null }] }),
    expected: { summary: 'check: exit by a signal: check broke' },
  },
];

const anywhere: Scope = { globs: null, roles: {}, others: [], fails: false };

function resolve(row: Row): Resolved {
  return resolveOutcome(row.envelope, def('impl', row.def), workflow([], row.workflow), anywhere);
}

describe('the outcome of an attempt by how it ended', () => {
  it.each(endings)('$name', (row) => {
    expect(resolve(row)).toMatchObject(row.expected);
  });
});

describe('the outcome of an attempt without a report', () => {
  it.each(silences)('$name', (row) => {
    expect(resolve(row)).toMatchObject(row.expected);
  });
});

describe('the outcome of an attempt with a report', () => {
  it.each(claims)('$name', (row) => {
    expect(resolve(row)).toMatchObject(row.expected);
  });
});

describe('the outcome of an attempt with several reports', () => {
  it.each(sources)('$name', (row) => {
    expect(resolve(row)).toMatchObject(row.expected);
  });
});

describe('the outcome of a step that must leave failing tests', () => {
  it.each(skeletons)('$name', (row) => {
    expect(resolve(row)).toMatchObject(row.expected);
  });
});

describe('the outcome of a check node', () => {
  it.each(checking)('$name', (row) => {
    expect(resolve({ ...row, def: { kind: 'check' } })).toMatchObject(row.expected);
  });
});
