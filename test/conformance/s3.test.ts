// The orchestrator × executor protocol, item by item, against the shipped micro-waterfall. Each row names what it proves.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type Envelope,
  fold,
  loadWorkflow,
  type NodeDef,
  renderPrompt,
  type Workflow,
} from '../../src/engine/index.js';
import * as build from '../engine/builders.js';
import { crash, envelope, handoff, item, Player, report } from '../engine/builders.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const flow = load('micro-waterfall');
const us5 = 'US-005';

function load(name: string): Workflow {
  const file = `workflows/${name}.yaml`;
  const readPrompt = (path: string) => {
    const found = [path, `prompts/${path}`, `${path}.md`, `prompts/${path}.md`].map((one) => `${root}${one}`);
    const existing = found.find((one) => existsSync(one));
    return existing ? readFileSync(existing, 'utf8') : null;
  };
  const loaded = loadWorkflow({ file, text: readFileSync(`${root}${file}`, 'utf8') }, readPrompt);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.workflow;
}

const steps = ['bdd', 'sdd-delta', 'contract', 'review', 'scaffold', 'impl', 'verify', 'update-memory'] as const;
type Step = (typeof steps)[number];

const ok = envelope({ result: report('pass') });
const red = envelope({ result: report('pass'), checks: [build.check('tests', false, ['orders are sorted'])] });
const green = envelope({ result: report('pass'), checks: [build.check('tests', true)] });
const fails = (reason: string | null = null, summary: string | null = null) =>
  envelope({ result: report('failing', reason, summary) });

function ruleOf(step: Step): NodeDef {
  const found = flow.chain.flatMap((node) => node.body).find((node) => node.id === step);
  if (!found) throw new Error(`no ${step}`);
  return found;
}

/** A run of one or more stories that has come to a step by passing all before it. */
function at(step: Step, options: build.Options = { items: [item(us5)] }): Player {
  const player = Player.start(flow, { afterStory: 'propose', ...options });
  for (let turn = 0; turn < steps.length && stepOf(player) !== step; turn++) passOne(player);
  if (stepOf(player) !== step) throw new Error(`never came to ${step}`);
  return player;
}

function passOne(player: Player): Player {
  if (player.asks.includes('review')) return player.answer('approve');
  const envelopes: Partial<Record<string, Envelope>> = { scaffold: red, impl: green, verify: green };
  return player.walk(envelopes[player.run.live[0]?.step ?? ''] ?? ok);
}

function stepOf(player: Player): string | null {
  const key = player.state.items.find((one) => one.status === 'running')?.key ?? us5;
  return player.nodes(key).find((node) => node.state !== 'passed' && node.state !== 'skipped')?.template ?? null;
}

function node(player: Player, step: Step) {
  return player.node(step, us5);
}

function prompt(player: Player, step: Step): string {
  return renderPrompt(player.stateOf(us5), node(player, step).id).text;
}

type Row = readonly [items: string, claim: string, proof: () => void];

