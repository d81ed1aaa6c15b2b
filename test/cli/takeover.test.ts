import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { bosun, newFolder } from './given.js';

vi.setConfig({ testTimeout: 120_000 });

/** Notes each attempt with its prompt, and passes. */
const agent = `#!/bin/sh
n=$(ls "$LOG" | wc -l)
cat > "$LOG/$(printf %03d $n) $BOSUN_ITEM $BOSUN_STEP $BOSUN_ATTEMPT"
printf 'STATUS: done\nSUMMARY: did it\n'
`;

interface Shop {
  readonly home: string;
  readonly root: string;
  readonly log: string;
  run(...args: readonly string[]): Promise<string>;
  status(): Promise<{ run: { status: string; task: string }; interactions: { id: string; text: string }[] }>;
  press(option: string, ...more: readonly string[]): Promise<string>;
  read(path: string): string;
  /** `US-005 impl 3` for each attempt, in order. */
  attempts(): readonly string[];
  prompt(attempt: string): string;
}

/** A project in which another orchestrator was at work, and that Bosun knows or is yet to know. */
function openShop(files: Readonly<Record<string, unknown>>, workflow: string | null): Shop {
  const [home, root, log] = [newFolder(), newFolder(), newFolder()];
  const script = join(home, 'agent.sh');
  writeFileSync(script, agent);
  put(root, 'README.md', 'A shop.\n');
  put(root, 'prd.json', JSON.stringify(prd));
  execFileSync('sh', ['-c', 'git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm first'], {
    cwd: root,
  });
  for (const [path, value] of Object.entries(files))
    put(root, path, typeof value === 'string' ? value : JSON.stringify(value));
  const projects = workflow === null ? {} : { shop: { root, workflow, after_story: 'start' } };
  const config = { executors: { agent: { kind: 'command', run: ['sh', script], env: { LOG: log } } }, projects };
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config), { mode: 0o600 });
  const run = async (...args: readonly string[]) => {
    const { out, err } = await bosun(args, { home, cwd: root });
    return `${out}${err}`;
  };
  const status = async () => JSON.parse((await bosun(['status', 'shop', '--json'], { home })).out);
  return {
    ...{ home, root, log, run, status },
    press: async (option, ...more) => run('press', `${(await status()).interactions[0]?.id}.${option}`, ...more),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    attempts: () => readdirSync(log).map((name) => name.slice(4)),
    prompt: (attempt) =>
      readFileSync(join(log, readdirSync(log).find((name) => name.endsWith(attempt)) ?? 'none'), 'utf8'),
  };
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const stateJson = {
  ...{ project: 'shop', story: 'US-005', step: 'impl', attempt: 2, max_attempts: 5, status: 'failing' },
  ...{
    reason: 'test_timeout',
    dispatched_at: '2026-01-05T09:00:00Z',
    completed_at: '2026-01-05T09:05:00Z',
    timeout_min: 10,
  },
  ...{ tests: { pass: 41, fail: 1, skip: 0 }, failing_tests: ['cart: empties'], lint_pass: true },
  ...{ files_changed: ['src/cart.ts'], blocked_by: [], human_note: null },
};
const handoff =
  '---\nstory: US-005\nstep: impl\nattempt: 2\nstatus: failing\n---\nThe cart keeps its items after checkout.\n';
const protocol = { '.ai/STATE.json': stateJson, '.ai/HANDOFF.md': handoff };

