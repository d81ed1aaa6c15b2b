import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import { openHome } from '../open-home.js';
import { bosun, errorLine, newFolder, start } from './given.js';

const home = join(newFolder(), 'home');
const read = (...args: readonly string[]) => bosun(args, { home });
const json = async (...args: readonly string[]) => JSON.parse((await read(...args, '--json')).out);

const text = z.string();
const maybe = text.nullable();
const run = z.object({
  id: text.regex(/^r\d+$/),
  workflow: text,
  status: z.enum(['draft', 'running', 'paused', 'completed', 'failed', 'cancelled']),
  pause_reason: maybe,
  task: text,
  cost_usd: z.number(),
  started_at: maybe,
  ended_at: maybe,
});
const item = z.object({ key: text, title: text, status: text, depends_on: z.array(text) });
const node = z.object({
  id: text,
  label: text,
  template: text,
  item: maybe,
  kind: text,
  state: text,
  generation: z.number(),
  attempt: z.number(),
  max_attempts: z.number(),
  outcome: maybe,
  reason: maybe,
  skip_reason: maybe,
  tests: z.object({ pass: z.number(), fail: z.number(), skip: z.number() }).nullable(),
  summary: maybe,
});
const interaction = z.object({
  id: text,
  kind: z.enum(['review', 'question', 'escalation', 'confirm', 'choice', 'permission', 'budget']),
  item: maybe,
  node: maybe,
  text,
  options: z.array(z.object({ label: text, press: text })),
  state: text,
});
const status = z.object({
  project: text,
  aliases: z.array(text),
  level: z.enum(['manual', 'semi', 'auto']),
  health: z.enum(['running', 'quiet', 'waiting', 'stalled', 'idle']),
  run: run.nullable(),
  items: z.array(item),
  nodes: z.array(node),
  interactions: z.array(interaction),
});

describe('an empty home', () => {
  it.each([['status'], ['projects'], ['runs'], ['inbox'], ['cost']])(
    'prints an empty list for bosun %s',
    async (command) => {
      const empty = newFolder();
      const { code, out } = await bosun([command, '--json'], { home: empty });
      expect({ code, out }).toEqual({ code: 0, out: '[]\n' });
      expect((await bosun([command], { home: empty })).code).toBe(0);
    },
  );

  it('has no run to show, and reports not_found', async () => {
    const ended = await bosun(['show', 'r1'], { home: newFolder() });
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toBe('error: not_found: No run "r1". There is none yet.');
  });
});