const dispatching: readonly Row[] = [
  [
    'S3-04 S3-163',
    'the same state and the same event give the same result',
    () => {
      const player = at('impl');
      expect(fold(player.events, flow)).toEqual(fold(player.events, flow));
      expect(fold(player.events, flow)).toEqual(player.world);
    },
  ],
  [
    'S3-08 S3-164',
    'auto walks all steps and stops only at the review',
    () => {
      const player = at('review');
      expect(player.run.live).toEqual([]);
      passOne(player);
      while (player.run.live.length > 0) passOne(player);
      expect(player.run.status).toBe('completed');
    },
  ],
  [
    'S3-07 S3-09',
    'semi does not go on by itself, and says what waits',
    () => {
      const player = Player.start(flow, { items: [item(us5)], level: 'semi' }).settle(ok);
      expect(player.notices).toContainEqual({ type: 'waits_for_go', item: us5, step: 'sdd-delta' });
      expect(player.live).toBeNull();
    },
  ],
  [
    'S3-06',
    'manual calls the executor with the instruction as it is',
    () => {
      const player = Player.start(flow, { items: [item(us5)], level: 'manual' });
      player.do({ type: 'continue', chain: us5, node: 'impl', instruction: 'Just do {it}', behind: null });
      expect(prompt(player, 'impl')).toBe('Just do {it}');
    },
  ],
  [
    'S3-31',
    'the steps are those of the protocol, in its order',
    () => {
      expect(
        at('bdd')
          .nodes(us5)
          .map((one) => one.template),
      ).toEqual(steps);
    },
  ],
  [
    'S3-69 S3-82 S3-90',
    'a step that runs is not dispatched again, and continue says so',
    () => {
      const player = at('bdd').go();
      expect(player.replies).toMatchObject([{ type: 'still_running', item: us5, step: 'bdd' }]);
      expect(node(player, 'bdd').dispatches).toBe(1);
    },
  ],
  [
    'S3-70 S3-91 S3-95',
    'a step over its time limit is timed out, and a person is told the minutes',
    () => {
      const player = at('impl').settle(build.timeout);
      expect(node(player, 'impl').last?.outcome).toBe('timeout');
      expect(player.open[0]?.text).toBe("US-005's impl timed out (10 minutes)");
    },
  ],
  [
    'S3-97',
    'a step that timed out can be tried again',
    () => {
      expect(at('impl').settle(build.timeout).answer('retry').live).toBe('US-005/impl');
    },
  ],
  [
    'S3-71 S3-79 S3-88',
    'a pass into the review asks for it and dispatches nothing',
    () => {
      const player = at('review');
      expect(player.notices).toContainEqual(expect.objectContaining({ type: 'asked' }));
      expect(player.effects.filter((one) => one.type === 'dispatch')).toEqual([]);
    },
  ],
  [
    'S3-72 S3-80',
    'a pass goes to the next step at attempt 1, by that step’s own rules',
    () => {
      const player = at('bdd').settle(fails()).settle(ok);
      expect(node(player, 'sdd-delta')).toMatchObject({ state: 'queued', attempt: 1 });
      expect(prompt(player, 'sdd-delta')).toContain('SDD delta');
    },
  ],
  [
    'S3-73 S3-74',
    'a failing step is tried again at the next attempt',
    () => {
      expect(node(at('impl').settle(fails()), 'impl')).toMatchObject({ state: 'queued', attempt: 2, generation: 1 });
    },
  ],
  [
    'S3-75',
    'attempts used up are a card with every way out, and no dispatch',
    () => {
      const player = at('contract').settle(fails()).settle(fails());
      expect(player.open).toMatchObject([{ text: 'US-005 stuck at contract (2 attempts)' }]);
      expect(player.open[0]?.options.map((one) => one.id)).toEqual(['retry', 'skip', 'rollback', 'abort']);
      expect(player.go().asks).toEqual(['stuck']);
      expect(player.live).toBeNull();
    },
  ],
  [
    'S3-76',
    'a reason leads to its step also on the last attempt',
    () => {
      const player = at('impl').walk(fails(), fails(), fails(), fails());
      expect(node(player, 'impl').attempt).toBe(5);
      expect(player.settle(fails('constitution_violation')).live).toBe('US-005/sdd-delta');
    },
  ],
  [
    'S3-77 S3-84',
    'a dispatch is one attempt, counted before it is effected',
    () => {
      const player = at('bdd');
      expect(player.effects.filter((one) => one.type === 'dispatch')).toHaveLength(1);
      expect(player.run.live).toHaveLength(1);
      expect(player.go().go().run.live).toHaveLength(1);
    },
  ],
  [
    'S3-78 S3-89',
    'a story is done after its last step, and a continue after the end is no error',
    () => {
      const player = at('update-memory').settle(ok).worked();
      expect(player.stories()).toBe('US-005:done');
      expect(player.run.status).toBe('completed');
      expect(player.go().replies).toEqual([{ type: 'nothing_to_do' }]);
    },
  ],
  [
    'S3-81 S3-87 S3-142',
    'a story waits for what it is blocked by, and goes on by itself',
    () => {
      const player = Player.start(flow, { items: [item(us5, ['US-003']), item('US-003')], afterStory: 'start' });
      expect(player.stories()).toBe('US-005:ready US-003:running');
      for (let turn = 0; turn < steps.length; turn++) passOne(player);
      expect(player.live).toBe('US-005/bdd');
    },
  ],
  [
    'S3-83',
    'without a named story, the task itself is the story',
    () => {
      expect(Player.start(flow, { task: 'US-007 order history' }).stories()).toBe('US-007:running');
    },
  ],
  [
    'S3-96',
    'what comes back after a time limit finds its token dead',
    () => {
      const player = at('impl');
      const attempt = player.run.live[0]?.attempt ?? '';
      player.settle(build.timeout);
      expect(player.do({ type: 'attempt_settled', chain: us5, attempt, envelope: green }).ignored).toBe('superseded');
    },
  ],
  [
    'S3-119',
    'a completion heard two or three times counts once',
    () => {
      const player = at('bdd');
      const attempt = player.run.live[0]?.attempt ?? '';
      const heard = { type: 'attempt_settled', chain: us5, attempt, envelope: ok } as const;
      player.do(heard);
      const { state } = player;
      expect(player.do(heard).ignored).toBe('superseded');
      expect(player.do(heard).state).toBe(state);
    },
  ],
];

