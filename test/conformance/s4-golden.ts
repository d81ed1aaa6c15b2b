// Golden data of the living chain: the chain that follows from each position, and what each decision adds. Calls stand
// with their real names and arguments, decisions with their counts.

/** A decision as the session file names it. */
function decision(name: string, retry: number): string {
  return `maestro-ralph {"decision":"${name}","retry_count":${retry},"max_retries":2}`;
}

const escalation = 'maestro-ralph {"decision":"post-debug-escalate"}';

export const postMilestone = 'maestro-ralph {"decision":"post-milestone"}';

/** One phase, from its analysis to the last of its gates. */
export function phaseOf(phase: string): readonly string[] {
  return [
    `maestro-analyze ${phase}`,
    `maestro-plan ${phase}`,
    `maestro-execute ${phase}`,
    `maestro-verify ${phase}`,
    decision('post-verify', 0),
    `quality-business-test ${phase}`,
    decision('post-business-test', 0),
    `quality-review ${phase}`,
    decision('post-review', 0),
    `quality-test-gen ${phase}`,
    `quality-test ${phase}`,
    decision('post-test', 0),
  ];
}

export const close = ['maestro-milestone-audit', 'maestro-milestone-complete', postMilestone] as const;

const task = 'build a shop';
const phase1 = phaseOf('1');
const unknown = phaseOf('{{phase}}');

const passed = '{"passed": true, "gaps": []}';
const tested = '{"passed": true, "failures": []}';
const accepted = '---\nstatus: complete\n---\n## Tests\n### 1. Login\nresult: pass\n';
const refused = '---\nstatus: complete\n---\n## Tests\n### 1. Login\nresult: issue\n';

export interface Position {
  readonly items: string;
  readonly given: string;
  readonly position: string;
  /** Of the project, beside the state file; names of results lie in the folder of the phase. */
  readonly files: Readonly<Record<string, string>>;
  /** Stages that the state file names as completed; null: there is no state file. */
  readonly stages: readonly string[] | null;
  readonly hasMilestones?: false;
  readonly hasRoadmap?: false;
  readonly chain: readonly string[];
}

const behind = ['analyze', 'plan', 'execute', 'verify'];
const fresh = { files: {}, stages: null, hasRoadmap: false } as const;

