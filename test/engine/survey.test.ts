import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseEvidence } from '../../src/engine/report/evidence/evidence.js';
import type { Survey } from '../../src/engine/survey/survey.js';
import { surveyFacts } from '../../src/engine/survey/survey-facts.js';
import { holds, parseExpression } from '../../src/engine/workflow/expressions/expression.js';
import { results, stages, surveyOf, uatPassed, untilVerify } from './surveys.js';

const nowhere = { task: 'build a shop', phase: null, milestone: null };
const rules = parse(readFileSync('workflows/lifecycle.yaml', 'utf8')).positions as {
  readonly name: string;
  readonly begin: string;
  readonly when: string;
}[];

function positionOf(survey: Survey, at = nowhere): string {
  const facts = surveyFacts(survey, at);
  const rule = rules.find(({ when }) => {
    const parsed = parseExpression(when);
    if (!parsed.ok) throw new Error(`${when}: ${parsed.error}`);
    return holds(parsed.expression, facts);
  });
  return rule === undefined ? 'asked' : `${rule.name} from ${rule.begin}`;
}

const verified = { artifacts: stages(1, untilVerify) };
const good = { passed: true, gaps: [] };

function withResults(files: Readonly<Record<string, unknown>>): Survey {
  return surveyOf(verified, { results: { 'VRF-001': results(files) } });
}

const uat = (text: string) => {
  const parsed = parseEvidence('uat.md', text);
  return parsed.ok ? parsed.value : null;
};