const step = (type: string, status: string, more: object = {}) => ({
  id: 'step-001',
  type,
  status,
  description: type,
  ...more,
});
const types = [
  ...['context_gathering', 'planning', 'architecture', 'test_architecture', 'coding', 'linting'],
  ...['initial_testing', 'review', 'prune_tests', 'final_review'],
];
const workflowState = {
  version: 1,
  prd_file: 'prd.json',
  stories: {
    'US-001': { story_id: 'US-001', title: 'List', status: 'completed', depends_on: [], steps: [], history: [] },
    'US-002': {
      ...{ story_id: 'US-002', title: 'Cart', status: 'in_progress', depends_on: ['US-001'], history: [] },
      steps: types.map((type, at) =>
        at < 8 ? step(type, at === 2 ? 'skipped' : 'completed', { notes: `NOTES OF ${type}` }) : step(type, 'pending'),
      ),
    },
  },
};
const prd = {
  project: 'Shop',
  branchName: 'ralph/shop',
  userStories: [
    { id: 'US-001', title: 'List', acceptanceCriteria: ['it lists'], passes: true, notes: '', owner: 'ada' },
    { id: 'US-002', title: 'Cart', acceptanceCriteria: ['it adds'], passes: false, notes: 'careful: use table T' },
  ],
};

describe('.ai/STATE.json of another orchestrator', () => {
  it('is shown with its hand-off by "continue", backed up, and resumed at its step and attempt', async () => {
    const shop = openShop(protocol, 'micro-waterfall');
    const card = await shop.run('say', 'continue shop');
    expect(card).toMatch(
      /US-005 impl, attempt 2, failing \(test_timeout\)[\s\S]*> The cart keeps its items after checkout\./,
    );
    expect(card).toMatch(/Resume there[\s\S]*Start afresh, keep a copy[\s\S]*Cancel/);
    expect(JSON.parse(shop.read('.ai/STATE.json'))).toEqual(stateJson);
    await shop.press('resume', '--wait');
    expect(shop.attempts().slice(0, 2)).toEqual(['US-005 impl 3', 'US-005 verify 1']);
    expect(shop.prompt('US-005 impl 3')).toMatch(
      /Attempt 3 of 5[\s\S]*cart: empties[\s\S]*keeps its items after checkout/,
    );
    const { tests, failing_tests, lint_pass, files_changed } = stateJson;
    expect(shop.prompt('US-005 update-memory 1')).toContain('41 passed, 1 failed (cart: empties), 0 skipped');
    expect(JSON.parse(shop.read('.ai/STATE.json'))).toMatchObject({
      ...{ story: 'US-005', step: 'done' },
      ...{ tests, failing_tests, lint_pass, files_changed },
    });
    const copy = /keeps a copy of it in (\S+)\./.exec(card)?.[1] ?? '';
    expect(JSON.parse(readFileSync(join(copy, '.ai/STATE.json'), 'utf8'))).toEqual(stateJson);
    expect(readFileSync(join(copy, '.ai/HANDOFF.md'), 'utf8')).toBe(handoff);
  });

  it('stays unchanged until a person decides, and then a run for another story is proposed', async () => {
    const shop = openShop(protocol, 'micro-waterfall');
    expect(await shop.run('say', 'start shop: US-009 wish list')).toContain('US-005 impl, attempt 2');
    await shop.run('say', 'continue shop');
    expect([shop.attempts(), JSON.parse(shop.read('.ai/STATE.json'))]).toEqual([[], stateJson]);
    expect(await shop.press('afresh')).toContain('US-009');
    expect((await shop.status()).interactions[0]?.text).toContain('Stories: US-009');
    expect(JSON.parse(shop.read('.ai/STATE.json'))).toMatchObject({ story: 'US-009' });
  });

  it('makes "init" refuse until a person decides, and with --yes is resumed by the first "continue"', async () => {
    const shop = openShop(protocol, null);
    expect(await shop.run('init', shop.root, '--name', 'shop')).toMatch(/STATE\.json already exists.*--yes.*--afresh/s);
    const out = await shop.run('init', shop.root, '--name', 'shop', '--executor', 'agent', '--yes');
    expect(out).toMatch(/workflow micro-waterfall[\s\S]*US-005 impl, attempt 2, failing/);
    expect(shop.attempts()).toEqual([]);
    await shop.run('say', 'continue shop', '--wait');
    expect(shop.attempts()[0]).toBe('US-005 impl 3');
  });

  it('that cannot be parsed is reported by field, and the project starts afresh beside a backup', async () => {
    const shop = openShop({ '.ai/STATE.json': { ...stateJson, attempt: 'two' } }, 'micro-waterfall');
    expect(await shop.run('say', 'continue shop')).toMatch(/\.ai\/STATE\.json cannot be read: attempt: /);
    await shop.press('afresh');
    expect(await shop.run('say', 'continue shop')).toContain('is idle');
    expect(await shop.run('say', 'start shop: US-001 list')).toContain('shop · micro-waterfall');
  });

  it('written after a run of Bosun’s has ended is asked about again', async () => {
    const shop = openShop({}, 'micro-waterfall');
    await shop.run('run', 'shop', 'US-001 list', '--one-shot');
    await shop.run('say', 'abort shop');
    await shop.press('abort', '--wait');
    await shop.run('say', 'start shop: US-002 cart');
    expect(JSON.parse(shop.read('.ai/STATE.json'))).toMatchObject({ story: 'US-002' });
    await shop.press('cancel');
    expect(await shop.run('say', 'continue shop')).toContain('is idle');
    put(shop.root, '.ai/STATE.json', JSON.stringify(stateJson));
    expect(await shop.run('say', 'continue shop')).toContain('US-005 impl, attempt 2');
    await shop.press('cancel');
    expect(JSON.parse(shop.read('.ai/STATE.json'))).toEqual(stateJson);
  });
});

