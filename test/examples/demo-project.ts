// Plays the demo's scripted agent as Bosun would: a real child in a real repository, one step after the other.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { cleanUpAfterEachFile } from '../clean-up.js';

export const demoFolder = join(import.meta.dirname, '../../examples/demo');
export const demoRemark = '30 seconds, others OK';
const { PATH } = process.env;
const homes: string[] = [];
const snapshots: string[] = [];

cleanUpAfterEachFile(() => {
  snapshots.length = 0;
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});

const frontShape = z.object({
  story: z.string().optional(),
  step: z.string(),
  attempt: z.number(),
  status: z.enum(['pass', 'failing', 'needs_human']),
  reason: z.string().nullable(),
  files_changed: z.array(z.string()),
  tests_pass: z.number().optional(),
  tests_fail: z.number().optional(),
  tests_skip: z.number().optional(),
  review_digest: z.array(z.string()),
  questions: z.array(z.string()),
});

interface Call {
  readonly item?: string;
  readonly attempt?: number;
  readonly said?: string;
  /** The person's section has no `===` after it, only a blank line. */
  readonly isOpen?: boolean;
}

function copyOf(folder: string): string {
  const home = mkdtempSync(join(tmpdir(), 'demo-agent-'));
  homes.push(home);
  const repo = join(home, 'shop');
  cpSync(folder, repo, { recursive: true });
  return repo;
}

export function makeRepo(): string {
  const repo = copyOf(demoFolder);
  git(repo, 'init', '-q');
  git(repo, 'add', '-A');
  git(repo, 'commit', '-q', '-m', 'start');
  return repo;
}

export function git(repo: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: repo, encoding: 'utf8' });
}

function promptFor(step: string, { said, isOpen = false }: Call): string {
  const words = said === undefined ? '' : `=== Human Instruction ===\n${said}\n\n${isOpen ? '' : '===\n\n'}`;
  return `You are executing step ${step}.\n\n${words}Write what the step asks for.\n\nReport when done.\n`;
}

export function childOptions(repo: string, step: string, call: Call) {
  return {
    cwd: repo,
    encoding: 'utf8',
    input: promptFor(step, call),
    env: {
      PATH,
      GIT_CONFIG_GLOBAL: '/dev/null',
      DEMO_DELAY_MS: '0',
      BOSUN_STEP: step,
      BOSUN_ITEM: call.item ?? 'US-001',
      BOSUN_RUN: 'r1',
      BOSUN_ATTEMPT: String(call.attempt ?? 1),
      BOSUN_WORKDIR: repo,
      BOSUN_SHARED_DIR: join(repo, '.ai/runs/r1'),
      BOSUN_RESULT_FILE: join(repo, '.ai/executor-result'),
      BOSUN_HANDOFF_FILE: join(repo, '.ai/HANDOFF.md'),
    },
  } as const;
}

export function play(repo: string, step: string, call: Call = {}) {
  const ran = spawnSync(process.execPath, ['agent.mjs'], childOptions(repo, step, call));
  expect(ran.stderr).toBe('');
  expect(ran.status).toBe(0);
  const [, yaml = '', body = ''] = read(repo, '.ai/HANDOFF.md').split(/^---$/m);
  return { out: ran.stdout, front: frontShape.parse(parse(yaml)), body, result: read(repo, '.ai/executor-result') };
}

export function read(repo: string, path: string): string {
  return readFileSync(join(repo, path), 'utf8');
}

export function testsAreGreen(repo: string): boolean {
  return spawnSync(process.execPath, ['--test'], { cwd: repo, env: { PATH } }).status === 0;
}

/** Every file outside .git with its text. */
export function treeOf(repo: string, under = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(join(repo, under)).filter((entry) => entry !== '.git')) {
    const path = join(under, name);
    if (statSync(join(repo, path)).isDirectory()) Object.assign(tree, treeOf(repo, path));
    else tree[path] = read(repo, path);
  }
  return tree;
}

export const firstStory: readonly (readonly [step: string, call: Call, status: string])[] = [
  ['bdd', {}, 'pass'],
  ['sdd-delta', {}, 'pass'],
  ['contract', {}, 'pass'],
  ['scaffold', { said: demoRemark }, 'pass'],
  ['impl', { attempt: 1 }, 'failing'],
  ['impl', { attempt: 2 }, 'needs_human'],
  ['impl', { attempt: 2, said: 'Yes, newest first.' }, 'pass'],
  ['verify', {}, 'pass'],
  ['update-memory', {}, 'pass'],
];

export function playAll(repo: string, timesEach: number): void {
  for (const [step, call, status] of firstStory) {
    for (let time = 0; time < timesEach; time++) expect(play(repo, step, call).front.status).toBe(status);
  }
}

/** A repository in which the first steps of the story were played, copied from one that is played only once. */
export function repoAfter(steps: number): string {
  for (let done = snapshots.length; done <= steps; done++) {
    const before = snapshots[done - 1];
    const repo = before === undefined ? makeRepo() : copyOf(before);
    const played = firstStory[done - 1];
    if (played !== undefined) expect(play(repo, played[0], played[1]).front.status).toBe(played[2]);
    snapshots.push(repo);
  }
  return copyOf(snapshots[steps] ?? demoFolder);
}