const positions: readonly (readonly [given: string, survey: Survey, position: string])[] = [
  [
    'an empty project',
    surveyOf({}, { hasFolder: false, hasSources: false, hasRoadmap: false, state: null }),
    'brainstorm from brainstorm',
  ],
  ['sources and no folder', surveyOf({}, { hasFolder: false, hasRoadmap: false, state: null }), 'init from init'],
  ['a folder without a state file', surveyOf({}, { hasRoadmap: false, state: null }), 'init from init'],
  ['a state without milestones', surveyOf({ milestones: [] }), 'roadmap from roadmap'],
  ['milestones without a roadmap', surveyOf({}, { hasRoadmap: false }), 'roadmap from roadmap'],
  ['no artifact for the phase', surveyOf(), 'analyze from analyze'],
  ['an analysis', surveyOf({ artifacts: stages(1, ['analyze']) }), 'plan from plan'],
  ['a plan', surveyOf({ artifacts: stages(1, ['analyze', 'plan']) }), 'execute from execute'],
  ['an execution', surveyOf({ artifacts: stages(1, ['analyze', 'plan', 'execute']) }), 'verify from verify'],
  ['a verification without its result', surveyOf(verified), 'verify from verify'],
  ['gaps', withResults({ 'verification.json': { passed: true, gaps: ['a'] } }), 'verify-failed from post-verify'],
  [
    'a failed verification',
    withResults({ 'verification.json': { passed: false, gaps: [] } }),
    'verify-failed from post-verify',
  ],
  ['a verification that says nothing', withResults({ 'verification.json': {} }), 'verify-failed from post-verify'],
  ['a passed verification', withResults({ 'verification.json': good }), 'business-test from business-test'],
  [
    'a passed business test',
    withResults({ 'verification.json': good, 'business-test-results.json': { passed: true, failures: [] } }),
    'review from review',
  ],
  [
    'a failed business test',
    withResults({ 'verification.json': good, 'business-test-results.json': { passed: false } }),
    'business-test-failed from post-business-test',
  ],
  [
    'a review that blocks',
    withResults({ 'verification.json': good, 'review.json': { verdict: 'BLOCK' } }),
    'review-failed from post-review',
  ],
  [
    'a review that passes what is critical',
    withResults({ 'verification.json': good, 'review.json': { verdict: 'PASS', issues: [{ severity: 'critical' }] } }),
    'review-failed from post-review',
  ],
  ['another verdict', withResults({ 'verification.json': good, 'review.json': { verdict: 'WARN' } }), 'test from test'],
  [
    'a review without a verdict',
    withResults({ 'verification.json': good, 'review.json': {} }),
    'business-test from business-test',
  ],
  [
    'passed acceptance tests',
    withResults({
      'verification.json': good,
      'review.json': { verdict: 'PASS' },
      'uat.md': uat('---\nstatus: complete\n---\n## Tests\n### 1. Login\nresult: pass\n'),
    }),
    'milestone-audit from milestone-audit',
  ],
  [
    'failed acceptance tests',
    withResults({
      'verification.json': good,
      'review.json': { verdict: 'PASS' },
      'uat.md': uat('---\nstatus: complete\n---\n## Tests\n### 1. Login\nresult: issue\n'),
    }),
    'test-failed from post-test',
  ],
  [
    'acceptance tests that are still under way',
    withResults({
      'review.json': { verdict: 'PASS' },
      'uat.md': uat('---\nstatus: testing\n---\n## Results\n- Login: fail\n'),
    }),
    'test from test',
  ],
  [
    'accepted, but with failing tests',
    withResults({ 'uat.md': uatPassed, '.tests/test-results.json': { passed: false, results: [] } }),
    'test-failed from post-test',
  ],
  [
    'the most advanced evidence of all at once',
    withResults({
      'verification.json': { passed: false, gaps: ['a'] },
      'business-test-results.json': { passed: false },
      'review.json': { verdict: 'BLOCK' },
      'uat.md': uatPassed,
    }),
    'milestone-audit from milestone-audit',
  ],
  [
    'a review that is older than the verification',
    withResults({ 'review.json': { verdict: 'BLOCK' }, 'verification.json': good }),
    'business-test from business-test',
  ],
  [
    'acceptance tests older than the review',
    withResults({ 'verification.json': good, 'uat.md': uatPassed, 'review.json': { verdict: 'PASS' } }),
    'test from test',
  ],
  [
    'a new execution after all evidence',
    surveyOf(
      { artifacts: [...stages(1, untilVerify), { ...stages(1, ['execute'])[0], id: 'EXC-002' }] },
      { results: { 'VRF-001': results({ 'verification.json': good, 'uat.md': uatPassed }) } },
    ),
    'verify from verify',
  ],
  [
    'evidence in the folder of an execution',
    surveyOf(
      { artifacts: stages(1, ['analyze', 'plan', 'execute']) },
      { results: { 'EXC-001': results({ 'verification.json': good, 'uat.md': uatPassed }) } },
    ),
    'verify from verify',
  ],
  [
    'an accepted phase whose tests fail, before another',
    surveyOf(
      { milestones: [{ id: 'M1', name: 'MVP', status: 'active', phases: [1, 2] }], artifacts: stages(1, untilVerify) },
      { results: { 'VRF-001': results({ 'uat.md': uatPassed, '.tests/test-results.json': { passed: false } }) } },
    ),
    'test-failed from post-test',
  ],
  [
    'two phases that overlap',
    surveyOf({
      milestones: [{ id: 'M1', name: 'MVP', status: 'active', phases: [1, 2] }],
      artifacts: [...stages(2, ['analyze']), ...stages(1, ['analyze', 'plan'])],
    }),
    'execute from execute',
  ],
  [
    'an accepted phase before another',
    surveyOf(
      {
        milestones: [{ id: 'M1', name: 'MVP', status: 'active', phases: [1, 2] }],
        artifacts: [...stages(1, untilVerify), ...stages(2, ['analyze'])],
      },
      { results: { 'VRF-001': results({ 'verification.json': good, 'uat.md': uatPassed }) } },
    ),
    'plan from plan',
  ],
  ['a state file that cannot be read', surveyOf({}, { state: null, problem: 'no JSON', hasRoadmap: false }), 'asked'],
  [
    'a folder that cannot be found',
    surveyOf(verified, { results: { 'VRF-001': { folder: null, problem: 'no folder', files: {} } } }),
    'asked',
  ],
  ['a milestone without phases', surveyOf({ milestones: [{ id: 'M1', name: 'MVP', status: 'active' }] }), 'asked'],
];

it.each(positions)('the lifecycle starts at the right position with %s', (_given, survey, position) => {
  expect(positionOf(survey)).toBe(position);
});

const twoMilestones = {
  milestones: [
    { id: 'M1', name: 'MVP', status: 'active', phases: [1, 2, 3] },
    { id: 'M2', name: 'Beta', status: 'pending', phases: [{ number: 4, status: 'completed' }, 5] },
    { id: 'M3', name: 'Later', status: 'deferred', phases: [6] },
    { id: 'M4', name: 'Final', status: 'pending', phases: [] },
  ],
};
const accepted = results({ 'verification.json': good, 'uat.md': uatPassed });

type At = Partial<typeof nowhere> & { readonly milestone?: string | null; readonly phase?: string | null };

