// The living chain, item by item, against the shipped lifecycle. Each row names what it proves.

import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { parse } from '../../src/bot/grammar/index.js';
import { longSummary } from '../../src/bot/views/chain-summary.js';
import { noticeView } from '../../src/bot/views/notices.js';
import { exportRun } from '../../src/dispatch/exports/export-run.js';
import { sessionId } from '../../src/dispatch/exports/session.js';
import {
  definitions,
  loadWorkflow,
  type NodeDef,
  readProjectState,
  renderPrompt,
  type Workflow,
} from '../../src/engine/index.js';
import { givenBosun } from '../e2e/bosun.js';
import { said as printed } from '../e2e/plans.js';
import { crash, envelope, failing, Player, pass, report, said, timeout } from '../engine/builders.js';
import { addAfter, edited, oneStory, ralph } from '../engine/chains.js';
import { load, problemsOf, shippedText } from '../engine/workflow/support.js';
import { makeRepository } from '../workspace/repository.js';
import { type Elsewhere, prove, proveWhole, type Row, readShippedPrompt, spineOf } from './given.js';
import { done, type Files, good, Lifecycle, lifecycle, milestonesOf, stateText, surveyOf } from './lifecycle.js';
import {
  close,
  insertions,
  nextMilestone,
  type Position,
  phaseOf,
  positions,
  postMilestone,
  stageTable,
} from './s4-golden.js';

// Some of its tests play a whole Bosun.
vi.setConfig({ testTimeout: 240_000 });

/** The shipped lifecycle with some of its text changed. */
function changed(from: string, to: string): Workflow {
  const text = shippedText('lifecycle').replace(from, to);
  const loaded = loadWorkflow({ file: 'lifecycle.yaml', text }, readShippedPrompt);
  if (!loaded.ok || !text.includes(to)) throw new Error(`${to} cannot be`);
  return loaded.workflow;
}

const withoutStops = changed('stop_at_decisions: before', 'stop_at_decisions: never');
/** Tests are generated beside the tests that are there. */
const sideBySide = changed('args: "{{phase}}", needs: [test-gen]', 'args: "{{phase}}", needs: []');

/** A project's folder as a position describes it. */
function projectOf(given: Position) {
  const repository = makeRepository({ 'README.md': 'a shop\n' });
  const milestones = given.hasMilestones === false ? [] : milestonesOf([1]);
  if (given.stages) {
    const stages = given.stages.map((type) => [type, 1] as const);
    repository.write('.workflow/state.json', stateText(milestones, stages));
    repository.write('.workflow/scratch/phases/01-shop/notes.md', '');
  }
  if (given.stages && given.hasRoadmap !== false) repository.write('.workflow/roadmap.md', '# Roadmap\n');
  for (const [name, text] of Object.entries(given.files)) {
    repository.write(given.stages ? `.workflow/scratch/phases/01-shop/${name}` : name, text);
  }
  return repository;
}

/** A run whose gates find these files, and good ones beside them. */
function finding(
  files: Readonly<Record<string, string | null>>,
  more: Partial<ConstructorParameters<typeof Lifecycle>[0]> = {},
) {
  return Lifecycle.start({
    ...more,
    find: (file) => (Object.hasOwn(files, file) ? (files[file] ?? null) : (good[file] ?? null)),
  });
}

const gaps = { 'verification.json': '{"passed": false, "gaps": ["no login"]}' };

/** Through all retries of its first gate, to the card of its escalation. */
function escalated(workflow: Workflow = lifecycle): Lifecycle {
  return finding(gaps, { workflow }).until('post-debug-escalate');
}

function promptOf({ player }: Lifecycle): string {
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  return renderPrompt(player.stateOf(live.chain), live.node).text;
}

function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-s4-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The files of the run as they are on disk now. */
async function saved(run: Lifecycle, root: string) {
  const { player } = run;
  const attempts = [...run.attempts.values()];
  const store = {
    records: () => run.records,
    attempt: (id: string) => run.attempts.get(id) ?? null,
    attemptsOfRun: () => attempts,
  };
  const chainOf = (key: string) => player.world.chains.get(key) ?? null;
  await exportRun(root, spineOf(player), [...player.world.chains.keys()], chainOf, {
    store,
    log: console.error,
    guard: null,
  });
  const folder = join(root, '.workflow', '.ralph', sessionId(player.run));
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { status: JSON.parse(read('status.json')), names: readdirSync(folder).sort(), read };
}