const reporting: readonly Row[] = [
  [
    'S3-32 S3-36',
    'near words are read as the status they mean, with a warning',
    () => {
      const player = at('bdd').settle(envelope({ result: report('passed') }));
      expect(node(player, 'bdd').last).toMatchObject({
        outcome: 'pass',
        warnings: ['executor-result says "passed", which was read as pass'],
      });
    },
  ],
  [
    'S3-32',
    'a word that nobody knows never passes',
    () => {
      expect(node(at('bdd').settle(envelope({ result: report('great') })), 'bdd').last).toMatchObject({
        outcome: 'failing',
      });
    },
  ],
  [
    'S3-33',
    'a reason that nobody knows is none, with a warning, and stays in the summary',
    () => {
      expect(node(at('bdd').settle(fails('bad mood', 'No')), 'bdd').last).toMatchObject({
        reason: null,
        summary: 'No\nReason given: bad mood',
        warnings: ['unknown reason "bad mood"'],
      });
    },
  ],
  [
    'S3-41',
    'front matter counts, and markers beside it do not',
    () => {
      const told = envelope({ handoff: handoff({ status: 'pass' }, 'I resolved the NEEDS CLARIFICATION marker') });
      expect(node(at('bdd').settle(told), 'bdd').last?.outcome).toBe('pass');
    },
  ],
  [
    'S3-42',
    'a hand-off without front matter is searched for its markers',
    () => {
      const told = envelope({ handoff: { front: null, body: 'CONSTITUTION VIOLATION in 3' } });
      expect(node(at('bdd').settle(told), 'bdd').last).toMatchObject({
        outcome: 'failing',
        reason: 'constitution_violation',
      });
    },
  ],
  [
    'S3-44 S3-183',
    'no report at all is an abandoned try, also on exit 0',
    () => {
      const silent = { ...envelope(), output: { ...envelope().output, isEmpty: false, tail: 'done' } };
      expect(node(at('bdd').settle(silent), 'bdd')).toMatchObject({
        attempt: 1,
        abandons: 1,
        last: { reason: 'no_report' },
      });
    },
  ],
  [
    'S3-47 S3-48 S3-49',
    'the result file wins, the hand-off supplies tests and files, and the conflict is recorded',
    () => {
      const told = envelope({
        result: report('pass', null, 'Fine'),
        handoff: handoff({ status: 'failing', filesChanged: ['a.md'], tests: { pass: 1, fail: 0, skip: 2 } }),
      });
      expect(node(at('bdd').settle(told), 'bdd').last).toMatchObject({
        outcome: 'pass',
        summary: 'Fine',
        filesChanged: ['a.md'],
        tests: { pass: 1, fail: 0, skip: 2 },
        warnings: ['executor-result says pass, HANDOFF says failing'],
      });
    },
  ],
  [
    'S3-118',
    'red tests beat a claimed pass',
    () => {
      const player = at('impl').settle(red);
      expect(node(player, 'impl')).toMatchObject({ attempt: 2, last: { outcome: 'failing', claim: 'pass' } });
    },
  ],
  [
    'S3-59 S3-118 S3-188',
    'a scaffold passes on red tests, and on no others',
    () => {
      expect(at('scaffold').settle(red).live).toBe('US-005/impl');
      expect(at('scaffold').settle(green).live).toBe('US-005/scaffold');
      const honest = envelope({ result: report('failing'), checks: red.checks });
      expect(at('scaffold').settle(honest).live).toBe('US-005/impl');
      expect(at('scaffold').settle({ ...honest, result: report('failing', 'nfr_missing') }).live).toBe(
        'US-005/scaffold',
      );
    },
  ],
  [
    'S3-121',
    'tests that hang are their own reason',
    () => {
      const hung = { ...build.check('tests', false), timedOut: true };
      const player = at('impl').settle(envelope({ result: report('pass'), checks: [hung] }));
      expect(node(player, 'impl').last?.reason).toBe('test_timeout');
    },
  ],
  [
    'S3-34 S3-182',
    'a session that died is tried again within its own budget',
    () => {
      const player = at('bdd').settle(crash).settle(crash);
      expect(node(player, 'bdd')).toMatchObject({ state: 'queued', attempt: 1, abandons: 2 });
      expect(player.settle(crash).asks).toEqual(['stuck']);
    },
  ],
];

