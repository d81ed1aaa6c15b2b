// Workflow files as their users have them, from their check and their picture to the end of a whole run, with the settings
// that the product gives a run where nobody says otherwise.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Envelope, type RunCreated, toMermaid, type Workflow } from '../../../src/engine/index.js';
import { printed, promptOf } from '../../conformance/given.js';
import { Player } from '../builders.js';
import { load, loaded, problemsOf, warningsOf } from './support.js';

const read = (name: string) => load(readFileSync(join(import.meta.dirname, 'originals', name), 'utf8'));

const stories = JSON.stringify([
  { id: 'US-001', title: 'One', description: 'd', acceptanceCriteria: ['a'] },
  { id: 'US-002', title: 'Two', description: 'd', acceptanceCriteria: ['b'] },
]);

/** What each step prints; where there are several, one for each try and the last for all that follow. */
const says: Readonly<Record<string, readonly string[]>> = {
  plan: [`STATUS: done\nREPO: /srv/shop\nBRANCH: cart\nPLAN_SUMMARY: all of it\nSTORIES_JSON: ${stories}`],
  triage: ['STATUS: done\nREPO: /srv/shop\nBRANCH: cart\nSEVERITY: high'],
  implement: ['STATUS: done\nREPO: /elsewhere\nCHANGES: the cart'],
  fix: ['STATUS: done\nCHANGES: the cart'],
  verify: ['STATUS: retry\nISSUES: no test', 'STATUS: done'],
  test: ['STATUS: retry\nFAILURES: the cart is empty', 'STATUS: done\nRESULTS: green'],
  pr: ['STATUS: done\nPR: https://forge.test/1'],
  review: ['STATUS: done\nDECISION: approved'],
  work: ['STATUS: done\nIMPLEMENTATION_SUMMARY: the cart'],
  compound: ['STATUS: done\nLEARNINGS: carts are hard'],
};
const changes: Readonly<Record<string, readonly string[]>> = { implement: ['src/cart.tsx'], fix: ['src/cart.ts'] };

interface Walked {
  readonly player: Player;
  readonly steps: readonly string[];
  readonly prompts: readonly string[];
}

/** A run as the desk makes it, walked until nothing is live. */
function walk(workflow: Workflow): Walked {
  const player = new Player(workflow);
  const made = { number: 12, home: 'h1', project: 'shop', workflow: workflow.name, snapshot: 's1' };
  const policy: Pick<RunCreated, 'level' | 'afterStory'> = {
    level: workflow.policy.level ?? 'auto',
    afterStory: workflow.policy.afterStory ?? 'propose',
  };
  const given = { task: 'Add a cart', items: [], context: {}, budgetUsd: null, propose: true } as const;
  player
    .do({ type: 'run_created', ...made, ...given, ...policy, deliver: 'commit' })
    .answer('start')
    .worked();
  const [steps, prompts]: [string[], string[]] = [[], []];
  while (player.run.live[0] && steps.length < 60) {
    const { step, chain } = player.run.live[0];
    prompts.push(promptOf(player));
    const tries = steps.filter((one) => one.startsWith(step)).length;
    steps.push(`${step}${chain && ` ${chain}`}`);
    const files: Partial<Envelope> = { filesChanged: changes[step] ?? [] };
    player.walk(printed(player, says[step]?.[tries] ?? says[step]?.at(-1) ?? '', files));
  }
  return { player, steps, prompts };
}

const story = (key: string) => [`implement ${key}`, `verify ${key}`];

describe.each([
  [
    'antfarm.yml',
    [
      'plan',
      ...story('US-001'),
      ...story('US-001'),
      ...story('US-002'),
      'test',
      ...story('US-001'),
      ...story('US-002'),
      ...['test', 'pr', 'review'],
    ],
  ],
  ['antfarm-linear.yml', ['triage', 'fix', 'verify', 'fix', 'verify']],
  ['compound-loop.yml', ['plan', 'work', 'review', 'compound']],
])('%s', (name, wanted) => {
  const result = read(name);
  const { player, steps, prompts } = walk(loaded(result));

  it('loads without a problem, and every name in its prompts has a source', () => {
    expect(problemsOf(result)).toEqual([]);
    expect(warningsOf(result).filter((one) => one.includes('nothing fills'))).toEqual([]);
  });

  it('has every step in its graph', () => {
    const picture = toMermaid(loaded(result));
    for (const step of new Set(wanted.map((one) => one.split(' ')[0]))) expect(picture).toContain(String(step));
  });

  it('runs from start to end without asking a person', () => {
    expect(steps).toEqual(wanted);
    expect([player.run.status, player.asks]).toEqual(['completed', []]);
  });

  it('leaves no placeholder unfilled in a prompt', () => {
    expect(prompts.filter((one) => /\{\{|\[missing/.test(one))).toEqual([]);
  });
});

describe('the prompts of a whole antfarm run', () => {
  const { steps, prompts } = walk(loaded(read('antfarm.yml')));
  const of = (step: string, index = 0) => prompts.filter((_, at) => steps[at] === step)[index] ?? '';

  it('keep the repository and branch that the planner named first', () => {
    expect(of('implement US-002')).toContain('in /srv/shop on cart');
  });

  it("contain the path of Bosun's progress log", () => {
    expect(of('implement US-001')).toContain('know to /shop/.ai/runs/r12/progress.txt');
  });

  it('tell the verifier whether a page was changed', () => {
    expect([of('verify US-001'), of('review')]).toEqual([
      expect.stringContaining('Look at the page: true'),
      expect.stringContaining('Look at the page: true'),
    ]);
    const linear = walk(loaded(read('antfarm-linear.yml')));
    expect(linear.prompts[2]).toContain('Look at the page: false');
  });

  it("contain the verifier's issues once, and not after it has passed", () => {
    expect(of('implement US-001', 1)).toContain('Found wrong before: no test');
    expect(of('implement US-001', 2)).toContain('Found wrong before: \n');
    expect(of('implement US-001', 2)).toContain('the cart is empty');
  });

  it("contain the verifier's issues where the workflow has no stories", () => {
    const linear = walk(loaded(read('antfarm-linear.yml')));
    expect(linear.steps[3]).toBe('fix');
    expect([linear.prompts[1], linear.prompts[3]]).toEqual([
      expect.stringContaining('Found wrong before: \n'),
      expect.stringContaining('Found wrong before: no test\n'),
    ]);
  });
});