const walks: readonly (readonly [given: string, fields: object, at: object, expected: object])[] = [
  [
    'nothing',
    {},
    {},
    { milestone: 'MVP', phase: '1', phases: ['1', '2', '3'], next_milestone: 'Beta', next_phase: '4' },
  ],
  ['a phase that was given', {}, { phase: '2' }, { phase: '2', phases: ['2', '1', '3'] }],
  ['a phase that was given as P03', {}, { phase: 'P03' }, { phase: '3' }],
  ['a phase in the task', {}, { task: 'go on with Phase 2' }, { phase: '2', problem: null }],
  ['the given phase over the task', {}, { task: 'go on with phase 2', phase: '3' }, { phase: '3' }],
  ['a word that is no phase', {}, { task: 'rephase 2 tables' }, { phase: '1' }],
  [
    'a phase in progress',
    { artifacts: stages(3, ['plan'], { status: 'in-progress' }) },
    {},
    { phase: '3', phases: ['3', '1', '2'], latest: null },
  ],
  ['an accepted phase', { artifacts: stages(1, untilVerify) }, {}, { phase: '2', phases: ['2', '3'] }],
  ['an accepted phase that was asked for', { artifacts: stages(1, untilVerify) }, { phase: '1' }, { phase: '2' }],
  ['the last one accepted', { artifacts: stages(3, untilVerify) }, { phase: '3' }, { phase: '1', phases: ['1', '2'] }],
  [
    'all of them accepted, asked for one',
    { artifacts: [1, 2, 3].flatMap((phase) => stages(phase, untilVerify)) },
    { phase: '2' },
    { phase: '2', phases: [], uat: uatPassed },
  ],
  [
    'all of them accepted',
    { artifacts: [1, 2, 3].flatMap((phase) => stages(phase, untilVerify)) },
    {},
    { phase: '3', phases: [], uat: uatPassed },
  ],
  ['a phase that it does not have', {}, { phase: '9' }, { phase: null, latest: null, phases: ['1', '2', '3'] }],
  [
    'a milestone by its name',
    {},
    { milestone: 'Beta' },
    { milestone: 'Beta', phase: '5', phases: ['5'], next_milestone: 'Final', next_phase: null },
  ],
  ['a milestone by its id', {}, { milestone: 'M2', phase: '2' }, { milestone: 'Beta', phase: '5', problem: null }],
  ['an empty phase and milestone', {}, { milestone: '', phase: '' }, { milestone: 'MVP', phase: '1' }],
  ['the last milestone', {}, { milestone: 'Final' }, { next_milestone: null, next_phase: null }],
  ['a current milestone by its id', { current_milestone: 'M2' }, {}, { milestone: 'Beta' }],
  ['no current milestone', { current_milestone: null }, {}, { milestone: 'MVP' }],
  [
    'one that was just completed',
    {
      milestones: [
        { id: 'M1', name: 'MVP', status: 'completed' },
        { id: 'M2', name: 'Beta', status: 'active', phases: [2] },
      ],
    },
    { milestone: 'MVP' },
    { milestone: 'MVP', next_milestone: 'Beta', next_phase: '2' },
  ],
  [
    'a current one that is completed',
    {
      milestones: [
        { id: 'M1', name: 'MVP', status: 'completed' },
        { id: 'M2', name: 'Beta', status: 'active', phases: [2] },
      ],
    },
    {},
    { milestone: 'Beta', phase: '2', next_milestone: null },
  ],
  [
    'one that is gone from the file',
    { milestones: [{ id: 'M2', name: 'Beta', status: 'active', phases: [2] }] },
    { milestone: 'MVP' },
    { milestone: 'MVP', phase: null, phases: [], next_milestone: 'Beta' },
  ],
  [
    'one that still counts as active though it is the one at hand',
    { milestones: [{ id: 'M1', name: 'MVP', status: 'active', phases: [1] }] },
    { milestone: 'MVP' },
    { next_milestone: null },
  ],
  [
    'a later milestone of the same name',
    {
      milestones: [
        { id: 'M1', name: 'MVP', status: 'active' },
        { id: 'M2', name: 'MVP', status: 'pending' },
      ],
    },
    { milestone: 'M1' },
    { next_milestone: null },
  ],
  [
    'phases that only artifacts name',
    { milestones: [{ id: 'M1', name: 'MVP' }], artifacts: stages(7, ['analyze']) },
    {},
    { milestones: 1, phase: '7', phases: ['7'], latest: 'analyze' },
  ],
  [
    'a milestone without phases',
    { milestones: [{ id: 'M1', name: 'MVP' }] },
    { phase: '4' },
    { phase: '4', phases: ['4'], problem: null },
  ],
];

it.each(walks)('the survey facts of %s give milestone, phases and what comes next', (_given, fields, at, expected) => {
  const survey = surveyOf(
    { ...twoMilestones, ...fields },
    { results: { 'VRF-001': accepted, 'VRF-002': accepted, 'VRF-003': accepted } },
  );
  expect(surveyFacts(survey, { ...nowhere, ...(at as At) })).toMatchObject(expected);
});