const routing: readonly Row[] = [
  ...(
    [
      ['S3-55', 'bdd', 'sdd-delta', 3, 5],
      ['S3-56', 'sdd-delta', 'contract', 3, 5],
      ['S3-57', 'contract', 'review', 2, 5],
      ['S3-59', 'scaffold', 'impl', 2, 5],
      ['S3-60', 'impl', 'verify', 5, 10],
      ['S3-61', 'verify', 'update-memory', 2, 5],
      ['S3-62', 'update-memory', null, 2, 3],
    ] as const
  ).map(
    ([id, step, next, attempts, minutes]): Row => [
      id,
      `${step} goes on to ${next ?? 'done'}, with ${attempts} attempts of ${minutes} minutes`,
      () => {
        expect(stepOf(passOne(at(step)))).toBe(next);
        expect(ruleOf(step)).toMatchObject({ maxAttempts: attempts, timeoutMs: minutes * 60_000 });
      },
    ],
  ),
  [
    'S3-122 S3-123',
    'a reason without a way of its own takes the default one',
    () => {
      expect(at('impl').settle(fails('nfr_missing')).live).toBe('US-005/impl');
    },
  ],
  [
    'S3-124 S3-130',
    'a constitution violation in impl goes to sdd-delta, and contract and review come again',
    () => {
      const player = at('impl').settle(fails('constitution_violation'));
      expect(player.live).toBe('US-005/sdd-delta');
      passOne(player);
      expect(player.live).toBe('US-005/contract');
      expect(passOne(player).asks).toEqual(['review']);
      expect(passOne(player).live).toBe('US-005/scaffold');
    },
  ],
  [
    'S3-125 S3-126',
    'needs_clarification and scope_warning in impl go to the review',
    () => {
      for (const reason of ['needs_clarification', 'scope_warning']) {
        expect(at('impl').settle(fails(reason)).asks).toEqual(['review']);
      }
    },
  ],
  [
    'S3-127 S3-129 S3-186',
    'verify sends back to impl once, and then asks: two verifications in all',
    () => {
      const player = at('verify').settle(fails());
      expect(player.live).toBe('US-005/impl');
      player.settle(green).settle(fails('scope_warning'));
      expect(player.asks).toEqual(['stuck']);
      expect(node(player, 'verify').dispatches).toBe(2);
    },
  ],
  ...(
    [
      ['default', 'bdd'],
      ['needs_clarification', 'bdd'],
      ['constitution_violation', 'sdd-delta'],
      ['scope_warning', 'sdd-delta'],
    ] as const
  ).map(
    ([reason, target]): Row => [
      'S3-58 S3-128 S3-134 S3-135',
      `a review rejected for ${reason} goes to ${target} with the words`,
      () => {
        const player = at('review').answer(`for-${reason}`, 'Not so');
        expect(player.live).toBe(`US-005/${target}`);
        expect(prompt(player, target)).toContain('=== Human Instruction ===\nNot so');
      },
    ],
  ),
];

