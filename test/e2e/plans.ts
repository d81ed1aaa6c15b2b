// What the planned agent does when all goes well, for the shipped workflows whose steps print what they decide.
import type { AgentPlan } from './agent-source.js';

type Move = Exclude<AgentPlan[string], readonly unknown[]>;

/** A report that is printed, with nothing left in files. */
export function said(keys: Readonly<Record<string, string>>, more: Partial<Move> = {}): Move {
  return { keys: { STATUS: 'done', ...keys }, handoff: false, ...more };
}

export function story(id: string, dependsOn: readonly string[] = []) {
  return {
    id,
    title: `Title of ${id}`,
    description: `About ${id}`,
    acceptanceCriteria: [`${id} works`],
    ...(dependsOn.length > 0 ? { depends_on: dependsOn } : {}),
  };
}

export function planned(stories: unknown): Move {
  const text = typeof stories === 'string' ? stories : `STORIES_JSON: ${JSON.stringify(stories)}`;
  return said({ REPO: '/r', BRANCH: 'orders' }, { print: text });
}

export const featureDev: AgentPlan = {
  plan: planned(['US-001', 'US-002'].map((id) => story(id))),
  implement: said(
    { CHANGES: 'changes of {item}', TESTS: 'npm test' },
    { files: { 'src/{item}.txt': 'done\n' }, commit: 'feat: {item} - Title of {item}', progress: 'learnt from {item}' },
  ),
  verify: said({ VERIFIED: 'all of {item}' }),
  test: said({ RESULTS: '12 passed' }),
  rework: said({ CHANGES: 'mended' }),
  pr: said({ PR: 'https://example.invalid/pr/1' }),
  review: said({ DECISION: 'approved', FEEDBACK: 'none' }),
};

export const compound: AgentPlan = {
  brainstorm: said({ BRAINSTORM_OUTPUT: 'an idea' }),
  plan: said({ PLAN_FILE: 'docs/plans/one.md', PLAN_SUMMARY: 'a plan' }),
  work: said({ IMPLEMENTATION_SUMMARY: 'built', FILES_CHANGED: 'a.ts', PR_URL: 'https://example.invalid/pr/2' }),
  review: said({ DECISION: 'approved', REVIEW_ISSUES: 'none', REVIEW_NOTES: 'fine' }),
  compound: said({ LEARNINGS: 'learnt', FILE_CREATED: 'docs/solutions/one.md' }),
};

/** Ten steps; the coding one leaves a file of the story's own. */
export const ralph: AgentPlan = Object.fromEntries(
  [
    'context_gathering',
    'planning',
    'architecture',
    'test_architecture',
    'coding',
    'linting',
    'initial_testing',
    'review',
    'prune_tests',
    'final_review',
    'rebase_resolve',
  ].map((step) => [step, said({}, { print: `SUMMARY:\nnotes of ${step}` })]),
);

interface MilestoneGiven {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly phases: readonly number[];
}

/** Files below `.workflow`, as the stages of the lifecycle leave them: all stages of these phases are done. */
export function workflowState(
  milestones: readonly MilestoneGiven[],
  done: readonly (readonly [phase: number, stages: readonly string[]])[] = [],
): string {
  const current = milestones.find((one) => one.status === 'active');
  const artifacts = done.flatMap(([phase, types]) =>
    types.map((type) => ({
      id: `${type.slice(0, 3).toUpperCase()}-00${phase}`,
      type,
      milestone: milestones.find((one) => one.phases.includes(phase))?.name,
      phase,
      scope: 'phase',
      path: `20261101-work-P${phase}-part`,
      status: 'completed',
    })),
  );
  return JSON.stringify({ version: '1.0', current_milestone: current?.name ?? null, milestones, artifacts });
}

export const stages = ['analyze', 'plan', 'execute', 'verify'] as const;

/** The folder of a phase, with its result files. */
export function phaseFiles(phase: number, files: Readonly<Record<string, unknown>>): Record<string, string> {
  const folder = `.workflow/scratch/20261101-work-P${phase}-part`;
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.fromEntries(Object.entries(files).map(([name, value]) => [`${folder}/${name}`, text(value)]));
}

export const uat = (passed: boolean) =>
  `---\nstatus: complete\npassed: ${passed}\n---\n\n## Results\n\n| test | result |\n| --- | --- |\n| order | ${passed ? 'pass' : 'fail'} |\n`;

const evidence = {
  verify: { 'verification.json': { passed: true, gaps: [] } },
  'business-test': { 'business-test-results.json': { passed: true, failures: [] } },
  review: { 'review.json': { verdict: 'PASS', issues: [] } },
  test: { 'uat.md': uat(true) },
} as const;

/** Two milestones, the first with the phases 1 and 2, the second with 3; everything passes. */
export function lifecycle(): AgentPlan {
  const open = (m1: string, m2: string): readonly MilestoneGiven[] => [
    { id: 'M1', name: 'Cart', status: m1, phases: [1, 2] },
    { id: 'M2', name: 'Orders', status: m2, phases: [3] },
  ];
  const plan: Record<string, Move> = {
    init: said({}, { files: { '.workflow/project.md': 'A shop.\n', '.workflow/state.json': workflowState([]) } }),
    roadmap: said(
      { SPEC_SESSION_ID: 's1' },
      {
        files: {
          '.workflow/roadmap.md': '# Roadmap\n',
          '.workflow/state.json': workflowState(open('active', 'pending')),
        },
      },
    ),
    'milestone-audit': said({}),
    'milestone-complete': said({}, { files: { '.workflow/state.json': workflowState(open('completed', 'active')) } }),
  };
  for (const phase of [1, 2, 3]) {
    const milestones = phase === 3 ? open('completed', 'active') : open('active', 'pending');
    const before = [1, 2, 3].filter((one) => one < phase).map((one) => [one, stages] as const);
    stages.forEach((stage, at) => {
      const state = workflowState(milestones, [...before, [phase, stages.slice(0, at + 1)]]);
      const files = {
        '.workflow/state.json': state,
        ...(stage === 'verify' ? phaseFiles(phase, evidence.verify) : {}),
      };
      plan[`P${phase} ${stage}`] = said({}, { files });
    });
    for (const stage of ['business-test', 'review', 'test'] as const) {
      plan[`P${phase} ${stage}`] = said({}, { files: phaseFiles(phase, evidence[stage]) });
    }
    plan[`P${phase} test-gen`] = said({});
  }
  return plan;
}