const problems: readonly (readonly [given: string, survey: Survey, at: object, problem: RegExp | null])[] = [
  [
    'a state file that cannot be read',
    surveyOf({}, { state: null, problem: 'state.json is not valid JSON' }),
    {},
    /^E002: state.json is not valid JSON/,
  ],
  ['no milestones', surveyOf({ milestones: [] }), {}, null],
  ['no roadmap', surveyOf({ current_milestone: 'X' }, { hasRoadmap: false }), {}, null],
  [
    'no such milestone',
    surveyOf({ current_milestone: 'X' }),
    {},
    /^E002: no milestone "X" \(MVP\).*"current_milestone":"X"/,
  ],
  ['no such milestone given', surveyOf(), { milestone: 'Y' }, /^E002: no milestone "Y" \(MVP\)/],
  [
    'no milestone that is open',
    surveyOf({ current_milestone: null, milestones: [{ name: 'MVP', status: 'done' }] }),
    {},
    /^E002: no milestone is open \(MVP\)/,
  ],
  [
    'nothing open after the current one',
    surveyOf({ milestones: [{ name: 'MVP', status: 'done' }] }),
    {},
    /^E002: MVP is completed/,
  ],
  [
    'a completed one that the run is at',
    surveyOf({ milestones: [{ name: 'MVP', status: 'done', phases: [1] }] }),
    { milestone: 'MVP' },
    null,
  ],
  ['no such phase', surveyOf(), { phase: '9' }, /^E002: milestone MVP has no phase 9 \(1\)/],
  ['no such phase in the milestone that it went on to', surveyOf(), { phase: '9', milestone: 'MVP' }, null],
  ['no phase at all', surveyOf({ milestones: [{ name: 'MVP' }] }), {}, /^E002: milestone MVP names no phase/],
  [
    'no folder of the verification',
    surveyOf(verified, { results: { 'VRF-001': { folder: null, problem: 'no folder like *-P1-*', files: {} } } }),
    {},
    /^E003: no folder like \*-P1-\*/,
  ],
  [
    'no folder any more once the milestone is completed',
    surveyOf(
      { ...verified, milestones: [{ name: 'MVP', status: 'completed', phases: [1] }] },
      { results: { 'VRF-001': { folder: null, problem: 'no folder', files: {} } } },
    ),
    { milestone: 'MVP' },
    null,
  ],
];

it.each(problems)(
  '%s is reported with its error code, only if a position depends on it',
  (_given, survey, at, problem) => {
    const facts = surveyFacts(survey, { ...nowhere, ...(at as At) });
    if (problem === null) expect(facts['problem']).toBeNull();
    else expect(facts['problem']).toMatch(problem);
    if (problem !== null) expect(facts).toMatchObject({ phase: null, latest: null, verification: null });
  },
);

it('results written within seconds of each other count, in any order', () => {
  const files = results({ 'verification.json': good, 'review.json': { verdict: 'PASS' } }).files;
  const copied = { ...files, 'review.json': { at: -4_000, value: { verdict: 'PASS' }, error: null } };
  const stale = { ...files, 'review.json': { at: -6_000, value: { verdict: 'PASS' }, error: null } };
  const factsOf = (written: typeof files) =>
    surveyFacts(
      surveyOf(verified, { results: { 'VRF-001': { folder: 'a', problem: null, files: written } } }),
      nowhere,
    );
  expect(factsOf(copied)).toMatchObject({ review: { verdict: 'PASS' } });
  expect(factsOf(stale)).toMatchObject({ review: null, verification: good });
});

it('an unreadable result counts as missing', () => {
  const files = {
    'verification.json': { at: 0, value: null, error: 'no JSON' },
    'review.json': { at: 0, value: [], error: null },
  };
  const survey = surveyOf(verified, { results: { 'VRF-001': { folder: 'a', problem: null, files } } });
  expect(surveyFacts(survey, nowhere)).toMatchObject({
    latest: 'verify',
    verification: null,
    review: null,
    problem: null,
  });
});

it('test results and the acceptance report both count when newer than the review', () => {
  const survey = withResults({
    'review.json': { verdict: 'PASS' },
    '.tests/test-results.json': { passed: true },
    'uat.md': uatPassed,
  });
  expect(surveyFacts(survey, nowhere)).toMatchObject({ tests: { passed: true }, uat: uatPassed });
});

it('the survey facts say which files exist and how many milestones there are', () => {
  expect(surveyFacts(surveyOf(), nowhere)).toMatchObject({
    has_folder: true,
    has_sources: true,
    has_state: true,
    has_roadmap: true,
    milestones: 1,
  });
  const unreadable = surveyOf({}, { state: null, problem: 'broken' });
  expect(surveyFacts(unreadable, nowhere)).toMatchObject({ has_state: true, milestones: null });
});