const prompting: readonly Row[] = [
  [
    'S3-98',
    'a prompt opens with the step’s name and the story',
    () => {
      expect(prompt(at('impl'), 'impl')).toMatch(/^You are executing step Implementation for US-005\.\n/);
    },
  ],
  [
    'S3-99',
    'the attempt is shown from the second on',
    () => {
      expect(prompt(at('impl'), 'impl')).not.toContain('(Attempt');
      expect(prompt(at('impl').settle(fails()), 'impl')).toContain('(Attempt 2 of 5)');
    },
  ],
  [
    'S3-40 S3-63 S3-100',
    'what to read comes in order, with the story filled in once, the hand-off last',
    () => {
      expect(prompt(at('sdd-delta'), 'sdd-delta')).toContain(
        'Please read the following files in order:\n1. PROJECT_CONTEXT.md\n2. PROJECT_MEMORY.md\n3. docs/bdd/US-005.md\n4. docs/sdd.md\n5. .ai/HANDOFF.md',
      );
    },
  ],
  [
    'S3-51',
    'what to write is named',
    () => {
      expect(prompt(at('sdd-delta'), 'sdd-delta')).toContain('Write your work to:\n- docs/deltas/US-005.md');
    },
  ],
  [
    'S3-101 S3-133 S3-184',
    'a remark given with the approval reaches the next prompt, once',
    () => {
      const player = at('review').answer('approve', '30 seconds, others OK');
      expect(prompt(player, 'scaffold').match(/=== Human Instruction ===/g)).toHaveLength(1);
      expect(prompt(player, 'scaffold')).toContain('30 seconds, others OK');
      expect(prompt(passOne(player), 'impl')).not.toContain('Human Instruction');
    },
  ],
  [
    'S3-102 S3-106',
    'every executor’s step brings its fixed instruction',
    () => {
      for (const step of steps) {
        if (step !== 'review') expect(ruleOf(step).prompt?.length ?? 0, step).toBeGreaterThan(100);
      }
    },
  ],
  [
    'S3-37 S3-39 S3-103',
    'the duties at the end name the front matter and the body',
    () => {
      const text = prompt(at('impl'), 'impl');
      for (const key of [
        'story: US-005',
        'step: impl',
        'attempt: 1',
        'status:',
        'reason:',
        'files_changed:',
        'tests_pass:',
        'tests_fail:',
        'tests_skip:',
      ]) {
        expect(text).toContain(`\n${key}`);
      }
      expect(text).toContain('what is done, what is unresolved, and notes for the next session');
    },
  ],
  [
    'S3-54 S3-104 S3-105',
    'the hints and the output rules are there',
    () => {
      const text = prompt(at('impl'), 'impl');
      for (const word of [
        'needs_clarification',
        'constitution_violation',
        'scope_warning',
        'Non-Goal',
        'only the parts that this step affects',
      ]) {
        expect(text).toContain(word);
      }
    },
  ],
  [
    'S3-107',
    'failing tests of the try before are shown',
    () => {
      expect(prompt(at('impl').settle(red), 'impl')).toContain('- failing: orders are sorted');
    },
  ],
  [
    'S3-108',
    'only this step, then stop',
    () => {
      expect(prompt(at('impl'), 'impl')).toContain('Do only this step, then stop.');
    },
  ],
  [
    'S3-109',
    'what a person says is never filled in',
    () => {
      expect(prompt(at('review').answer('approve', 'use {step} and {{task}}'), 'scaffold')).toContain(
        'use {step} and {{task}}',
      );
    },
  ],
];

