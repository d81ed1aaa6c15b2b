import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptJob } from '../../src/dispatch/attempts/job-builder.js';
import type { Workflow } from '../../src/engine/index.js';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import { def, failing, item, loop, Player, workflow } from '../engine/builders.js';
import { fragment, gate, insert } from '../engine/chains.js';
import { configOf, givenWorld, type World } from './given.js';

const executors = 'executors: { agent: { kind: command, run: [agent] }, other: { kind: command, run: [other] } }';
const project = (more = '') => `${executors}\nprojects: { shop: { root: "%ROOT%", executor: agent${more} } }\n`;

function jobOf(
  chain: Workflow,
  options: {
    readonly config?: string;
    readonly world?: World;
    readonly player?: (made: Player) => Player;
    readonly key?: string;
  } = {},
) {
  const world = options.world ?? givenWorld('', options.config ?? project());
  const made = Player.start(chain, { items: [item('US-1')] });
  const player = options.player ? options.player(made) : made;
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  const parts = {
    config: configOf(world),
    secret: world.home.secret,
    url: 'http://127.0.0.1:7420',
    worktrees: '/worktrees',
  };
  return { world, live, job: attemptJob(player.stateOf(live.chain), live.node, live.attempt, parts) };
}

describe('the job of an attempt', () => {
  it('names the evidence files that the gates of its workflow judge', () => {
    const judged = gate('judge', { onEscalate: null, maxRetries: null, onFail: insert('fix') });
    const flow = workflow([def('audit'), judged], { fragments: fragment('fix', ['audit', 'judge']) });
    expect(jobOf(flow).job.payload.evidence).toEqual({ files: ['result.json'], survey: null });
    expect(jobOf(workflow([def('audit')])).job.payload).not.toHaveProperty('evidence');
  });

  it('carries everything that a worker needs, with the token of its attempt', () => {
    const { job, live, world } = jobOf(
      workflow([loop('stories', [def('impl', { timeoutMs: 1_234, outputs: ['SUMMARY'] })])]),
    );
    const sharedDir = join(world.root, '.ai', 'runs', 'r12');
    expect(job).toMatchObject({ id: live.attempt, project: 'shop', run: 'r12', checkout: world.root, group: null });
    expect(job.payload).toMatchObject({
      attempt: live.attempt,
      token: attemptToken(world.home.secret, live.attempt),
      project: 'shop',
      run: 'r12',
      item: 'US-1',
      step: 'impl',
      attemptNumber: 1,
      kind: 'agent',
      executor: { kind: 'command', run: ['agent'] },
      prompt: expect.stringContaining('US-1'),
      root: world.root,
      workdir: world.root,
      sharedDir,
      url: 'http://127.0.0.1:7420',
      timeoutMs: 1_234,
      outputs: ['SUMMARY', 'REASON'],
    });
    expect(job.payload.logPath).toBe(join(sharedDir, 'logs', 'US-1', `${job.payload.label}.jsonl`));
  });

  it('has a log file and an id of its own on a retry', () => {
    const chain = workflow([def('impl')]);
    const first = jobOf(chain);
    const second = jobOf(chain, { world: first.world, player: (made) => made.settle(failing) });
    expect(second.job.payload.attemptNumber).toBe(2);
    expect(second.job.payload.logPath).toMatch(/logs\/_\/.+\.d2\.jsonl$/);
    expect(second.job.payload.logPath.replace(/^.*\/logs/, '')).not.toBe(
      first.job.payload.logPath.replace(/^.*\/logs/, ''),
    );
    expect(second.job.id).not.toBe(first.job.id);
    expect(second.job.payload.token).toBe(attemptToken(first.world.home.secret, second.job.id));
    expect(second.job.payload.token).not.toBe(first.job.payload.token);
  });

  it('prefers the executor of the step’s role to the project’s, and has none if the configured one is missing', () => {
    const executorOf = (role: string | null, config?: string) => {
      const roles = {
        coder: { executor: 'other', prompt: null },
        talker: { executor: 'gone', prompt: null },
      } as unknown as Workflow['roles'];
      const { executor } = jobOf(workflow([def('impl', { role })], { roles }), config === undefined ? {} : { config })
        .job.payload;
      return executor && 'run' in executor ? executor.run : executor;
    };
    expect(executorOf(null)).toEqual(['agent']);
    expect(executorOf('coder')).toEqual(['other']);
    expect(executorOf('talker')).toBeNull();
    expect(executorOf(null, 'projects: { shop: { root: "%ROOT%" } }')).toBeNull();
    expect(
      executorOf(null, 'executors: { solo: { kind: command, run: [solo] } }\nprojects: { shop: { root: "%ROOT%" } }'),
    ).toEqual(['solo']);
  });

  it('has no prompt and no executor for a check, with the project’s commands filled in', () => {
    const chain = workflow([
      def('check', {
        kind: 'check',
        tests: 'project',
        check: '{{project.lint}} && {{project.check}} && test -f {{item.key}}.md',
      }),
    ]);
    const { payload } = jobOf(chain, {
      config: project(', lint: "npm run lint", check: "tsc", tests: { run: "npm test", format: vitest }'),
    }).job;
    expect(payload).toMatchObject({
      kind: 'check',
      executor: null,
      prompt: '',
      tests: { run: 'npm test', format: 'vitest' },
    });
    expect(payload.check).toMatch(/^npm run lint && tsc && test -f /);
  });

  it('has no check command if the project sets none', () => {
    const { payload } = jobOf(
      workflow([def('check', { kind: 'check', tests: 'project', check: '{{project.check}}' })]),
    ).job;
    expect([payload.check, payload.tests]).toEqual([null, null]);
  });

  it('accepts every output key if the step names none', () => {
    expect(jobOf(workflow([def('impl', { outputs: null })])).job.payload.outputs).toBeNull();
  });

  it('names the owner’s tests, check and lint commands, whether or not its step runs them', () => {
    const lines = (more: string) => jobOf(workflow([def('impl')]), { config: project(more) }).job.payload;
    const all = lines(', lint: " npm run lint ", check: "npm test", tests: { run: "npm test", format: vitest }');
    expect([all.tests, all.check, all.ownerLines]).toEqual([null, null, ['npm test', 'npm run lint']]);
    expect(lines('').ownerLines).toEqual([]);
  });

  it('names its executor without the values of the executor’s environment', () => {
    const agent =
      '{ kind: claude, model: big, env: { A_KEY: one-value }, roles: { dev: { model: small, env: { B: two-value } } } }';
    const config = `executors: { agent: ${agent} }\nprojects: { shop: { root: "%ROOT%" } }`;
    const { job } = jobOf(workflow([def('impl')]), { config });
    expect(job.payload).toMatchObject({
      executorName: 'agent',
      executor: { kind: 'claude', model: 'big', env: {}, roles: { dev: { model: 'small' } } },
    });
    expect(JSON.stringify(job)).not.toMatch(/one-value|two-value/);
  });

  it('has no folder for a project that is no longer configured, so that it cannot run in another folder', () => {
    const world = givenWorld('', executors);
    expect(jobOf(workflow([def('impl')]), { world }).job.payload).toMatchObject({ root: '', workdir: '' });
  });

  it('has the needs of its executor', () => {
    const chain = workflow([def('impl')]);
    expect(jobOf(chain).job.payload).not.toHaveProperty('needs');
    const needing = project().replace('run: [agent] }', 'run: [agent], needs: [gpu] }');
    expect(jobOf(chain, { config: needing }).job.payload.needs).toEqual(['gpu']);
  });
});