describe('a run that waits for its review', () => {
  beforeAll(async () => {
    process.env['DEMO_DELAY_MS'] = '0';
    const request = await prepareDemo(openHome(home));
    if (request?.do !== 'import') throw new Error('the demo has stories to import');
    expect((await bosun(['import', 'demo', 'prd.json'], { home, cwd: request.cwd })).code).toBe(0);
    expect((await read('say', 'continue demo', '--wait')).code).toBe(0);
    // What an agent does to the copies changes nothing that is read.
    const copies = join(request.cwd, '.ai', 'runs', 'r1', 'logs', 'US-001');
    for (const name of readdirSync(copies)) writeFileSync(join(copies, name), '{"s":"out","line":"forged"}\n');
  });

  it('has the documented status', async () => {
    const found = status.parse(await json('status', 'a'));
    expect(found).toMatchObject({ project: 'demo', aliases: ['A'], health: 'waiting', run: { id: 'r1' } });
    expect(found.nodes.filter((one) => one.item === 'US-001').map((one) => one.template)).toEqual(
      'bdd sdd-delta contract review scaffold impl verify update-memory'.split(' '),
    );
    expect(found.interactions[0]?.options[0]).toEqual({ label: 'Approve', press: 'i1-1.approve' });
    expect(z.array(status).parse(await json('status'))).toEqual([found]);
    expect((await read('status', 'demo')).out).toMatch(/^demo: waiting for you\n.*^r1 · micro-waterfall · auto$/ms);
  });

  it('is listed with its project', async () => {
    expect(await json('projects')).toMatchObject([{ project: 'demo', level: 'auto', run: { id: 'r1' } }]);
    expect((await read('projects')).out).toMatch(/^demo, A {2}\[waiting for you\] {2}r1 US-001 Order history {2}\//);
    expect(z.array(run.extend({ project: text })).parse(await json('runs', 'demo'))).toHaveLength(1);
    expect((await read('runs')).out).toMatch(
      /^r1 {2}demo {2}\[waiting for you\] {2}micro-waterfall {2}cost unknown {2}US-001/,
    );
    expect(await json('runs', '--limit', '0')).toEqual([]);
  });

  it.each(['r1', '1', 'R1'])('is shown by the name %s', async (name) => {
    const shape = status.omit({ aliases: true });
    expect(shape.parse(await json('show', name))).toMatchObject({ run: { id: 'r1' }, items: [{ key: 'US-001' }] });
    expect((await read('show', name)).out).toMatch(/^US-001 step-004 {2}\[waiting for a person\] {2}review$/m);
  });

  it('lists its stories with key, status and title', async () => {
    expect((await read('stories', '1')).out).toBe('US-001  [working]  Order history\n');
    expect(z.array(item).parse(await json('stories', '1'))).toHaveLength(1);
  });

  it('has a history, one event per line', async () => {
    const { out } = await read('history', 'r1');
    expect(out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}run_created by owner/);
    const events = (await read('history', 'r1', '--json')).out.trim().split('\n');
    expect(events).toHaveLength(out.trim().split('\n').length);
    expect(JSON.parse(events[0] ?? '')).toMatchObject({ seq: 1, type: 'run_created', by: 'owner' });
  });

  it('is in the inbox with its buttons', async () => {
    const shape = z.array(interaction.extend({ project: text, run: text, opened_at: text }));
    expect(shape.parse(await json('inbox'))).toMatchObject([
      { id: 'i1-1', project: 'demo', run: 'r1', item: 'US-001' },
    ]);
    expect((await read('inbox')).out).toMatch(
      /^i1-1 {2}demo US-001 {2}\[review\].*\n {2}\[Approve\] \S*bosun press i1-1\.approve\n/,
    );
  });

  it.each(['bdd', 'US-001/bdd', 'step-001', 'us-001/STEP-001'])('has a log for the step name %s', async (name) => {
    expect((await read('log', 'r1', name)).out).toContain('step bdd of US-001, attempt 1');
    const lines = (await read('log', 'r1', name, '--attempt', '1', '--json')).out.trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ s: 'out', line: expect.any(String) });
  });

  it.each([
    [['log', 'r1', 'nothing'], /No node "nothing" in r1\. There are: story, bdd/],
    [['log', 'r1', 'impl'], /impl has not run yet/],
    [['log', 'r1', 'bdd', '--attempt', '4'], /bdd has no attempt 4\. There are: 1\./],
    [['export', 'r1', '--as', 'state', '--item', 'US-404'], /r1 has no item "US-404"\. Its items: US-001\./],
    [['diff', 'r1', 'US-404'], /r1 has no item "US-404"\. Its items: US-001\./],
    [['show', 'r99'], /No run "r99"\. The latest runs: r1\./],
    [['status', 'shop'], /No project "shop"\. There are: demo\./],
  ])('rejects %j with the names that exist', async (args, says) => {
    const ended = await read(...args);
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(/^error: not_found: /);
    expect(errorLine(ended)).toMatch(says);
  });

  it('has a diff since its start', async () => {
    expect((await read('diff', 'r1')).out).toMatch(/^diff --git a\/docs\/api\/openapi\.yaml/);
    const found = await json('diff', 'r1', 'us-001');
    expect(found.stat.files).toBe(found.files.length);
    expect(found.files).toContain('docs/bdd/US-001.md');
  });

  it('reports the cost of its attempts', async () => {
    expect(await json('cost', 'demo')).toMatchObject({ project: 'demo', cost_usd: 0, runs: [{ id: 'r1' }] });
    expect((await read('cost')).out).toMatch(/^demo\nr1: cost unknown, 0 tokens in, 0 out\nUS-001: 3 tries, /);
  });

  it('is exported as workflow state and as a session', async () => {
    const exported = async (format: string) => JSON.parse((await read('export', 'r1', '--as', format)).out);
    const { version, stories } = await exported('workflow-state');
    expect(version).toBe(1);
    expect(stories['US-001']).toMatchObject({ status: 'in_progress', depends_on: [] });
    expect(stories['US-001'].steps[0]).toMatchObject({
      id: 'step-001',
      type: 'bdd',
      status: 'completed',
      git_sha_at_start: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    const session = await exported('session');
    expect(session.id).toMatch(/^ralph-\d{8}-\d{6}-r1$/);
    expect(session.steps.slice(0, 4)).toMatchObject([
      { type: 'skill', skill: 'bdd', status: 'completed', wave: 1 },
      { skill: 'sdd-delta', wave: 2 },
      { skill: 'contract', wave: 3 },
      { type: 'decision', skill: 'maestro-ralph', wave: null },
    ]);
  });

  it('is exported as a state file, a pipeline and events', async () => {
    expect(JSON.parse((await read('export', 'r1', '--as', 'state')).out)).toMatchObject({
      project: 'demo',
      story: 'US-001',
      step: 'review',
      status: 'needs_human',
    });
    expect(JSON.parse((await read('export', 'r1', '--as', 'pipeline')).out)).toMatchObject({
      run_id: 'r1',
      steps: [
        { step_id: 'bdd', type: 'loop', status: 'running' },
        { step_id: 'sdd-delta', type: 'single' },
        {},
        {},
        {},
        {},
        {},
        {},
      ],
      stories: [{ story_id: 'US-001', status: 'running', retry_count: 0 }],
    });
    const [first] = (await read('export', 'r1', '--as', 'events')).out.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ seq: 1, type: 'run_created', project: 'demo' });
  });
});