describe('workflow_state.json of another orchestrator', () => {
  it('is resumed beside its PRD: finished stories stay finished, the rest continues with its notes', async () => {
    const shop = openShop({ 'workflow_state.json': workflowState }, 'dynamic-ralph');
    expect(await shop.run('import', 'shop', 'prd.json')).toMatch(/US-002 prune_tests, pending[\s\S]*Finished: US-001/);
    await shop.run('say', 'continue shop');
    expect([shop.attempts(), JSON.parse(shop.read('workflow_state.json'))]).toEqual([[], workflowState]);
    await shop.press('resume');
    expect(JSON.parse(shop.read('workflow_state.json')).prd_file).toBe('prd.json');
    await shop.run('say', 'continue shop', '--wait');
    expect(shop.attempts()).toEqual(['US-002 prune_tests 1', 'US-002 final_review 1']);
    const prompt = shop.prompt('US-002 prune_tests 1');
    expect(prompt).toMatch(/careful: use table T[\s\S]*NOTES OF coding/);
    expect(prompt).not.toContain('NOTES OF architecture');
    const { stories } = JSON.parse(shop.read('workflow_state.json'));
    expect([stories['US-001'].status, stories['US-002'].status]).toEqual(['completed', 'completed']);
    expect(stories['US-002'].steps.slice(1, 5)).toMatchObject([
      { type: 'planning', status: 'completed', notes: 'NOTES OF planning', skip_reason: null },
      { type: 'architecture', status: 'skipped' },
      { type: 'test_architecture', status: 'completed' },
      { type: 'coding', status: 'completed', notes: 'NOTES OF coding' },
    ]);
    expect(JSON.parse(shop.read('.ai/prd.json'))).toMatchObject({
      ...{ project: 'Shop', branchName: 'ralph/shop' },
      userStories: [
        { id: 'US-001', passes: true, owner: 'ada' },
        { id: 'US-002', passes: true, notes: 'careful: use table T' },
      ],
    });
    expect(await shop.run('export', 'shop', '--as', 'prd', '--write', 'prd.json')).toContain('2 of 2 stories');
    const [list, cart] = prd.userStories;
    expect(shop.read('prd.json')).toBe(
      `${JSON.stringify({ ...prd, userStories: [list, { ...cart, passes: true }] })}\n`,
    );
  });

  it('is imported by path with --yes, and resumed by "continue"', async () => {
    const shop = openShop({ 'workflow_state.json': workflowState }, 'quick');
    const out = await shop.run('import', 'shop', 'workflow_state.json', '--yes');
    expect(out).toMatch(/2 stories imported as r1, 1 of them done already/);
    expect(shop.attempts()).toEqual([]);
    await shop.run('say', 'continue shop', '--wait');
    expect(shop.attempts()).toEqual(['US-002 prune_tests 1', 'US-002 final_review 1']);
  });
});