export const positions: readonly Position[] = [
  {
    ...fresh,
    items: 'S4-20',
    given: 'A1: no folder and no sources',
    position: 'brainstorm',
    chain: [`maestro-brainstorm ${task}`, 'maestro-init', `maestro-roadmap ${task}`, ...unknown, ...close],
  },
  {
    ...fresh,
    items: 'S4-21',
    given: 'A2: no folder, but sources',
    position: 'init',
    files: { 'src/main.ts': 'export {};\n' },
    chain: ['maestro-init', `maestro-roadmap ${task}`, ...unknown, ...close],
  },
  {
    ...fresh,
    items: 'S4-22',
    given: 'B: a folder without a state file',
    position: 'init',
    files: { '.workflow/notes.md': '' },
    chain: ['maestro-init', `maestro-roadmap ${task}`, ...unknown, ...close],
  },
  {
    items: 'S4-22 S4-24',
    given: 'B: a state file without milestones',
    position: 'roadmap',
    files: {},
    stages: [],
    hasMilestones: false,
    chain: [`maestro-roadmap ${task}`, ...unknown, ...close],
  },
  {
    items: 'S4-25',
    given: 'milestones without a roadmap',
    position: 'roadmap',
    files: {},
    stages: [],
    hasRoadmap: false,
    chain: [`maestro-roadmap ${task}`, ...unknown, ...close],
  },
  {
    items: 'S4-23 S4-26',
    given: 'a roadmap and no artifact of the phase',
    position: 'analyze',
    files: {},
    stages: [],
    chain: [...phase1, ...close],
  },
  {
    items: 'S4-23 S4-27',
    given: 'an analysis',
    position: 'plan',
    files: {},
    stages: behind.slice(0, 1),
    chain: [...phase1.slice(1), ...close],
  },
  {
    items: 'S4-28',
    given: 'a plan',
    position: 'execute',
    files: {},
    stages: behind.slice(0, 2),
    chain: [...phase1.slice(2), ...close],
  },
  {
    items: 'S4-29',
    given: 'an execution',
    position: 'verify',
    files: {},
    stages: behind.slice(0, 3),
    chain: [...phase1.slice(3), ...close],
  },
  {
    items: 'S4-30 S4-32 S4-39',
    given: 'a verification with gaps',
    position: 'verify-failed',
    files: { 'verification.json': '{"passed": true, "gaps": ["no login"]}' },
    stages: behind,
    chain: [...phase1.slice(4), ...close],
  },
  {
    items: 'S4-32 S4-39',
    given: 'a verification that did not pass',
    position: 'verify-failed',
    files: { 'verification.json': '{"passed": false, "gaps": []}' },
    stages: behind,
    chain: [...phase1.slice(4), ...close],
  },
  {
    items: 'S4-30 S4-33',
    given: 'a passed verification without a review',
    position: 'business-test',
    files: { 'verification.json': passed },
    stages: behind,
    chain: [...phase1.slice(5), ...close],
  },
  {
    items: 'S4-30 S4-38',
    given: 'a business test that failed',
    position: 'business-test-failed',
    files: { 'verification.json': passed, 'business-test-results.json': '{"passed": false, "failures": ["x"]}' },
    stages: behind,
    chain: [...phase1.slice(6), ...close],
  },
  {
    items: 'S4-30 S4-38',
    given: 'a business test that passed',
    position: 'review',
    files: { 'verification.json': passed, 'business-test-results.json': tested },
    stages: behind,
    chain: [...phase1.slice(7), ...close],
  },
  {
    items: 'S4-34 S4-39',
    given: 'a review that blocks',
    position: 'review-failed',
    files: { 'verification.json': passed, 'review.json': '{"verdict": "BLOCK", "issues": []}' },
    stages: behind,
    chain: [...phase1.slice(8), ...close],
  },
  {
    items: 'S4-35',
    given: 'another verdict',
    position: 'test',
    files: { 'verification.json': passed, 'review.json': '{"verdict": "WARN", "issues": []}' },
    stages: behind,
    chain: [...phase1.slice(10), ...close],
  },
  {
    items: 'S4-37 S4-39',
    given: 'acceptance tests with failures',
    position: 'test-failed',
    files: { 'verification.json': passed, 'review.json': '{"verdict": "PASS"}', 'uat.md': refused },
    stages: behind,
    chain: [...phase1.slice(11), ...close],
  },
  {
    items: 'S4-36 S4-38',
    given: 'acceptance tests that all passed, over a review that blocks',
    position: 'milestone-audit',
    files: { 'verification.json': passed, 'review.json': '{"verdict": "BLOCK"}', 'uat.md': accepted },
    stages: behind,
    chain: [...close],
  },
];

export interface Insertion {
  readonly items: string;
  readonly gate: string;
  readonly file: string;
  /** What makes the gate fail. */
  readonly text: string;
  /** Which of the gate's verdicts: the first, the second, or that after its retries. */
  readonly turn: 0 | 1 | 2;
  readonly said: string;
  readonly added: readonly string[];
  readonly context?: Readonly<Record<string, string>>;
}

const gaps = '{"passed": false, "gaps": ["no login", "no logout"]}';
const gapLines = '- no login\n- no logout';
const failures = '{"passed": false, "failures": ["BF-1"]}';
const block = '{"verdict": "BLOCK", "issues": [{"severity": "high", "title": "raw SQL"}]}';
const blockLines = '- high · raw SQL';

const fixReview = (retry: number) => [
  `quality-debug ${blockLines}`,
  'maestro-plan --gaps 1',
  'maestro-execute 1',
  'quality-review 1',
  decision('post-review', retry),
];
const fixVerify = (retry: number) => [
  `quality-debug ${gapLines}`,
  'maestro-plan --gaps 1',
  'maestro-execute 1',
  'maestro-verify 1',
  decision('post-verify', retry),
];
const fixBusiness = (retry: number) => [
  'quality-debug --from-business-test 1',
  'maestro-plan --gaps 1',
  'maestro-execute 1',
  'maestro-verify 1',
  decision('post-verify', 0),
  'quality-business-test 1',
  decision('post-business-test', retry),
];
const fixTest = (retry: number) => [
  'quality-debug --from-uat 1',
  'maestro-plan --gaps 1',
  'maestro-execute 1',
  'maestro-verify 1',
  decision('post-verify', 0),
  'quality-business-test 1',
  decision('post-business-test', 0),
  'quality-review 1',
  decision('post-review', 0),
  'quality-test-gen 1',
  'quality-test 1',
  decision('post-test', retry),
];