const people: readonly Row[] = [
  [
    'S3-131',
    'the review shows what to look at and what is open',
    () => {
      const player = Player.start(flow, { items: [item(us5)] });
      player.settle(
        envelope({
          handoff: handoff({
            status: 'pass',
            reviewDigest: '3 scenarios',
            questions: ['20 or 30 s?'],
            filesChanged: ['docs/bdd/US-005.md'],
          }),
        }),
      );
      passOne(passOne(player));
      expect(player.open[0]?.digests[0]).toEqual({
        step: 'bdd',
        text: '3 scenarios',
        questions: ['20 or 30 s?'],
        files: ['docs/bdd/US-005.md'],
      });
    },
  ],
  [
    'S3-132',
    'an approval is a pass and goes on',
    () => {
      const player = at('review').answer('approve');
      expect([node(player, 'review').state, player.live]).toEqual(['passed', 'US-005/scaffold']);
    },
  ],
  [
    'S3-136',
    'a step that asks waits, and its answer resumes it',
    () => {
      const player = at('impl').settle(envelope({ result: report('needs_human', null, '20 or 30 s?') }));
      expect(node(player, 'impl').state).toBe('needs_human');
      expect(player.go().live).toBeNull();
      expect(player.answer('answer', '30').live).toBe('US-005/impl');
      expect(prompt(player, 'impl')).toContain('You asked: 20 or 30 s?\nThe answer: 30');
    },
  ],
  [
    'S3-85 S3-169',
    'a continue at a review approves nothing',
    () => {
      expect(at('review').go().asks).toEqual(['review']);
    },
  ],
  [
    'S3-166',
    'retry tries the stuck step again',
    () => {
      const player = at('contract').settle(fails()).settle(fails());
      player.do({ type: 'retry', chain: us5, node: node(player, 'contract').id, note: null });
      expect(node(player, 'contract')).toMatchObject({ state: 'queued', attempt: 1 });
    },
  ],
  [
    'S3-167',
    'skip goes on with the next step, with reason and actor',
    () => {
      const player = at('contract').settle(fails()).settle(fails()).answer('skip', 'no API here');
      expect(node(player, 'contract').skipReason).toBe('no API here (ada)');
      expect(player.asks).toEqual(['review']);
    },
  ],
  [
    'S3-168',
    'abort ends the run after a confirmation',
    () => {
      const player = at('impl').do({ type: 'abort' });
      expect(player.run.status).toBe('running');
      expect(player.answer('abort').run.status).toBe('cancelled');
    },
  ],
  [
    'S3-175 S3-180',
    'at a story’s end the next one is proposed, and not started',
    () => {
      const player = at('update-memory', { items: [item(us5), item('US-006')] })
        .settle(ok)
        .worked();
      expect(player.asks).toEqual(['next_item']);
      expect(player.stories()).toBe('US-005:done US-006:ready');
      expect(player.go().live).toBe('US-006/bdd');
    },
  ],
  [
    'S3-179',
    'stop for today sums up what is done and what is next',
    () => {
      const player = at('update-memory', { items: [item(us5), item('US-006')] })
        .settle(ok)
        .worked()
        .do({ type: 'pause' });
      expect(player.replies).toEqual([{ type: 'paused', running: [], done: [us5], next: 'US-006 Title of US-006' }]);
    },
  ],
  [
    'S3-190',
    'a rollback takes every earlier step, and refuses the same, a later and an unknown one',
    () => {
      for (const target of ['bdd', 'sdd-delta', 'contract'] as const) {
        const player = at('impl').settle(fails('needs_clarification'));
        player.do({ type: 'rollback', chain: us5, node: node(player, target).id });
        expect(player.worked().live).toBe(`US-005/${target}`);
      }
      for (const target of ['review', 'impl', 'verify'] as const) {
        const player = at('review');
        expect(player.do({ type: 'rollback', chain: us5, node: node(player, target).id }).refusal).not.toBeNull();
      }
      expect(at('review').do({ type: 'rollback', chain: us5, node: 'n99' }).refusal).toBe('no step n99 here');
    },
  ],
  [
    'S3-138 S3-139 S3-185',
    'two projects are two runs that know nothing of each other',
    () => {
      const one = at('impl');
      const other = at('bdd');
      one.settle(fails());
      expect(other.live).toBe('US-005/bdd');
    },
  ],
];

describe.each([
  ['dispatch', dispatching],
  ['reports', reporting],
  ['rules and reasons', routing],
  ['prompts', prompting],
  ['people', people],
] as const)('%s', (_name, rows) => {
  it.each(rows)('%s: %s', (_items, _claim, proof) => {
    proof();
  });
});
