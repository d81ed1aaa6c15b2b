import { expect, it } from 'vitest';
import {
  artifactOfResult,
  artifactsToRead,
  latestCompleted,
  type ProjectState,
  readPhase,
  readProjectState,
} from '../../src/engine/survey/survey.js';
import { stages, stateOf, untilVerify, type Written } from './surveys.js';

const milestone = { id: 'M1', name: 'MVP', status: 'active', phases: ['1'], donePhases: [] };

function stateWith(...artifacts: readonly Written[]): ProjectState {
  const state = stateOf({
    artifacts: artifacts.map((one) => ({ milestone: 'MVP', phase: 1, status: 'completed', ...one })),
  });
  if (state === null) throw new Error('no state');
  return state;
}

it.each([['text'], [null], [[1]], [7]])('a state file that holds %j is rejected', (value) => {
  expect(readProjectState(value)).toBeNull();
});

it('a partial state file is read without its unknown entries and with defaults', () => {
  const state = readProjectState({
    current_milestone: 'MVP',
    version: 2,
    milestones: [
      {
        id: 'M1',
        name: 'MVP',
        status: 'In Progress',
        phases: [1, { number: '02', status: 'done' }, { id: 'P3' }, { name: 'P4' }, null, 1],
      },
      'x',
    ],
    artifacts: [
      {
        id: 'ANL-001',
        type: 'Analyze',
        milestone: 'MVP',
        phase: 1,
        scope: 'phase',
        path: 'phases/01-a',
        status: 'completed',
        harvested: true,
      },
      { id: 'ANL-001', path: '20260415-plan-P1-a', phase: 'P1' },
      {},
      { id: 3, created_at: '2026-04-16T10:00:00Z', completed_at: 'soon' },
    ],
  });
  expect(state).toMatchObject({
    current: 'MVP',
    milestones: [{ id: 'M1', name: 'MVP', status: 'in_progress', phases: ['1', '2', '3', '4'], donePhases: ['2'] }],
    artifacts: [
      { key: 'ANL-001', type: 'analyze', phase: '1', date: null },
      { key: 'ANL-001#1', id: 'ANL-001', phase: '1', type: '', milestone: null, date: '2026-04-15' },
      { key: '#2', id: '', phase: null, path: null, status: '' },
      { key: '3', id: '3', date: '2026-04-16T10:00:00Z' },
    ],
  });
  expect(state?.raw).toMatch(/^\{"current_milestone":"MVP"/);
  expect(readProjectState({})).toEqual({ current: null, milestones: [], artifacts: [], raw: '{}' });
  expect(readProjectState({ milestones: [{ name: 'A' }, { id: 'M' }, {}] })?.milestones).toMatchObject([
    { id: 'A', name: 'A', phases: [] },
    { id: 'M', name: 'M' },
    { id: '', name: '' },
  ]);
});

it('a state file keeps its newest 2,000 artifacts', () => {
  const artifacts = Array.from({ length: 2_500 }, (_, index) => ({ id: `A${index}` }));
  const state = readProjectState({ artifacts });
  expect(state?.artifacts).toHaveLength(2_000);
  expect(state?.artifacts.at(-1)?.id).toBe('A2499');
});

it.each([
  [2, '2'],
  ['02', '2'],
  ['P2', '2'],
  ['phase 2', '2'],
  ['phase-2.1', '2.1'],
  ['payments', 'payments'],
  ['', null],
  [undefined, null],
  [{}, null],
])('phase %j is read as %j', (written, phase) => {
  expect(readPhase(written)).toBe(phase);
});

const day = '2026-04-15';

it.each<[given: string, artifacts: readonly Written[], latest: string | null]>([
  ['none', [], null],
  [
    'moments',
    [
      { id: 'B', type: 'plan', date: `${day}T11:00:00Z` },
      { id: 'C', type: 'execute', date: `${day}T10:00:00Z` },
    ],
    'B',
  ],
  [
    'days of paths',
    [
      { id: 'B-2', type: 'plan', path: '20260416-plan-P1-a' },
      { id: 'C-3', type: 'execute', path: '20260415-x-P1-a' },
    ],
    'B-2',
  ],
  [
    'a moment and a day of the same day',
    [
      { id: 'B-1', type: 'plan', date: `${day}T11:00:00Z` },
      { id: 'C-2', type: 'plan', date: day },
    ],
    'C-2',
  ],
  [
    'a date and none',
    [
      { id: 'B-1', type: 'plan', date: '2030-01-01' },
      { id: 'C-2', type: 'execute' },
    ],
    'C-2',
  ],
  [
    'one date, other numbers',
    [
      { id: 'X-10', type: 'plan', date: day },
      { id: 'X-9', type: 'execute', date: day },
    ],
    'X-10',
  ],
  [
    'one number, other stages',
    [
      { id: 'PLN-001', type: 'plan' },
      { id: 'EXC-001', type: 'execute' },
    ],
    'EXC-001',
  ],
  [
    'one stage without numbers',
    [
      { id: 'b', type: 'plan' },
      { id: 'a', type: 'plan' },
    ],
    'b',
  ],
  [
    'the same twice',
    [
      { id: 'a', type: 'plan' },
      { id: 'a', type: 'plan' },
    ],
    'a',
  ],
  [
    'one that is not completed',
    [
      { id: 'A-1', type: 'plan' },
      { id: 'A-2', type: 'execute', status: 'failed' },
    ],
    'A-1',
  ],
  [
    'one beside the plan',
    [
      { id: 'A-1', type: 'plan' },
      { id: 'A-2', type: 'execute', scope: 'adhoc' },
    ],
    'A-1',
  ],
  [
    'a standalone one',
    [
      { id: 'A-1', type: 'plan' },
      { id: 'A-2', type: 'execute', scope: 'standalone' },
    ],
    'A-1',
  ],
  [
    'one that is no stage',
    [
      { id: 'A-1', type: 'plan' },
      { id: 'A-2', type: 'review' },
    ],
    'A-1',
  ],
  [
    'one of another phase',
    [
      { id: 'A-1', type: 'plan' },
      { id: 'A-2', type: 'execute', phase: 2 },
    ],
    'A-1',
  ],
  [
    'one of another milestone',
    [
      { id: 'A-1', type: 'plan' },
      { id: 'A-2', type: 'execute', milestone: 'Beta' },
    ],
    'A-1',
  ],
  [
    'one by the id of the milestone',
    [
      { id: 'A-1', type: 'plan' },
      { id: 'A-2', type: 'execute', milestone: 'M1' },
    ],
    'A-2',
  ],
  [
    'one that names no milestone',
    [
      { id: 'A-1', type: 'plan' },
      { id: 'A-2', type: 'execute', milestone: null },
    ],
    'A-2',
  ],
])('the latest completed artifact is found, given %s', (_given, artifacts, latest) => {
  expect(latestCompleted(stateWith(...artifacts), milestone, '1')?.id ?? null).toBe(latest);
});

it('only verified phases have results to read, those of the current milestone first', () => {
  const state = stateOf({
    current_milestone: 'Beta',
    milestones: [
      { id: 'M1', name: 'MVP', status: 'active', phases: [1, 2] },
      { id: 'M2', name: 'Beta', status: 'active', phases: [3] },
    ],
    artifacts: [...stages(1, untilVerify), ...stages(2, ['analyze']), ...stages(3, untilVerify, { milestone: 'M2' })],
  });
  expect(state && artifactsToRead(state).map((it) => it.id)).toEqual(['VRF-003', 'VRF-001']);
});

it('at most 200 results are read, also in a project without an open milestone', () => {
  const phases = Array.from({ length: 210 }, (_, index) => index + 1);
  const milestones = [
    { id: 'M1', name: 'MVP', status: 'completed', phases: phases.slice(0, 150) },
    { id: 'M2', name: 'Beta', status: 'completed', phases: phases.slice(150) },
  ];
  const artifacts = phases.map((phase) => ({ id: `V${phase}`, type: 'verify', phase, status: 'done' }));
  const state = stateOf({ current_milestone: null, milestones, artifacts });
  expect(state && artifactsToRead(state)).toHaveLength(200);
});

const plan = { id: 'PLN-002', type: 'plan', path: 'p' };
const verify = { id: 'VRF-001', type: 'verify', path: 'v' };

it.each<[given: string, artifacts: readonly Written[], phase: string | null, file: string, found: string | null]>([
  ['the verification', [verify, plan], '1', 'verification.json', 'VRF-001'],
  ['the business tests', [verify, plan], '1', 'business-test-results.json', 'VRF-001'],
  ['the verification without a stage of its own', [plan], '1', 'verification.json', 'PLN-002'],
  ['the review', [verify, plan], '1', 'review.json', 'PLN-002'],
  ['the review while its stage failed', [verify, { ...plan, status: 'failed' }], '1', 'review.json', 'PLN-002'],
  ['the review before a stage that waits', [verify, { ...plan, status: 'pending' }], '1', 'review.json', 'VRF-001'],
  ['the review beside work of its own', [verify, { ...plan, scope: 'adhoc' }], '1', 'review.json', 'VRF-001'],
  ['the review of no certain phase', [verify, { ...plan, phase: 2 }], null, 'review.json', 'PLN-002'],
  [
    'the review beside a phase that the milestone does not have',
    [verify, { ...plan, milestone: null, phase: 2 }],
    null,
    'review.json',
    'VRF-001',
  ],
  ['the review of another phase', [verify], '2', 'review.json', null],
  [
    'the review of a phase that only another milestone has',
    [{ ...verify, milestone: 'Old', phase: 2 }],
    '2',
    'review.json',
    'VRF-001',
  ],
])('%s is assigned to the latest artifact that it belongs to', (_given, artifacts, phase, file, found) => {
  expect(artifactOfResult(stateWith(...artifacts), phase, file)?.id ?? null).toBe(found);
});

it('a result is assigned to an artifact in a state file without milestones', () => {
  const state = readProjectState({ artifacts: [{ id: 'V', type: 'verify', phase: 1, status: 'completed' }] });
  expect(state && artifactOfResult(state, '1', 'review.json')?.id).toBe('V');
});
