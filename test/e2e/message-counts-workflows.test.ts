// What the longer workflows cost in messages and notifications, on the real clients of both platforms.
import { expect, it } from 'vitest';
import { type Counted, onSlack, onTelegram } from './conversations/cost.js';
import { cardWith } from './conversations/play.js';
import { phaseFiles, stages, story, uat, workflowState } from './plans.js';

const limitMs = 200_000;

function printed(step: string, keys: Readonly<Record<string, string>> = {}, more: object = {}) {
  const output = ['STATUS: done', ...Object.entries(keys).map(([key, value]) => `${key}: ${value}`)].join('\n');
  return { step, output: `${output}\n`, ...more };
}

const stories = JSON.stringify(['US-001', 'US-002'].map((id) => story(id)));
const featureDev = [
  printed('plan', { REPO: '.', BRANCH: 'orders', STORIES_JSON: stories }),
  printed('implement', { CHANGES: 'orders', TESTS: 'none' }, { delay_ms: 2_000, append: { 'orders.txt': 'a line\n' } }),
  printed('verify', { VERIFIED: 'all' }),
  printed('test', { RESULTS: '1 passed' }),
  printed('pr', { PR: 'Orders' }),
  printed('review', { DECISION: 'approved', FEEDBACK: 'none' }),
];

const compound = [
  printed('brainstorm', { BRAINSTORM_OUTPUT: 'an idea' }, { write: { 'docs/brainstorms/one.md': 'An idea.\n' } }),
  printed(
    'plan',
    { PLAN_FILE: 'docs/plans/one.md', PLAN_SUMMARY: 'a plan' },
    { write: { 'docs/plans/one.md': 'A.\n' } },
  ),
  printed(
    'work',
    { IMPLEMENTATION_SUMMARY: 'built', FILES_CHANGED: 'a.txt' },
    { delay_ms: 2_000, append: { 'a.txt': 'a\n' } },
  ),
  printed('review', { DECISION: 'approved', REVIEW_ISSUES: 'none', REVIEW_NOTES: 'fine' }),
  printed(
    'compound',
    { LEARNINGS: 'learnt', FILE_CREATED: 'docs/solutions/one.md' },
    { write: { 'docs/solutions/one.md': 'A.\n' } },
  ),
];

const ralphSteps = [
  ...['context_gathering', 'planning', 'architecture', 'test_architecture', 'linting', 'initial_testing', 'review'],
  ...['prune_tests', 'final_review'],
];
const ralph = [
  ...ralphSteps.map((step) => printed(step)),
  printed('coding', {}, { delay_ms: 2_000, append: { 'a.txt': 'a line\n' } }),
];

const milestone = (status: string) => [{ id: 'M1', name: 'Cart', status, phases: [1] }];
const state = (status: string, done: number) => ({
  '.workflow/state.json': workflowState(milestone(status), done > 0 ? [[1, stages.slice(0, done)]] : []),
});
const lifecycle = [
  printed('brainstorm', { BRAINSTORM_DIR: 'docs' }),
  printed('init', {}, { write: { '.workflow/project.md': 'A shop.\n', '.workflow/state.json': workflowState([]) } }),
  printed(
    'roadmap',
    { SPEC_SESSION_ID: 's1' },
    { write: { '.workflow/roadmap.md': '# Roadmap\n', ...state('active', 0) } },
  ),
  ...stages.map((stage, at) => {
    const found = stage === 'verify' ? phaseFiles(1, { 'verification.json': { passed: true, gaps: [] } }) : {};
    return printed(stage, {}, { write: { ...state('active', at + 1), ...found } });
  }),
  printed(
    'business-test',
    {},
    { write: phaseFiles(1, { 'business-test-results.json': { passed: true, failures: [] } }) },
  ),
  printed('review', {}, { write: phaseFiles(1, { 'review.json': { verdict: 'PASS', issues: [] } }) }),
  printed('test-gen'),
  printed('test', {}, { write: phaseFiles(1, { 'uat.md': uat(true) }) }),
  printed('milestone-audit'),
  printed('milestone-complete', {}, { write: state('completed', stages.length) }),
];
const gates = ['post-verify', 'post-business-test', 'post-review', 'post-test', 'post-milestone'];

async function start({ place }: Counted, said: string): Promise<void> {
  await place.says('ada', said);
  await place.presses('ada', await cardWith(place, /^Start\? ·/, 'Start'), 'Start');
}

async function withoutPerson(counted: Counted, workflow: string, task: string): Promise<void> {
  await start(counted, `start shop with ${workflow}: ${task}`);
  await cardWith(counted.place, /^✅ Done · /, null);
}

async function throughGates(counted: Counted): Promise<void> {
  const { place } = counted;
  await start(counted, 'start shop with lifecycle: Build a shop');
  for (const gate of gates) {
    await place.presses('ada', await cardWith(place, new RegExp(`^Decision.*${gate}`, 's'), 'Continue'), 'Continue');
  }
  await cardWith(place, /^✅ Done · /, null);
}

interface Row {
  readonly what: string;
  readonly answers: readonly unknown[];
  readonly walk: (counted: Counted) => Promise<void>;
  readonly telegram: { readonly messages: number; readonly rings: number };
  readonly slack: { readonly messages: number; readonly ada: number; readonly bob: number };
}

const rows: readonly Row[] = [
  {
    what: 'feature-dev with two stories',
    answers: featureDev,
    walk: (counted) => withoutPerson(counted, 'feature-dev', 'Order history'),
    telegram: { messages: 4, rings: 0 },
    slack: { messages: 4, ada: 0, bob: 0 },
  },
  {
    what: 'compound-engineering',
    answers: compound,
    walk: (counted) => withoutPerson(counted, 'compound-engineering', 'Order history'),
    telegram: { messages: 2, rings: 0 },
    slack: { messages: 2, ada: 0, bob: 0 },
  },
  {
    what: 'dynamic-ralph',
    answers: ralph,
    walk: (counted) => withoutPerson(counted, 'dynamic-ralph', 'US-001 Order history'),
    telegram: { messages: 3, rings: 0 },
    slack: { messages: 3, ada: 0, bob: 0 },
  },
  {
    what: 'lifecycle with five gates',
    answers: lifecycle,
    walk: throughGates,
    telegram: { messages: 8, rings: 5 },
    slack: { messages: 8, ada: 5, bob: 0 },
  },
];

it.concurrent.each(rows)(
  '$what costs one person on Telegram $telegram',
  async ({ answers, walk, telegram }) => {
    const counted = await onTelegram({ answers });
    await walk(counted);
    const { counts, shown } = await counted.cost();
    expect(counts, shown).toEqual(telegram);
  },
  limitMs,
);

it.concurrent.each(rows)(
  '$what costs two people on Slack $slack',
  async ({ answers, walk, slack }) => {
    const counted = await onSlack({ answers });
    await walk(counted);
    const { counts, shown } = await counted.cost();
    expect(counts, shown).toEqual(slack);
  },
  limitMs,
);