describe('a session of another orchestrator', () => {
  const decision = (name: string, retry: number) =>
    JSON.stringify({ decision: name, retry_count: retry, max_retries: 2 });
  const skill = (name: string, status: string, args = '1') => ({ type: 'skill', skill: name, args, status });
  const session = {
    ...{ id: 'ralph-20260105-090000', created_at: '2026-01-05T09:00:00Z', intent: 'build a shop', status: 'running' },
    ...{ lifecycle_position: 'analyze', target: 'milestone-complete', phase: 1, milestone: 'Cart', auto_mode: false },
    context: { plan_dir: 'plans/p1', analysis_dir: null, brainstorm_dir: null },
    steps: [
      skill('maestro-analyze', 'completed'),
      skill('maestro-plan', 'completed'),
      skill('maestro-execute', 'completed'),
      skill('maestro-verify', 'completed'),
      { type: 'decision', skill: 'maestro-ralph', args: decision('post-verify', 0), status: 'completed' },
      skill('quality-debug', 'completed', 'no tests'),
      skill('maestro-plan', 'completed', '--gaps 1'),
      skill('maestro-execute', 'completed'),
      skill('maestro-verify', 'pending'),
      { type: 'decision', skill: 'maestro-ralph', args: decision('post-verify', 1), status: 'pending' },
      skill('quality-business-test', 'pending'),
      { type: 'decision', skill: 'maestro-ralph', args: decision('post-business-test', 0), status: 'pending' },
      skill('quality-review', 'pending'),
      { type: 'decision', skill: 'maestro-ralph', args: decision('post-review', 0), status: 'pending' },
      skill('quality-test-gen', 'pending'),
      skill('quality-test', 'pending'),
      { type: 'decision', skill: 'maestro-ralph', args: decision('post-test', 0), status: 'pending' },
      skill('maestro-milestone-audit', 'pending', ''),
      skill('maestro-milestone-complete', 'pending', ''),
    ],
    waves: [],
    current_step: 8,
  };

  it('resumes after its completed steps, with the retry count of its gate', async () => {
    const path = `.workflow/.ralph/${session.id}/status.json`;
    const shop = openShop(
      {
        [path]: session,
        '.workflow/roadmap.md': '# Roadmap\n',
        '.workflow/state.json': {
          current_milestone: 'Cart',
          milestones: [{ id: 'M1', name: 'Cart', status: 'active', phases: [1] }],
          artifacts: [],
        },
      },
      'lifecycle',
    );
    const card = await shop.run('say', 'continue shop');
    expect(card).toMatch(
      /running, Cart, phase 1: build a shop[\s\S]*Next: maestro-verify; 8 of 19[\s\S]*post-verify: retry 1/,
    );
    await shop.press('resume', '--wait');
    expect(shop.attempts()).toEqual(['P1 verify 1']);
    expect((await shop.status()).run.task).toBe('build a shop');
    const own = readdirSync(join(shop.root, '.workflow/.ralph')).find((id) => id !== session.id) ?? '';
    const { steps } = JSON.parse(shop.read(`.workflow/.ralph/${own}/status.json`));
    const gates = steps.filter(({ args }: { args: string }) => args.includes('post-verify'));
    expect(gates.map(({ args }: { args: string }) => JSON.parse(args).retry_count)).toContain(1);
    expect(JSON.parse(shop.read(path))).toEqual(session);
    expect(existsSync(join(shop.home, 'taken-over'))).toBe(true);
  });
});