const atVerify = { gate: 'post-verify', file: 'verification.json', text: gaps } as const;
const atBusiness = { gate: 'post-business-test', file: 'business-test-results.json', text: failures } as const;
const atReview = { gate: 'post-review', file: 'review.json', text: block } as const;
const atTest = { gate: 'post-test', file: 'uat.md', text: refused } as const;

export const insertions: readonly Insertion[] = [
  {
    ...atVerify,
    items: 'S4-71 S4-101',
    turn: 0,
    said: '◆ post-verify: gaps detected, inserting debug+fix loop (retry 1/2)',
    added: fixVerify(1),
  },
  {
    ...atVerify,
    items: 'S4-71',
    turn: 1,
    said: '◆ post-verify: gaps detected, inserting debug+fix loop (retry 2/2)',
    added: fixVerify(2),
  },
  {
    ...atVerify,
    items: 'S4-72',
    turn: 2,
    said: '◆ post-verify: max retries reached, escalating to debug',
    added: [`quality-debug ${gapLines}`, escalation],
  },
  {
    ...atBusiness,
    items: 'S4-75 S4-101 S4-102',
    turn: 0,
    said: '◆ post-business-test: failures detected, inserting debug+fix loop (retry 1/2)',
    added: fixBusiness(1),
  },
  {
    ...atBusiness,
    items: 'S4-75 S4-102',
    turn: 1,
    said: '◆ post-business-test: failures detected, inserting debug+fix loop (retry 2/2)',
    added: fixBusiness(2),
  },
  {
    ...atBusiness,
    items: 'S4-76',
    turn: 2,
    said: '◆ post-business-test: max retries reached, escalating to debug',
    added: ['quality-debug --from-business-test 1', escalation],
  },
  {
    ...atReview,
    items: 'S4-79 S4-101',
    turn: 0,
    said: '◆ post-review: blocked, inserting debug+fix loop (retry 1/2)',
    added: fixReview(1),
  },
  {
    ...atReview,
    items: 'S4-79',
    turn: 1,
    said: '◆ post-review: blocked, inserting debug+fix loop (retry 2/2)',
    added: fixReview(2),
  },
  {
    ...atReview,
    items: 'S4-79 S4-147',
    turn: 0,
    said: '◆ post-review: blocked, inserting debug+fix loop (retry 1/2)',
    added: [...fixReview(1).slice(0, 3), 'maestro-verify 1', decision('post-verify', 0), ...fixReview(1).slice(3)],
    context: { reverify_after_review: 'true' },
  },
  {
    ...atReview,
    items: 'S4-80',
    turn: 2,
    said: '◆ post-review: max retries reached, escalating to debug',
    added: [`quality-debug ${blockLines}`, escalation],
  },
  {
    ...atTest,
    items: 'S4-84 S4-101 S4-102',
    turn: 0,
    said: '◆ post-test: failures detected, inserting debug+fix loop (retry 1/2)',
    added: fixTest(1),
  },
  {
    ...atTest,
    items: 'S4-84 S4-102',
    turn: 1,
    said: '◆ post-test: failures detected, inserting debug+fix loop (retry 2/2)',
    added: fixTest(2),
  },
  {
    ...atTest,
    items: 'S4-85',
    turn: 2,
    said: '◆ post-test: max retries reached, escalating to debug',
    added: ['quality-debug --from-uat 1', escalation],
  },
];

/** What the decision at a milestone's end adds for the next one, with two phases. */
export const nextMilestone = [...phaseOf('3'), ...phaseOf('4'), ...close] as const;

/** Of each stage: its call, whether it stands alone, and the decision behind it. */
export const stageTable: readonly (readonly [call: string, isBarrier: boolean, decision: string | null])[] = [
  ['maestro-brainstorm {{task}}', true, null],
  ['maestro-init', false, null],
  ['maestro-roadmap {{task}}', true, null],
  ['maestro-analyze {{phase}}', true, null],
  ['maestro-plan {{phase}}', true, null],
  ['maestro-execute {{phase}}', true, null],
  ['maestro-verify {{phase}}', false, 'post-verify'],
  ['quality-business-test {{phase}}', false, 'post-business-test'],
  ['quality-review {{phase}}', false, 'post-review'],
  ['quality-test-gen {{phase}}', false, null],
  ['quality-test {{phase}}', false, 'post-test'],
  ['maestro-milestone-audit', false, null],
  ['maestro-milestone-complete', false, 'post-milestone'],
];