describe('a run without stories', () => {
  const flows = newFolder();
  const lone = join(newFolder(), 'home');
  const root = newFolder();
  const read = (...args: readonly string[]) => bosun(args, { home: lone });

  beforeAll(() => {
    mkdirSync(lone, { mode: 0o700 });
    const git = ['-c', 'user.name=t', '-c', 'user.email=t@t.test'];
    execFileSync('git', ['init', '-q'], { cwd: root });
    execFileSync('git', [...git, 'commit', '-qm', 'first', '--allow-empty'], { cwd: root });
    const agent = {
      kind: 'command',
      run: ['/bin/sh', '-c', `echo begun; until [ -f '${root}/.ai/go' ]; do sleep 0.05; done; echo DECISION: on`],
    };
    const config = { executors: { agent }, projects: { shop: { root, workflow: join(flows, 'on.yaml') } } };
    writeFileSync(join(lone, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
    const chain = [
      { id: 'judge', prompt: 'judge', decision_key: 'DECISION', on_decision: { on: { goto: 'last' }, all: 'next' } },
      { id: 'between', prompt: 'never' },
      { id: 'last', prompt: 'last' },
    ];
    writeFileSync(join(flows, 'on.yaml'), JSON.stringify({ workflow: 'on', chain }));
  });

  it('has a live log while its agent works, and reports a forward route as entering a node', async () => {
    const up = await start(['up', '--port', '0'], { home: lone });
    await up.line(/^ready /);
    const whole = read('run', 'shop', 'judge it', '--wait', '--timeout', '20');
    const live = async () => (await read('log', 'r1', 'judge')).out;
    await expect.poll(live, { timeout: 10_000, interval: 50 }).toBe('begun\n');
    expect((await read('say', 'log shop')).out).toMatch(
      /Log · judge · judge it\n {2}shop · attempt 1 · still running\n {2}```\n {2}begun/,
    );
    expect((await read('say', 'start shop')).out).toContain('Say "start shop: <what to do>"');
    writeFileSync(join(root, '.ai', 'go'), '');
    const { code, out } = await whole;
    expect(code).toBe(0);
    expect(out).toContain('judge decided on, entering last');
    expect(out).toContain('shop is done');
    up.child.kill('SIGTERM');
    expect((await up.ended).code).toBe(0);
  });
});

describe('the queue of a project', () => {
  it('lists the tasks that wait, in order, until they are dropped', async () => {
    const home = join(newFolder(), 'home');
    const read = (...args: readonly string[]) => bosun(args, { home });
    const json = async (...args: readonly string[]) => JSON.parse((await read(...args, '--json')).out);
    await prepareDemo(openHome(home));
    expect(await json('queue', 'demo')).toEqual([]);
    expect((await read('queue', 'demo')).out).toBe('Nothing waits in demo.\n');
    expect((await read('say', 'start demo: add a footer')).code).toBe(0);
    const shape = z.array(
      z.object({
        id: text,
        project: text,
        task: text,
        workflow: text,
        position: z.number(),
        by: text,
        created_at: text,
      }),
    );
    expect(shape.parse(await json('queue', 'demo'))).toMatchObject([
      { id: 'q1', project: 'demo', task: 'add a footer', position: 1 },
    ]);
    expect((await read('queue', 'demo')).out).toMatch(/^1\. q1 {2}add a footer {2}\(/);
    expect((await read('say', 'drop q1')).out).toContain('Taken out of the queue');
    expect(await json('queue', 'demo')).toEqual([]);
  });
});
