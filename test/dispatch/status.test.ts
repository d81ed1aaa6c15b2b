import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codingAgents } from '../../src/agents/index.js';
import { loadConfig, type ProjectConfig } from '../../src/config/index.js';
import type { Activity } from '../../src/dispatch/plans/activity.js';
import { projectStatus, shownRun } from '../../src/dispatch/status/project-status.js';
import { def, failing, item, loop, question, questionAsk, workflow } from '../engine/builders.js';
import {
  type Bench,
  begun,
  creation,
  givenBench,
  liveOf,
  settle,
  starting,
  startOf,
  tempFolder,
  worked,
} from './given.js';

function shopOf(): ProjectConfig {
  const configPath = join(tempFolder(), 'config.yaml');
  writeFileSync(configPath, 'projects: { shop: { root: /srv/shop, aliases: [A], level: semi } }\n');
  const [shop] = loadConfig(
    { configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() },
    {},
  ).projects;
  if (!shop) throw new Error('no shop');
  return shop;
}

const at = 10_000_000;
const stories = workflow([
  def('plan', { kind: 'check' }),
  loop('stories', [def('implement'), def('verify')]),
  def('report'),
]);
const statusOf = (bench: Bench, now = at) => projectStatus(bench.store, shopOf(), now);

describe('the status of a project', () => {
  it('is idle and empty before its first run', () => {
    expect(statusOf(givenBench())).toEqual({
      project: 'shop',
      aliases: ['A'],
      level: 'semi',
      health: 'idle',
      run: null,
      items: [],
      nodes: [],
      interactions: [],
      drafts: [],
      opened: null,
    });
  });

  it('shows the live run, with the run’s level instead of the project’s', async () => {
    const bench = givenBench();
    await begun(bench, 1);
    await bench.dispatcher.submit(() => creation(2, { task: 'Later' }));
    const status = statusOf(bench);
    expect(status).toMatchObject({
      level: 'auto',
      health: 'waiting',
      run: {
        id: 'r1',
        status: 'running',
        workflow: 'test',
        pause_reason: null,
        task: 'Task 1',
        cost_usd: 0,
        ended_at: null,
      },
    });
    expect(status.run?.started_at).toMatch(/^1970-01-01T00:00:/);
    expect(status.drafts).toEqual([{ id: 'r2', task: 'Later', approved: false }]);
  });

  it('shows a draft whose proposal is open, with the proposal', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => creation(1, { propose: true }));
    const [proposal] = statusOf(bench).interactions;
    expect(statusOf(bench)).toMatchObject({ health: 'waiting', run: { id: 'r1', status: 'draft', started_at: null } });
    expect(proposal).toMatchObject({
      kind: 'confirm',
      state: 'open',
      item: null,
      node: null,
      text: expect.stringContaining('Task 1'),
    });
    expect(proposal?.options).toEqual([
      { label: 'Start', press: `${proposal?.id}.start` },
      { label: 'Cancel', press: `${proposal?.id}.cancel` },
    ]);
  });

  it('shows the last run if none is live, with its items and nodes', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1);
    await settle(bench, run);
    await worked(bench, run);
    expect(statusOf(bench)).toMatchObject({
      level: 'semi',
      health: 'idle',
      run: { id: 'r1', status: 'completed', ended_at: expect.any(String) },
      nodes: [{ state: 'passed', outcome: 'pass' }],
    });
  });

  it('shows a failed run rather than an older draft, because the failure needs a person', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => creation(1));
    const run = await begun(bench, 2, {
      workflow: workflow([def('implement', { maxAttempts: 1, onExhausted: 'fail' })]),
    });
    await settle(bench, run, failing);
    expect(statusOf(bench)).toMatchObject({
      health: 'waiting',
      run: { id: 'r2', status: 'failed' },
      drafts: [{ id: 'r1' }],
    });
  });

  it('shows one project only', async () => {
    const bench = givenBench();
    await begun(bench, 1, { project: 'blog' });
    expect(shownRun(bench.store, 'shop')).toBeNull();
    expect(statusOf(bench)).toMatchObject({ health: 'idle', run: null, interactions: [] });
  });
});