const entry: readonly Row[] = [
  [
    'S4-01 S4-06 S4-10',
    'an intent reads the state, finds the position, builds the chain and runs until a decision, where it stops',
    () => {
      const run = Lifecycle.start().until('post-verify');
      expect(run.told[0]).toBe('it stands at analyze; it begins with analyze.');
      expect(run.called).toEqual(['analyze', 'plan', 'execute', 'verify']);
      expect([run.player.run.status, run.player.run.pauseReason, run.player.live]).toEqual([
        'paused',
        'decision',
        null,
      ]);
    },
  ],
  [
    'S4-03 S4-120',
    '"continue", or "execute", resumes and runs until the next decision',
    () => {
      const said = ['continue', 'execute'].map((text) => parse(text, []));
      expect(said.map(({ verb, candidates }) => [verb, candidates])).toEqual([
        ['continue', []],
        ['continue', []],
      ]);
      const run = Lifecycle.start().until('post-verify').go().until('post-business-test');
      expect(run.called.slice(4)).toEqual(['business-test']);
      expect(run.player.run.pauseReason).toBe('decision');
    },
  ],
  [
    'S4-02 S4-03 S4-04 S4-05 S4-07 S4-67 S4-68 S4-129 S4-130 S4-135 S4-138',
    'nothing to run and several sessions are told with their codes, other text is an intent, "execute" and "continue" resume the live one, a status changes nothing',
    async () => {
      const files = {
        '.workflow/roadmap.md': '# Roadmap\n',
        '.workflow/state.json': stateText(
          milestonesOf([1]),
          ['analyze', 'plan', 'execute'].map((type) => [type, 1] as const),
        ),
        '.workflow/scratch/phases/01-shop/plan.md': '',
      };
      const plan = {
        verify: printed(
          {},
          {
            files: { '.workflow/scratch/phases/01-shop/verification.json': '{"passed": false, "gaps": ["no login"]}' },
          },
        ),
      };
      const bosun = await givenBosun({ projects: { shop: { workflow: 'lifecycle', tests: 'none', files } }, plan });
      const hint = 'Give it a task: "shop: <what to do>".';
      expect((await bosun.say('continue shop')).text).toBe(`shop is idle (E006). ${hint}`);
      expect((await bosun.say('retry shop')).text).toBe(`shop has no run (E006). ${hint}`);
      expect((await bosun.say('start shop:')).text).toContain('(E001)');
      expect((await bosun.say('execute shop')).text).toBe(`shop is idle (E006). ${hint}`);
      await bosun.say('shop: build a shop');
      await bosun.pressButton('Start');
      expect(bosun.calls().map((call) => call.step)).toEqual(['verify']);
      const before = bosun.status();
      const { text } = await bosun.say('status shop');
      expect(text).toContain('shop: waiting for you');
      expect(text).toMatch(/Began at verify; \d+ of \d+ steps/);
      expect(text).toContain('Needs you: confirm');
      expect(bosun.status()).toEqual(before);
      const [folder = ''] = readdirSync(join(bosun.root(), '.workflow', '.ralph'));
      const stored = JSON.parse(bosun.read(`.workflow/.ralph/${folder}/status.json`));
      expect(stored).toMatchObject({ id: folder, status: 'paused', lifecycle_position: 'verify', current_step: 1 });
      expect(bosun.read(`.workflow/.ralph/${folder}/wave-1.csv`)).toContain(
        '"$maestro-ralph-execute ""$maestro-verify 1""",Ralph step 1/',
      );
      const other = await bosun.say('start shop: another shop');
      expect(other.text).toContain('Queued, 1st (W003): shop is working on');
      const went = await bosun.say('execute shop');
      expect(went.text).toContain('inserting debug+fix loop (retry 1/2)');
      expect(bosun.calls().map((call) => call.step)).toEqual(['verify', 'debug', 'plan', 'execute', 'verify']);
      expect((await bosun.say('continue shop')).text).toContain('inserting debug+fix loop (retry 2/2)');
      expect(bosun.status().run?.id).toBe('r1');
    },
  ],
];

const kinds: readonly Row[] = [
  [
    'S4-08',
    'a chain is made of decisions, of steps for an agent, and of checks on the command line',
    () => {
      const loaded = loadWorkflow(
        {
          file: 'own.yaml',
          text: 'workflow: own\nchain:\n  - { id: a, prompt: A }\n  - { id: b, kind: check, check: "true" }\n  - { id: c, kind: decision, evidence: r.json, fail_when: "x == 1", on: { fix: { insert: f } } }\nfragments:\n  f: { nodes: [{ again: a }, { again: c, retry: next }] }\n',
        },
        () => null,
      );
      expect(loaded.ok && loaded.workflow.chain.map((def) => def.kind)).toEqual(['task', 'check', 'decision']);
    },
  ],
  [
    'S4-09 S4-126',
    'a step is one dispatch of one call to an executor, and nothing else is done for it',
    () => {
      const run = Lifecycle.start();
      const dispatched = run.player.effects.filter((effect) => effect.type === 'dispatch');
      expect(dispatched).toHaveLength(1);
      expect(run.player.effects.filter((effect) => effect.type === 'workspace')).toEqual([]);
      expect(promptOf(run).match(/^Called as: .*$/gm)).toEqual(['Called as: maestro-analyze 1']);
    },
  ],
  [
    'S4-10 S4-119',
    'a decision stops once, shows what it would do and how to go on, and does it on "continue"',
    () => {
      const run = finding(gaps).until('post-verify');
      const stop = run.told.filter((line) => line.startsWith('◆') || line.startsWith('Say'));
      expect(stop).toEqual([
        '◆ post-verify: gaps detected, inserting debug+fix loop (retry 1/2)',
        'Say "continue" to go on.',
      ]);
      expect(run.calls).toEqual([...phaseOf('1'), ...close]);
      expect(run.go().at).toBe('debug');
    },
  ],
  [
    'S4-10 S4-143',
    'only the policy of its own makes decisions go on by themselves, and an escalation stops all the same',
    () => {
      const asked = Lifecycle.start({ workflow: withoutStops });
      while (asked.player.run.live.length > 0) asked.settle();
      expect(asked.player.run.status).toBe('completed');
      expect(asked.told.filter((text) => text.includes('Say "continue"'))).toEqual([]);
      expect(escalated(withoutStops).player.asks).toEqual(['gate_stuck']);
      expect(changed('timeout: pause', 'timeout: pause\n  auto_mode: true').policy).toMatchObject({
        autoMode: true,
        stopAtDecisions: 'before',
      });
    },
  ],
  [
    'S4-11 S4-47 S4-48 S4-49 S4-50 S4-51 S4-52 S4-53 S4-54 S4-55 S4-56 S4-57 S4-58 S4-59',
    'each stage has its call, stands alone where it must, and has its decision behind it',
    () => {
      const chain = lifecycle.chain.flatMap((def) => (def.kind === 'loop' ? def.body : [def]));
      const table = chain.flatMap((def, index) => {
        const after = chain[index + 1];
        const args = def.args === null ? '' : ` ${def.args}`;
        if (def.kind === 'decision') return [];
        return [[`${def.call}${args}`, def.barrier, after?.kind === 'decision' ? after.id : null]];
      });
      expect(table).toEqual(stageTable);
    },
  ],
  [
    'S4-12 S4-13 S4-14 S4-104',
    'neighbours that rest on nothing share a wave, a decision never does, and the next one waits for all results',
    () => {
      const run = Lifecycle.start({ workflow: sideBySide }).until('test-gen');
      expect(run.player.run.live.map((one) => one.step)).toEqual(['test-gen', 'test']);
      run.settle();
      expect([run.player.run.live.map((one) => one.step), run.player.run.ops]).toEqual([['test'], []]);
      expect(run.settle().at).toBe('post-test');
      const shipped = Lifecycle.start().until('test-gen');
      expect(shipped.player.run.live.map((one) => one.step)).toEqual(['test-gen']);
    },
  ],
  [
    'S4-15',
    'what a step leaves is kept by Bosun, and the next worker is not told what it said',
    () => {
      const run = Lifecycle.start();
      run.settle(said({ STATUS: 'done', SUMMARY: 'a long story', ANALYSIS_DIR: 'scratch/a' }));
      expect(run.session().file.context).toMatchObject({ analysis_dir: 'scratch/a' });
      expect(promptOf(run)).not.toContain('a long story');
    },
  ],
  [
    'S4-16 S4-118 S4-139',
    'a failed step pauses the session; nothing after it runs, all of it can still, and retry, skip and abort are offered',
    () => {
      const run = Lifecycle.start().settle().settle(failing);
      expect([run.player.run.status, run.player.run.pauseReason, run.called]).toEqual([
        'paused',
        'failure',
        ['analyze', 'plan'],
      ]);
      expect(run.statuses.slice(0, 4)).toEqual(['completed', 'failed', 'pending', 'pending']);
      expect(run.player.open[0]?.options.map((one) => one.id)).toEqual([
        'retry',
        'retry_note',
        'skip',
        'rollback',
        'abort',
      ]);
      expect(run.answer('retry').settle().at).toBe('execute');
      const skipped = Lifecycle.start().settle().settle(failing).answer('skip');
      expect(skipped.at).toBe('execute');
      expect(Lifecycle.start().settle(failing).answer('abort').player.run.status).toBe('cancelled');
    },
  ],
];

