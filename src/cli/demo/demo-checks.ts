import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectStatus } from '../../dispatch/index.js';
import type { App } from '../app.js';
import { demoRoot } from './demo-project.js';

/** In this order; others may come between. */
const expectedPosts: readonly string[] = [
  'demo: starting "US-001 Order history"',
  'executing US-001 bdd (attempt 1)',
  'US-001 bdd complete, entering sdd-delta',
  'Review · Order history',
  'Approved · Order history',
  'US-001 scaffold complete, 4/10, 6 failing, entering impl',
  'US-001 impl failing (attempt 1), 9/10, 1 failing, trying again',
  'executing US-001 impl (attempt 2)',
  'Question · ',
  'Answered · ',
  'US-001 impl complete, 11/11, entering verify',
  'US-001 verify complete, 11/11, entering update-memory',
  'US-001 done · Order history',
  'Next: US-002 Discount codes',
  'demo: waiting for you',
  'Done: US-001.\nNext: US-002 Discount codes.',
];

export function reportOf(app: App, step: string): string | null {
  return statusOf(app).nodes.find((node) => node.template === step && node.item === 'US-001')?.summary ?? null;
}

export function missingPosts(posted: readonly string[]): readonly string[] {
  let from = 0;
  for (const expected of expectedPosts) {
    const at = posted.findIndex((text, index) => index >= from && text.includes(expected));
    if (at < 0) return [`Bosun did not say "${expected}" at the expected point`];
    from = at;
  }
  return [];
}

export interface Checked {
  readonly problems: readonly string[];
  readonly facts: readonly string[];
}

export async function checkDemo(app: App, timeoutMs: number): Promise<Checked> {
  const root = demoRoot(app.home);
  const { items, nodes, interactions } = statusOf(app);
  const stateOf = (key: string) => items.find((item) => item.key === key)?.status ?? 'missing';
  const commits = (await run(root, timeoutMs, 'git', 'log', '--format=%s')).out.trim().split('\n').slice(0, -1);
  const settings = readText(join(root, 'src', 'order-settings.js'));
  const tests = await run(root, timeoutMs, process.execPath, '--test', '--test-reporter=tap');
  const passed = Number(/^# pass (\d+)$/m.exec(tests.out)?.[1] ?? 0);
  const hasBegunNext = nodes.some((node) => node.item === 'US-002' && node.attempt > 0);
  const claims: readonly (readonly [isTrue: boolean, fact: string, problem: string])[] = [
    [stateOf('US-001') === 'done', 'US-001 is done', `US-001 is ${stateOf('US-001')}, not done`],
    [
      stateOf('US-002') === 'ready' && !hasBegunNext && interactions.some((one) => one.kind === 'confirm'),
      'US-002 was proposed and has not started',
      `US-002 is ${stateOf('US-002')}${hasBegunNext ? ' and has started' : ''}`,
    ],
    [
      settings.includes('= 30;'),
      'the 30 seconds from the reply are in the code',
      'the 30 seconds did not reach the code',
    ],
    [commits.length > 0, `git has ${commits.length} new commits: ${commits.join(' · ')}`, 'nothing was committed'],
    [
      tests.code === 0 && passed === 11,
      `all ${passed} tests pass in a fresh run`,
      `its tests: ${passed} pass, exit ${tests.code}`,
    ],
  ];
  return {
    facts: claims.filter(([isTrue]) => isTrue).map(([, fact]) => fact),
    problems: claims.filter(([isTrue]) => !isTrue).map(([, , problem]) => problem),
  };
}

function statusOf(app: App) {
  const project = app.config().projects.find((one) => one.name === 'demo');
  if (!project) throw new Error('the demo project is not in config.yaml');
  return projectStatus(app.runtime.store, project, Date.now());
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function run(
  cwd: string,
  timeoutMs: number,
  program: string,
  ...args: readonly string[]
): Promise<{ code: number; out: string }> {
  const { NODE_TEST_CONTEXT: _inner, ...env } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { cwd, env, timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 },
      (_error, out) => resolve({ code: child.exitCode ?? 1, out }),
    );
  });
}