describe('the health of a project', () => {
  const startedAt = 1_000_000;

  async function running(): Promise<Bench> {
    const bench = givenBench();
    const run = await begun(bench, 1);
    await bench.dispatcher.submitEvent(startOf(bench, run, startedAt));
    return bench;
  }

  it('is waiting until its attempt begins, and the node says for what', async () => {
    const bench = givenBench();
    await begun(bench, 1);
    const waitsFor = () => 'a worker: no worker is active';
    const status = () => projectStatus(bench.store, shopOf(), at, { lastSign: () => null, waitsFor });
    expect(status()).toMatchObject({ health: 'waiting', nodes: [{ waits_for: 'a worker: no worker is active' }] });
    await bench.dispatcher.submitEvent(startOf(bench, 'r1', at));
    expect(status()).toMatchObject({ health: 'running', nodes: [{ waits_for: null }] });
  });

  it('is running while an attempt is young, and quiet after a long time', async () => {
    const bench = await running();
    expect(statusOf(bench, startedAt + 60_000).health).toBe('running');
    expect(statusOf(bench, startedAt + 3_600_000).health).toBe('quiet');
  });

  const minute = 60_000;
  const sign = { at: 1, line: '', action: '', text: '', tokensIn: 0, tokensOut: 0, costUsd: null, silentMs: 0 };

  const healthWith = (bench: Bench, lastSign: (attempt: string) => Activity | null, now = at) =>
    projectStatus(bench.store, shopOf(), now, { lastSign, waitsFor: () => null }).health;

  it.each([
    [59_000, 'running'],
    [minute, 'quiet'],
    [10 * minute - 1, 'quiet'],
    [10 * minute, 'stalled'],
  ])('is, %i ms after the attempt’s last activity, %s, however long the attempt runs', async (silentMs, health) => {
    const bench = await running();
    const now = startedAt + 24 * 60 * minute;
    expect(healthWith(bench, () => ({ ...sign, silentMs }), now)).toBe(health);
  });

  it('follows the other attempt while one waits for a person', async () => {
    const flow = workflow([def('a', { needs: [] }), def('b', { needs: [] })]);
    const bench = givenBench();
    await begun(bench, 1, { workflow: flow });
    const told = { run: 'r1', chain: '', at: startedAt };
    const [first = '', second = ''] = bench.store.run('r1')?.live.map(({ attempt }) => attempt) ?? [];
    await bench.dispatcher.submitEvent({ ...told, type: 'attempt_started', attempt: first, worker: 'w1' });
    await bench.dispatcher.submitEvent({ ...told, type: 'agent_asked', attempt: first, key: 'k', ask: questionAsk });
    const healthAt = (silentMs: number) =>
      healthWith(bench, (attempt) => (attempt === second ? { ...sign, silentMs } : sign));
    expect(healthAt(0)).toBe('waiting');
    await bench.dispatcher.submitEvent({ ...told, type: 'attempt_started', attempt: second, worker: 'w2' });
    expect([0, 2 * minute, 20 * minute].map(healthAt)).toEqual(['running', 'quiet', 'stalled']);
  });

  it('is waiting while the only attempt waits for a person', async () => {
    const bench = await running();
    const told = { run: 'r1', chain: '', at: startedAt, attempt: liveOf(bench, 'r1').attempt };
    await bench.dispatcher.submitEvent({ ...told, type: 'agent_asked', key: 'k', ask: questionAsk });
    const silent = () => ({ ...sign, silentMs: 60 * minute });
    expect(healthWith(bench, silent)).toBe('waiting');
  });

  it('is running during checkout work', async () => {
    const bench = givenBench();
    await bench.dispatcher.submit(() => ({ ...creation(1), events: [...creation(1).events, starting('r1')] }));
    expect(statusOf(bench).health).toBe('running');
  });

  it('is waiting when a person is asked or has paused the run', async () => {
    const asked = givenBench();
    await settle(asked, await begun(asked, 1), question);
    expect(statusOf(asked)).toMatchObject({ health: 'waiting', run: { status: 'paused', pause_reason: 'decision' } });
    expect(statusOf(asked).nodes[0]).toMatchObject({ state: 'needs_human', outcome: 'needs_human' });
    const held = givenBench();
    const run = await begun(held, 1);
    await held.dispatcher.submitEvent({ type: 'pause', run, chain: '', at: 3, by: 'ada' });
    await settle(held, run, failing);
    expect(statusOf(held)).toMatchObject({ health: 'waiting', run: { pause_reason: 'user' } });
  });
});

describe('the nodes of a status', () => {
  it('come in chain order, grouped by item, at the position of their loop', async () => {
    const bench = givenBench();
    const items = [item('US-1'), item('US-2', ['US-1'])];
    const run = await begun(bench, 1, { workflow: stories, items, afterStory: 'start' });
    for (let turn = 0; turn < 5; turn++) {
      if (bench.store.run(run)?.ops.length) await worked(bench, run);
      else await settle(bench, run);
    }
    const status = statusOf(bench);
    expect(status.nodes.map(({ item: key, template }) => [key, template])).toEqual([
      [null, 'plan'],
      [null, 'stories'],
      ['US-1', 'implement'],
      ['US-1', 'verify'],
      ['US-2', 'implement'],
      ['US-2', 'verify'],
      [null, 'report'],
    ]);
    expect(status.items).toEqual([
      { key: 'US-1', title: 'Title of US-1', status: 'done', depends_on: [], retry_count: 0 },
      { key: 'US-2', title: 'Title of US-2', status: 'running', depends_on: ['US-1'], retry_count: 0 },
    ]);
    expect(new Set(status.nodes.map(({ id }) => id)).size).toBe(7);
  });

  it('show attempt number, limit and the last result', async () => {
    const bench = givenBench();
    const run = await begun(bench, 1, { workflow: workflow([def('implement', { maxAttempts: 4, title: 'Build' })]) });
    const tests = { pass: 42, fail: 2, skip: 1, failing: ['a', 'b'] };
    const check = { name: 'tests', command: 'npm test', ok: false, exit: 1, timedOut: false, tests, tail: '' } as const;
    await settle(bench, run, {
      ...failing,
      checks: [check],
      result: { status: 'failing', reason: 'nfr_missing', summary: 'two are red' },
    });
    expect(statusOf(bench).nodes).toEqual([
      {
        executor: null,
        id: expect.any(String),
        label: expect.any(String),
        template: 'implement',
        title: 'Build',
        item: null,
        kind: 'task',
        state: 'queued',
        generation: 1,
        attempt: 2,
        max_attempts: 4,
        outcome: 'failing',
        reason: 'nfr_missing',
        skip_reason: null,
        tests: { pass: 42, fail: 2, skip: 1 },
        summary: 'tests: 2 failing (a, b)\nThe agent says: two are red',
        not_before: null,
        activity: null,
        waits_for: null,
      },
    ]);
  });
});