const stateRows: readonly Row[] = [
  [
    'S4-18 S4-19',
    'the state file is read with what it names; what is unknown is left out, and what is missing does no harm',
    () => {
      const read = (current: string) =>
        readProjectState({
          current_milestone: current,
          milestones: [{ id: 'M1', name: 'MVP', status: 'active', phases: [1, 'P2'] }],
          artifacts: [
            {
              id: 'ANL-001',
              type: 'analyze',
              milestone: 'M1',
              phase: 1,
              scope: 'phase',
              path: 'a',
              status: 'completed',
              depends_on: [],
              harvested: false,
            },
          ],
          accumulated_context: { key_decisions: ['x'], deferred: [] },
          somebody: { elses: 'field' },
        });
      expect(read('MVP')).toMatchObject({
        milestones: [{ id: 'M1', name: 'MVP', phases: ['1', '2'] }],
        artifacts: [{ id: 'ANL-001', type: 'analyze', phase: '1', scope: 'phase' }],
      });
      for (const current of ['MVP', 'M1']) {
        const run = Lifecycle.start({ survey: { ...surveyOf([]), state: read(current) } });
        expect(run.at).toBe('plan');
      }
      expect(readProjectState({})).toMatchObject({ current: null, milestones: [], artifacts: [] });
    },
  ],
];

const positionRows: readonly Row[] = [
  ...positions.map(
    (given): Row => [
      `${given.items} S4-60 S4-61`,
      `with ${given.given} it stands at ${given.position}, and the chain to the milestone’s end follows`,
      async () => {
        const run = await Lifecycle.startIn(projectOf(given).root);
        const { file } = run.session();
        expect([file.lifecycle_position, file.target]).toEqual([given.position, 'milestone-complete']);
        expect(run.calls).toEqual(given.chain);
        expect(file.steps[0]).toMatchObject({ index: 0 });
      },
    ],
  ),
  [
    'S4-31',
    'artifacts of other milestones, beside the plan, and such as are not completed do not count',
    () => {
      const others = [
        ['analyze', 1, { milestone: 'Beta' }],
        ['plan', 1, { scope: 'adhoc' }],
        ['plan', 1, { status: 'in_progress' }],
        ['execute', 2],
      ] as const;
      const run = Lifecycle.start({ survey: surveyOf(milestonesOf([1, 2], [3]), others) });
      expect(run.at).toBe('analyze');
      expect(run.session().file.phase).toBe(1);
    },
  ],
  [
    'S4-39',
    'a position of a failure begins with the matching fix loop, once its decision was seen',
    () => {
      const stages = ['analyze', 'plan', 'execute', 'verify'].map((type) => [type, 1] as const);
      const survey = surveyOf(milestonesOf([1]), stages);
      const results = {
        'VER-004': {
          folder: 'f',
          problem: null,
          files: { 'verification.json': { at: 1, value: { passed: false, gaps: ['no login'] }, error: null } },
        },
      };
      const run = finding(gaps, { survey: { ...survey, results } });
      expect([run.session().file.lifecycle_position, run.at]).toEqual(['verify-failed', 'post-verify']);
      expect(run.go().calls.slice(0, 4)).toEqual([
        phaseOf('1')[4],
        'quality-debug - no login',
        'maestro-plan --gaps 1',
        'maestro-execute 1',
      ]);
    },
  ],
  [
    'S4-40 S4-131',
    'where nothing can be inferred a person is asked, with the raw state, and the answer begins there',
    () => {
      const run = Lifecycle.start({ survey: surveyOf(milestonesOf([])) });
      const [card] = run.player.open;
      expect(card?.subject.type).toBe('position');
      expect(card?.text).toContain('E002: milestone MVP names no phase. The state file says: {"project_name":"Shop"');
      expect(card?.options.map((one) => one.id)).toEqual([
        ...lifecycle.positions.map(({ name }) => `at-${name}`),
        'abort',
      ]);
      run.survey = surveyOf(milestonesOf([1]));
      expect(run.answer('at-execute').at).toBe('execute');
      expect(run.session().file.lifecycle_position).toBe('execute');
    },
  ],
  [
    'S4-131',
    'a state file that cannot be read is shown with E002',
    async () => {
      const repository = makeRepository();
      repository.write('.workflow/state.json', '{"milestones": [');
      const run = await Lifecycle.startIn(repository.root);
      expect(run.player.open[0]?.text).toMatch(
        /E002: .*state\.json is not valid JSON .*It starts with: \{"milestones": \[/,
      );
    },
  ],
  [
    'S4-41',
    'the phase is that of the intent, else that of the latest artifact in progress, else the first open one, else asked',
    () => {
      const milestones = milestonesOf([1, 2, 3]);
      const phaseWith = (task: string, survey = surveyOf(milestones)) =>
        Lifecycle.start({ task, survey }).session().file.phase;
      expect(phaseWith('build phase 2')).toBe(2);
      expect(phaseWith('build', surveyOf(milestones, [['analyze', 3, { status: 'in_progress' }]]))).toBe(3);
      expect(phaseWith('build')).toBe(1);
      expect(Lifecycle.start({ task: 'build phase 9', survey: surveyOf(milestones) }).player.open[0]?.text).toContain(
        'no phase 9',
      );
    },
  ],
  [
    'S4-45 S4-132',
    'an artifact’s folder that is not there is asked about, with what was found instead',
    async () => {
      const repository = makeRepository();
      const stages = ['analyze', 'plan', 'execute', 'verify'].map((type) => [type, 1] as const);
      repository.write('.workflow/state.json', stateText(milestonesOf([1]), stages));
      repository.write('.workflow/roadmap.md', '');
      repository.write('.workflow/scratch/20260415-verify-P2-shop/x', '');
      const run = await Lifecycle.startIn(repository.root);
      const [card] = run.player.open;
      expect(card?.text).toMatch(
        /E003: no folder phases\/01-shop and none matching \*-P1-\*: .* holds 20260415-verify-P2-shop/,
      );
      expect(card?.text).toContain('Name the phase, or restore the folder of its artifacts.');
      expect(card?.kind).toBe('choice');
    },
  ],
];

const sessionRows: readonly Row[] = [
  [
    'S4-62',
    'a session has its fields',
    () => {
      const run = Lifecycle.start().until('post-verify');
      expect(Object.keys(run.session().file)).toEqual(
        'id created_at intent status lifecycle_position target phase milestone auto_mode context steps waves current_step updated_at'.split(
          ' ',
        ),
      );
      expect(run.session().file).toMatchObject({
        id: expect.stringMatching(/^ralph-\d{8}-\d{6}-r12$/),
        intent: 'build a shop',
        status: 'paused',
        lifecycle_position: 'analyze',
        target: 'milestone-complete',
        phase: 1,
        milestone: 'MVP',
        auto_mode: false,
        context: { plan_dir: null, analysis_dir: null, brainstorm_dir: null },
        current_step: 4,
      });
    },
  ],
  [
    'S4-17 S4-63 S4-95',
    'it is saved before the first wave, after every wave and after every decision, whatever a worker wrote into it',
    async () => {
      const root = tempFolder();
      const run = finding(gaps);
      const first = await saved(run, root);
      expect([first.names, first.status.current_step]).toEqual([['status.json', 'wave-1.csv'], 0]);
      run.settle();
      const path = join(root, '.workflow', '.ralph', sessionId(run.player.run), 'status.json');
      writeFileSync(path, '{"status": "completed"}');
      const second = await saved(run, root);
      expect([second.names, second.status.current_step, second.status.status]).toEqual([
        ['status.json', 'wave-1-results.csv', 'wave-1.csv', 'wave-2.csv'],
        1,
        'running',
      ]);
      run.until('post-verify').go();
      const third = await saved(run, root);
      expect(third.status.steps.slice(4, 6)).toMatchObject([
        { status: 'completed', outcome: 'fix' },
        { skill: 'quality-debug', status: 'running', index: 5 },
      ]);
    },
  ],
  [
    'S4-64',
    'the plan is shown with its steps, which of them stand alone or decide, and then where it begins',
    () => {
      const player = Player.create(lifecycle, { propose: true });
      const text = player.open[0]?.text ?? '';
      expect(text).toContain(
        '18 steps, 5 of them decisions: brainstorm [barrier] → init → roadmap [barrier] → analyze [barrier]',
      );
      expect(text).toContain('→ verify → ◆ post-verify → business-test');
      expect(text).toContain('→ milestone-complete → ◆ post-milestone');
      expect(text).toContain('It begins where the files in .workflow say.');
      expect(Lifecycle.start().told[0]).toBe('it stands at analyze; it begins with analyze.');
    },
  ],
  [
    'S4-65',
    'it proceeds when a person says so; a cancelled one has run nothing',
    () => {
      const proposed = () => Player.create(lifecycle, { propose: true });
      expect(proposed().open[0]?.options.map((one) => one.id)).toEqual(['start', 'cancel']);
      const cancelled = proposed().answer('cancel');
      expect([cancelled.run.status, cancelled.run.ops, cancelled.run.counters.dispatches]).toEqual([
        'cancelled',
        [],
        0,
      ]);
      expect(proposed().answer('start').run.ops).toMatchObject([{ kind: 'prepare' }]);
    },
  ],
  [
    'S4-66',
    'two sessions of the same second do not collide',
    () => {
      const { run } = Lifecycle.start().player;
      expect(sessionId(run)).not.toBe(sessionId({ ...run, id: 'r13' }));
    },
  ],
];

type Verdicts = readonly (readonly [
  items: string,
  gate: string,
  files: Readonly<Record<string, string | null>>,
  verdict: 'pass' | 'fix',
])[];
const uat = (body: string, front = 'status: complete') => ({ 'uat.md': `---\n${front}\n---\n${body}` });

const verdicts: Verdicts = [
  ['S4-69 S4-70', 'post-verify', { 'verification.json': '{"passed": true, "gaps": []}' }, 'pass'],
  ['S4-69', 'post-verify', { 'verification.json': '{"passed": true, "gaps": ["a"]}' }, 'fix'],
  ['S4-69', 'post-verify', { 'verification.json': '{"passed": false, "gaps": []}' }, 'fix'],
  ['S4-73 S4-74', 'post-business-test', { 'business-test-results.json': '{"passed": true, "failures": []}' }, 'pass'],
  ['S4-73', 'post-business-test', { 'business-test-results.json': '{"passed": true, "failures": ["a"]}' }, 'fix'],
  ['S4-73', 'post-business-test', { 'business-test-results.json': '{"passed": false}' }, 'fix'],
  ['S4-77 S4-78', 'post-review', { 'review.json': '{"verdict": "PASS", "issues": []}' }, 'pass'],
  ['S4-77 S4-78', 'post-review', { 'review.json': '{"verdict": "WARN", "issues": [{"severity": "high"}]}' }, 'pass'],
  ['S4-77', 'post-review', { 'review.json': '{"verdict": "BLOCK", "issues": []}' }, 'fix'],
  ['S4-77', 'post-review', { 'review.json': '{"verdict": "WARN", "issues": [{"severity": "critical"}]}' }, 'fix'],
  ['S4-81', 'post-review', { 'review.json': '{"verdict": "PASS", "issues": [{"severity": "critical"}]}' }, 'fix'],
  ['S4-82 S4-86', 'post-test', uat('## Tests\n### 1. Login\nresult: pass\n'), 'pass'],
  ['S4-82 S4-83', 'post-test', uat('## Tests\n### 1. Login\nresult: issue\n'), 'fix'],
  ['S4-83', 'post-test', uat('## Tests\n### 1. Login\nresult: pass\n### 2. Pay\nresult: skipped\n'), 'fix'],
  ['S4-83 S4-86', 'post-test', uat('## Tests\n- Login: pass\n## Gaps\n- [medium] slow\n'), 'pass'],
  ['S4-82 S4-83', 'post-test', uat('## Tests\n- Login: pass\n## Gaps\n- [high] slow\n'), 'fix'],
  ['S4-83', 'post-test', uat('## Tests\n- Login: pass\n## Gaps\n- [critical] lost\n'), 'fix'],
  ['S4-82', 'post-test', { '.tests/test-results.json': '{"results": [{"name": "a", "status": "failed"}]}' }, 'fix'],
  [
    'S4-82 S4-86',
    'post-test',
    { '.tests/test-results.json': '{"results": [{"name": "a", "status": "passed"}]}' },
    'pass',
  ],
  ['S4-99', 'post-verify', { 'verification.json': null }, 'fix'],
  ['S4-99', 'post-test', { 'uat.md': null }, 'fix'],
  ['S4-100', 'post-review', { 'review.json': '{"verdict": ' }, 'fix'],
];

const decisions: readonly Row[] = [
  ...verdicts.map(
    ([items, gate, files, verdict]): Row => [
      items,
      `${gate} that reads ${JSON.stringify(files)} is for ${verdict}`,
      () => {
        const run = finding(files).until(gate);
        expect(run.player.open[0]?.subject).toEqual({ type: 'gate', verdict });
        const before = run.calls;
        run.go();
        expect(run.calls.length > before.length).toBe(verdict === 'fix');
      },
    ],
  ),
  ...insertions.map(
    (given): Row => [
      `${given.items} S4-96`,
      `${given.gate} that fails for the time ${given.turn + 1} adds exactly its list, right behind itself`,
      () => {
        const run = finding({ [given.file]: given.text }, { context: given.context ?? {} });
        for (let turn = 0; turn < given.turn; turn++) run.until(given.gate).go();
        run.until(given.gate);
        const before = run.session().file.steps;
        const here = run.session().file.current_step ?? -1;
        const calls = run.calls;
        run.go();
        expect(run.calls).toEqual([...calls.slice(0, here + 1), ...given.added, ...calls.slice(here + 1)]);
        expect(run.told).toContain(given.said);
        const { steps } = run.session().file;
        expect(steps.map((step) => step.index)).toEqual(steps.map((_, index) => index));
        const kept = steps.filter((_, index) => index <= here || index > here + given.added.length);
        expect(kept.map((step) => step.node)).toEqual(before.map((step) => step.node));
      },
    ],
  ),
  [
    'S4-87 S4-88',
    'the end of a milestone reads the state anew, and adds the next one with all of its stages',
    () => {
      const run = Lifecycle.start({ survey: surveyOf(milestonesOf([1, 2], [3, 4])) }).until('milestone-complete');
      run.player.settle(done);
      expect(run.player.run.ops).toMatchObject([{ kind: 'read', survey: '.workflow', files: [] }]);
      run.read();
      expect(run.told.at(-1)).toBe('Say "continue" to go on.');
      const before = run.calls;
      run.go();
      expect(run.calls).toEqual([...before, ...nextMilestone]);
      expect(run.session().file).toMatchObject({ milestone: 'Beta', phase: 3 });
      expect(run.told).toContain('◆ post-milestone: MVP done → advancing to Beta Phase 3');
    },
  ],
  [
    'S4-89 S4-90 S4-91 S4-127 S4-128',
    'all phases run before each audit, no milestone comes twice, and the session ends once, completed',
    () => {
      const run = Lifecycle.start({ survey: surveyOf(milestonesOf([1, 2], [3, 4])) });
      for (let turn = 0; turn < 200 && run.player.run.status !== 'completed'; turn++) run.next();
      const whole = [...phaseOf('1'), ...phaseOf('2'), ...close, ...phaseOf('3'), ...phaseOf('4'), ...close];
      expect(run.calls).toEqual(whole);
      const stages = phaseOf('1')
        .filter((call) => !call.includes('decision'))
        .map((call) => call.split(/-(.*) /)[1]);
      expect(run.called).toEqual([
        ...stages,
        ...stages,
        'milestone-audit',
        'milestone-complete',
        ...stages,
        ...stages,
        'milestone-audit',
        'milestone-complete',
      ]);
      const { file } = run.session();
      expect([file.status, file.current_step, new Set(run.statuses)]).toEqual([
        'completed',
        null,
        new Set(['completed']),
      ]);
      expect(file.waves).toHaveLength(run.called.length);
      expect(file.steps.filter((step) => step.type === 'decision').every((step) => step.outcome !== undefined)).toBe(
        true,
      );
      expect(file.steps.filter((step) => step.type === 'skill').every((step) => step.wave !== null)).toBe(true);
      expect(run.told).toContain('◆ post-milestone: all milestones complete!');
      expect(run.calls.filter((call) => call === postMilestone)).toHaveLength(2);
    },
  ],
  [
    'S4-92 S4-98 S4-136 S4-137',
    'an escalation always pauses the session and asks a person; growing and escalating are reported with their codes',
    () => {
      for (const run of [escalated(), escalated(withoutStops)]) {
        expect([run.player.run.status, run.player.run.pauseReason, run.player.live]).toEqual([
          'paused',
          'escalation',
          null,
        ]);
        expect(run.player.open).toMatchObject([
          { kind: 'escalation', text: expect.stringMatching(/^post-verify: max retries reached/) },
        ]);
        expect(run.told.filter((line) => line.startsWith('W001: '))).toHaveLength(2);
        expect(run.told.filter((line) => line.startsWith('W002: post-verify'))).toHaveLength(1);
        expect(run.told).toContain('◆ post-verify: max retries reached, escalating to debug');
      }
    },
  ],
  [
    'S4-93 S4-94',
    'the way on from an escalation checks the gate that failed again, with fresh retries, and does not stop there again',
    () => {
      for (const word of ['continue', 'retry']) {
        const run = escalated();
        const here = run.calls.findIndex((call) => call.includes('post-debug-escalate'));
        expect(run.statuses[here]).toBe('completed');
        run.answer(word);
        expect(run.calls.slice(here + 1, here + 3)).toEqual(phaseOf('1').slice(3, 5));
        expect(run.at).toBe('verify');
        run.settle();
        expect(run.told.findLast((line) => line.startsWith('◆'))).toContain('(retry 1/2)');
        run.find = (file) => good[file] ?? null;
        expect(run.go().at).toBe('business-test');
      }
      expect(escalated().answer('skip').at).toBe('business-test');
      expect(escalated().answer('abort').player.run.status).toBe('cancelled');
    },
  ],
  [
    'S4-95 S4-97',
    'a decision is completed with its outcome, and every step keeps its name when the numbers move',
    () => {
      const run = finding(gaps).until('post-verify');
      const before = new Map(run.session().file.steps.map((step) => [step.node, step.args]));
      run.go();
      const { steps } = run.session().file;
      expect(steps[4]).toMatchObject({ type: 'decision', status: 'completed', outcome: 'fix' });
      expect(steps.find((step) => step.skill === 'quality-business-test')).toMatchObject({ index: 10 });
      for (const step of steps) if (before.has(step.node)) expect(step.args).toBe(before.get(step.node));
      expect(run.records.filter(({ record }) => record.action === 'decision')).toMatchObject([
        { record: { details: { decision: 'post-verify', outcome: 'fix', retry_count: 0 } } },
      ]);
    },
  ],
  [
    'S4-99 S4-100 S4-133',
    'a result file that is missing or cannot be read is warned of, and is a failure',
    () => {
      const missing = finding({ 'verification.json': null }).until('post-verify');
      expect(missing.told.find((line) => line.startsWith('E004'))).toMatch(
        /post-verify: no result file verification\.json\. It is taken as a failure\./,
      );
      expect(missing.go().calls[5]).toBe('quality-debug no result file');
      const broken = finding({ 'verification.json': '{"passed"' }).until('post-verify');
      expect(broken.told.find((line) => line.startsWith('E004'))).toContain('verification.json is not valid JSON');
    },
  ],
  [
    'S4-102',
    'an inner decision that comes again begins to count anew, and its outer one counts on',
    () => {
      const always = '{"passed": false, "failures": ["BF-1"]}';
      const run = Lifecycle.start({
        find: (file, gate) => {
          if (file === 'verification.json')
            return gate.retry === 0 ? (gaps['verification.json'] ?? null) : (good[file] ?? null);
          return file === 'business-test-results.json' ? always : (good[file] ?? null);
        },
      });
      run.until('post-business-test').go().until('post-business-test').go();
      const counts = run.player
        .nodes('P1')
        .flatMap((node) => (/^post-(verify|business)/.test(node.template) ? [`${node.template} ${node.retry}`] : []));
      expect(counts).toEqual([
        ...['post-verify 0', 'post-verify 1', 'post-business-test 0'],
        ...['post-verify 0', 'post-verify 1', 'post-business-test 1'],
        ...['post-verify 0', 'post-business-test 2'],
      ]);
    },
  ],
  [
    'S4-103',
    'a decision that gets its reading twice, or is answered twice, adds its list once',
    () => {
      const run = finding(gaps).until('post-verify');
      const card = run.player.open[0];
      if (!card) throw new Error('nothing is asked');
      const answered = {
        type: 'answered',
        chain: card.chain,
        interaction: card.id,
        option: 'go',
        text: null,
        behind: null,
      } as const;
      run.player.do(answered);
      const [op] = run.player.run.ops;
      run.read();
      const { calls } = run;
      expect(run.player.do(answered).ignored).toBe('not open');
      run.player.do({
        type: 'workspace_done',
        chain: card.chain,
        op: op?.id ?? '',
        result: { ok: true, note: null, diffStat: null, commit: null, stash: null },
      });
      expect([run.player.ignored, run.calls]).toEqual(['superseded', calls]);
    },
  ],
  [
    'S4-71 S4-92 S4-102',
    'the longest way of a phase to its first escalation has 33 executions',
    () => {
      const red: Files = {
        ...gaps,
        'business-test-results.json': '{"passed": false}',
        'review.json': '{"verdict": "BLOCK"}',
      };
      const run = Lifecycle.start({
        find: (file, gate) => {
          if (gate.template === 'post-test')
            return file === 'uat.md' ? uat('## Tests\n- Login: fail\n')['uat.md'] : null;
          return (gate.retry < 2 ? red[file] : good[file]) ?? null;
        },
      }).until('post-debug-escalate');
      const times = (step: string) => run.called.filter((one) => one === step).length;
      expect(
        ['analyze', 'plan', 'execute', 'verify', 'business-test', 'review', 'test-gen', 'test', 'debug'].map(times),
      ).toEqual([1, 33, 33, 27, 9, 9, 3, 3, 33]);
      expect([run.player.run.counters.dispatches, run.called.length]).toEqual([151, 151]);
      expect(run.player.nodes('P1').length).toBeLessThanOrEqual(lifecycle.limits.nodesPerItem);
      expect(run.player.open[0]?.text).toMatch(/^post-test: max retries reached/);
    },
  ],
];

const waves: readonly Row[] = [
  [
    'S4-105',
    'placeholders are filled when a step goes out',
    () => {
      const workflow = changed(
        'call: maestro-execute, args: "{{phase}}"',
        'call: maestro-execute, args: "{{phase}} {{task}} {{scratch_dir}} {{plan_dir}} {{analysis_dir}}"',
      );
      const run = Lifecycle.start({ workflow, task: 'shop' });
      run.settle(said({ STATUS: 'done', ANALYSIS_DIR: 'a/1' })).settle(said({ STATUS: 'done', PLAN_DIR: 'p/1' }));
      expect(promptOf(run)).toContain('Called as: maestro-execute 1 shop .workflow/scratch p/1 a/1\n');
      const unknown = Lifecycle.start({ survey: surveyOf([]) }).calls;
      expect(unknown).toContain('maestro-plan {{phase}}');
    },
  ],
  [
    'S4-106 S4-108',
    'they are filled once: an intent with braces, quotes, commas and lines comes through, also in the table',
    () => {
      const task = 'add "carts", {{phase}} and {phase}\nthen $1 more';
      const run = Lifecycle.start({ task, survey: surveyOf([]) });
      expect(promptOf(run)).toContain(`Called as: maestro-roadmap ${task}`);
      const cell = 'maestro-roadmap add ""carts"", {{phase}} and {phase}\nthen $1 more';
      const node = run.player.node('roadmap').id;
      const call = cell.replaceAll('""', '\\""');
      expect(run.session().waves[0]?.calls).toBe(
        `id,skill_call,topic\n${node},"$maestro-ralph-execute ""$${call}""","Ralph step 1/16: ${cell}"\n`,
      );
    },
  ],
  [
    'S4-107 S4-109 S4-110',
    'a wave has its number, and a row for each call with its topic; a barrier stands alone and a decision never in one',
    () => {
      const run = Lifecycle.start({ workflow: sideBySide }).until('post-test').go();
      const { file, waves: tables } = run.session();
      expect(file.waves.map((wave) => [wave.id, wave.steps.length])).toEqual(
        ['analyze', 'plan', 'execute', 'verify', 'business-test', 'review', 'both', 'audit'].map((name, index) => [
          `wave-${index + 1}`,
          name === 'both' ? 2 : 1,
        ]),
      );
      const rows = tables[6]?.calls
        .trim()
        .split('\n')
        .map((row) => row.split(',').slice(1));
      expect(rows).toEqual([
        ['skill_call', 'topic'],
        ['"$maestro-ralph-execute ""$quality-test-gen 1"""', 'Ralph step 10/15: quality-test-gen 1'],
        ['"$maestro-ralph-execute ""$quality-test 1"""', 'Ralph step 11/15: quality-test 1'],
      ]);
      expect(tables.map(({ calls }) => calls).join('')).not.toContain('decision');
      expect(promptOf(run)).toContain('Called as: maestro-milestone-audit');
    },
  ],
  [
    'S4-111 S4-112',
    'a step may take an hour, and its result has a fixed form of texts',
    () => {
      const tasks = definitions(lifecycle).filter((def) => def.kind === 'task');
      expect(new Set(tasks.map((def) => def.timeoutMs))).toEqual(new Set([3_600_000]));
      const run = Lifecycle.start({ workflow: sideBySide }).until('test-gen');
      expect(run.player.run.live).toHaveLength(2);
      run.settle(envelope({ result: report('pass', null, 'ok') })).settle(failing);
      const [head, first, second] = run.session().waves[6]?.results?.trim().split('\n') ?? [];
      expect(head).toBe('id,status,skill_call,summary,artifacts,error');
      expect([first?.split(',').slice(1), second?.split(',')[1]]).toEqual([
        ['completed', '"$maestro-ralph-execute ""$quality-test-gen 1"""', 'ok', '', ''],
        'failed',
      ]);
    },
  ],
  [
    'S4-113 S4-117',
    'each row sets its own step, by its id; where one fails the other keeps its result, and nothing later is started',
    () => {
      const run = Lifecycle.start({ workflow: sideBySide }).until('test-gen');
      const [, second] = run.player.run.live;
      if (!second) throw new Error('nothing beside');
      run.player.do({ type: 'attempt_started', chain: second.chain, attempt: second.attempt, worker: 'w1' });
      run.player.do({ type: 'attempt_settled', chain: second.chain, attempt: second.attempt, envelope: pass });
      expect(run.statuses.slice(9, 12)).toEqual(['running', 'completed', 'pending']);
      run.settle(failing);
      expect(run.statuses.slice(9, 13)).toEqual(['failed', 'completed', 'pending', 'pending']);
      expect([run.player.run.status, run.player.run.pauseReason]).toEqual(['paused', 'failure']);
      expect(run.answer('retry').settle().at).toBe('post-test');
    },
  ],
  [
    'S4-114',
    'a step without a result is failed',
    () => {
      for (const silent of [crash, envelope()]) {
        const run = Lifecycle.start().settle(silent);
        expect([run.statuses[0], run.player.run.status]).toEqual(['failed', 'paused']);
      }
    },
  ],
  [
    'S4-115 S4-134',
    'a step that overruns its time is failed with E005, and the session is paused',
    () => {
      const run = Lifecycle.start().settle(timeout);
      expect([run.statuses[0], run.player.run.status, run.player.run.pauseReason]).toEqual([
        'failed',
        'paused',
        'failure',
      ]);
      expect(run.player.open[0]?.text).toMatch(/^E005: P1's analyze failed .*Retry the step, or give it more time\.$/s);
      expect(run.answer('retry').at).toBe('analyze');
    },
  ],
  [
    'S4-116 S4-125',
    'what the barriers tell is in the session, and where their work lies in the results',
    () => {
      const run = Lifecycle.start({
        survey: { ...surveyOf([]), hasFolder: false, hasSources: false, hasRoadmap: false, state: null },
      });
      const told = (keys: Readonly<Record<string, string>>, files: readonly string[] = []) =>
        run.settle(said({ STATUS: 'done', ...keys }, { filesChanged: files }));
      told({ BRAINSTORM_DIR: 'b' }, ['b/idea.md', 'b/notes.md']);
      told({});
      run.survey = surveyOf(milestonesOf([1]));
      told({ SPEC_SESSION_ID: 'S-1' });
      told({ ANALYSIS_DIR: 'a', GAPS: '2' });
      told({ PLAN_DIR: 'p', TASK_COUNT: '7' });
      told({ EXEC_STATUS: 'all done' });
      expect(run.session().file.context).toEqual({
        plan_dir: 'p',
        analysis_dir: 'a',
        brainstorm_dir: 'b',
        gaps: '2',
        task_count: '7',
        exec_status: 'all done',
        spec_session_id: 'S-1',
      });
      expect(run.session().waves[0]?.results).toContain(',b/idea.md;b/notes.md,');
    },
  ],
];

const workers: readonly Row[] = [
  [
    'S4-127',
    'the last card tells of steps, waves and decisions, and the long form of every step with its wave',
    () => {
      const run = Lifecycle.start();
      for (let turn = 0; turn < 200 && run.player.run.status !== 'completed'; turn++) run.next();
      const { file } = run.session();
      const ended = noticeView({ type: 'ended' }, run.player.state, 0, { session: () => file });
      expect(ended?.view.text).toMatch(
        /^15 of 15 steps done in 10 waves\n◆ post-verify → pass, .*post-milestone → pass$/m,
      );
      expect(longSummary(file).split('\n').slice(0, 7)).toEqual([
        'RALPH COMPLETE',
        'Waves: 10 · 15 of 15 steps done',
        '[✓] 1. maestro-analyze 1 [W1]',
        '[✓] 2. maestro-plan 1 [W2]',
        '[✓] 3. maestro-execute 1 [W3]',
        '[✓] 4. maestro-verify 1 [W4]',
        '[✓] 5. ◆ post-verify → pass',
      ]);
      const decided = { type: 'told', text: '◆ post-test: passed', decision: 'post-test → pass' } as const;
      expect(noticeView(decided, run.player.state, 0)?.view).toMatchObject({
        text: 'shop: ◆ post-test: passed\n◆ Decision: post-test → pass',
        rings: false,
      });
    },
  ],
  [
    'S4-121 S4-122',
    'a call that is none fails before anything is started, a file with one is refused, and so is an edit that adds one',
    () => {
      const withArgs = (args: string, call = 'maestro-analyze') =>
        `workflow: own\nchain:\n  - { id: analyze, call: '${call}', args: '${args}', prompt: Do it }\n`;
      expect(problemsOf(load(withArgs('{{task}} --from "{{phase}}"')))).toEqual([]);
      for (const [args, call, why] of [
        ['1; rm -rf .', 'maestro-analyze', 'Invalid skill_call: ";" in the arguments of maestro-analyze'],
        ['$(id)', 'maestro-analyze', 'Invalid skill_call: "$("'],
        ['"1', 'maestro-analyze', 'a quote in the arguments of maestro-analyze is never closed'],
        ['1', '../analyze', 'Invalid skill_call: "../analyze" is no name of a skill'],
      ] as const)
        expect(problemsOf(load(withArgs(args, call)))[0]).toContain(why);

      // A run that began before this was looked at, or was taken over from elsewhere.
      const withPipe = (one: NodeDef) => (one.id === 'analyze' ? { ...one, args: '1 | sh' } : one);
      const old = { ...lifecycle, chain: lifecycle.chain.map((one) => ({ ...one, body: one.body.map(withPipe) })) };
      const run = Lifecycle.start({ workflow: old });
      expect(run.statuses[0]).toBe('failed');
      expect(run.player.effects.filter(({ type }) => type === 'dispatch')).toEqual([]);
      expect(run.session().waves[0]?.results).toContain('Invalid skill_call');

      for (const [type, why] of [
        ['$maestro-verify 1 && ls', 'Invalid skill_call: "&"'],
        ['$maestro-dance 1', 'Unknown skill "maestro-dance"'],
      ] as const) {
        const player = Player.start(ralph, oneStory)
          .settle(pass)
          .settle(edited(addAfter('step-003', type)));
        const next = player.run.live[0]?.node ?? '';
        expect(renderPrompt(player.stateOf('A'), next).text).toMatch(/The workflow edit was rejected: .*/);
        expect(renderPrompt(player.stateOf('A'), next).text).toContain(why);
      }
    },
  ],
  [
    'S4-123',
    'a worker needs no session: its call has everything, and a session file that is gone is written again',
    async () => {
      const root = tempFolder();
      const run = Lifecycle.start();
      expect(promptOf(run)).toContain('Called as: maestro-analyze 1');
      expect(promptOf(run)).not.toContain('status.json');
      await saved(run, root);
      rmSync(join(root, '.workflow'), { recursive: true });
      const { status } = await saved(run.settle(), root);
      expect(status.steps.slice(0, 2)).toMatchObject([{ status: 'completed' }, { status: 'running' }]);
      expect(promptOf(run)).toContain('Called as: maestro-plan 1');
    },
  ],
  [
    'S4-124',
    'a step that was given its args is called with them, any other with those of its stage',
    () => {
      const run = finding(gaps).until('post-verify').go().until('plan');
      expect(promptOf(run)).toContain('Called as: maestro-plan --gaps 1');
      expect(promptOf(run.settle())).toContain('Called as: maestro-execute 1');
    },
  ],
];

const completion: readonly Row[] = [
  [
    'S4-128',
    'a session in which something failed is not completed',
    () => {
      const run = Lifecycle.start().until('milestone-complete').settle(failing);
      expect([run.session().file.status, run.statuses.slice(-3)]).toEqual([
        'paused',
        ['completed', 'failed', 'pending'],
      ]);
      expect(run.go().session().file.status).toBe('paused');
      run.answer('retry').settle().go();
      expect(run.session().file.status).toBe('completed');
    },
  ],
];

const survey = 'test/workspace/survey.test.ts';
const elsewhere: readonly Elsewhere[] = [
  { item: 'S4-42 S4-43 S4-44', file: survey, title: 'resolves the folder of an artifact to %s' },
  { item: 'S4-45', file: survey, title: 'a missing artifact folder is reported with the folders that exist' },
  { item: 'S4-46', file: survey, title: 'is not followed as an artifact’s path: %s' },
  { item: 'S4-46', file: survey, title: 'is not followed as the scratch folder' },
  { item: 'S4-108', file: 'test/dispatch/exports/session.test.ts', title: 'round-trip %j' },
];

const leftOut = {
  'S4-140': 'presentation: what is to be done is edited by saying it anew after a cancel',
  'S4-141': 'host-specific: each step has an executor of its own, so no context grows',
  'S4-142': 'host-specific: every step runs in the background',
  'S4-145': 'a gate is judged again after every change; nothing remembers that it passed',
  'S4-146': 'test generation is left to quality_mode',
  'S4-148': 'a person overrides a gate by its card: go on without it',
};

const quality: readonly Row[] = [
  [
    'S4-144',
    'quality_mode leaves stages out',
    () => {
      const called = (mode: string) =>
        Lifecycle.start({ context: { quality_mode: mode } })
          .until('milestone-audit')
          .called.slice(4, -1);
      expect(called('full')).toEqual(['business-test', 'review', 'test-gen', 'test']);
      expect(called('standard')).toEqual(['business-test', 'review', 'test']);
      expect(called('quick')).toEqual(['review', 'test']);
    },
  ],
];

const sections = {
  'entry points': entry,
  'kinds of steps': kinds,
  'the project’s state': stateRows,
  positions: positionRows,
  'a session file': sessionRows,
  decisions,
  waves,
  workers,
  completion,
  quality,
};

prove(sections);
proveWhole(sections, elsewhere, leftOut, 'S4');
