// The orchestrator × executor protocol, item by item, against the shipped micro-waterfall. Each row names what it proves.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { parse } from '../../src/bot/grammar/index.js';
import { noticeView } from '../../src/bot/views/notices.js';
import { replyViews } from '../../src/bot/views/replies.js';
import { exportRun, initialState, stateFile } from '../../src/dispatch/exports/index.js';
import { projectStatus } from '../../src/dispatch/index.js';
import {
  applyStepRules,
  dispatchMode,
  type Envelope,
  fold,
  loadWorkflow,
  ownerOf,
  renderMemberPrompt,
  renderPrompt,
  type TeamReport,
  teamTurns,
  type Workflow,
} from '../../src/engine/index.js';
import * as build from '../engine/builders.js';
import { check, crash, envelope, handoff, item, Player, report } from '../engine/builders.js';
import { type Elsewhere, prove, proveWhole, spineOf, storeOf } from './given.js';

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

function ruleOf(step: Step): build.WholeNode {
  const found = build
    .whole(flow)
    .chain.flatMap((node) => node.body)
    .find((node) => node.id === step);
  if (!found) throw new Error(`no ${step}`);
  return found;
}

/** A run of one or more stories that has come to a step by passing all before it. */
function at(step: Step, options: build.Options = { items: [item(us5)] }, workflow = flow): Player {
  const player = Player.start(workflow, options);
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

type Row = readonly [items: string, claim: string, proof: () => void | Promise<void>];

const dispatching: readonly Row[] = [
  [
    'S3-04',
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
    'a step over its time limit is timed out, and a person sees the minutes',
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
      expect(player.open[0]?.options.map((one) => one.id)).toEqual([
        'retry',
        'retry_note',
        'skip',
        'rollback',
        'abort',
      ]);
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
    'a project without a story has nothing to dispatch, and a run whose task is no list makes a story of it',
    () => {
      const ended = Player.start(flow, { items: [item(us5)] })
        .do({ type: 'abort' })
        .answer('abort')
        .go();
      const [view] = ended.replies.flatMap((reply) => replyViews(reply, ended.state));
      expect([view?.text, ended.live]).toEqual([expect.stringContaining('shop is idle (E006).'), null]);
      expect(initialState('shop').story).toBeNull();
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
    'an unknown word never passes',
    () => {
      expect(node(at('bdd').settle(envelope({ result: report('great') })), 'bdd').last).toMatchObject({
        outcome: 'failing',
      });
    },
  ],
  [
    'S3-33',
    'an unknown reason counts as none, with a warning, and stays in the summary',
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

/** What the protocol has each step told, in this order. */
const fixedInstructions: readonly (readonly [Step, RegExp])[] = [
  [
    'bdd',
    /Given \/ When \/ Then[\s\S]*RFC 2119[\s\S]*MUST NOT[\s\S]*`@unit`, `@integration`, `@component` or `@e2e`[\s\S]*\[NEEDS CLARIFICATION/,
  ],
  ['sdd-delta', /## ADDED[\s\S]*## MODIFIED[\s\S]*## REMOVED/],
  ['contract', /Change only the endpoints[\s\S]*OpenAPI \(AsyncAPI for messages\)/],
  [
    'scaffold',
    /they must fail[\s\S]*one test for each scenario at the level of its tag[\s\S]*non-functional requirement/,
  ],
  ['impl', /as little code as possible[\s\S]*Change only the functions[\s\S]*refactor/],
  ['verify', /Completeness: [\s\S]*Correctness: [\s\S]*Coherence: /],
  ['update-memory', /`DONE`[\s\S]*`TESTS`[\s\S]*`LOG`[\s\S]*`NEXT`[\s\S]*`NOW`/],
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
        'Please read the following files in order:\n1. PROJECT_CONTEXT.md\n2. PROJECT_MEMORY.md\n3. docs/bdd/US-005.md\n4. docs/sdd.md\n5. .ai/HANDOFF.previous.md',
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
  ...fixedInstructions.map(
    ([step, wanted]): Row => [
      'S3-102 S3-106',
      `the prompt of ${step} brings its fixed instruction`,
      () => expect(prompt(at(step), step)).toMatch(wanted),
    ],
  ),
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
    'S3-169',
    'a continue at a review approves nothing',
    () => {
      expect(at('review').go().asks).toEqual(['review']);
    },
  ],
  [
    'S3-85',
    'a look at the status names the step that is next and what there is to decide, and changes nothing',
    () => {
      const lookAt = (player: Player) => {
        const store = storeOf(player);
        const looks = [1, 2].map(() => projectStatus(store, { name: 'shop', aliases: [], level: 'semi' } as never, 0));
        expect(looks[0]).toEqual(looks[1]);
        expect(store.chain('r12', us5)).toEqual(player.world.chains.get(us5));
        return looks[0];
      };
      const waiting = Player.start(flow, { items: [item(us5)], level: 'semi' }).settle(ok);
      expect(lookAt(waiting)?.nodes.find(({ state }) => state === 'ready')?.template).toBe('sdd-delta');
      expect(waiting.go().live).toBe('US-005/sdd-delta');
      expect(lookAt(at('review'))?.interactions).toMatchObject([{ kind: 'review', state: 'open' }]);
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
      expect(node(player, 'contract').skipReason).toEqual({ type: 'person', reason: 'no API here', by: 'ada' });
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
];

/** The shipped workflow where files beyond a step's list fail it and are not only warned of. */
const strict: Workflow = { ...flow, policy: { ...flow.policy, writes: 'check' } };

/** What comes of a step that passes with these files changed. */
function wroteAt(step: Step, filesChanged: readonly string[], workflow = flow) {
  const envelope = { ...(step === 'impl' ? green : ok), filesChanged };
  return node(at(step, { items: [item(us5)] }, workflow).settle(envelope), step).last;
}

const roles: readonly Row[] = [
  [
    'S3-01',
    'the orchestrator names files and never quotes them: a prompt is made of the state alone',
    () => {
      const player = at('impl');
      const text = prompt(player, 'impl');
      expect(text).toContain('1. docs/sdd.md');
      expect(renderPrompt(structuredClone(player.stateOf(us5)), node(player, 'impl').id).text).toBe(text);
    },
  ],
  [
    'S3-03 S3-178',
    'people decide at the review alone, and what comes after it goes on by itself',
    () => {
      const player = at('review');
      expect(player.open).toMatchObject([{ kind: 'review' }]);
      const walked = [player.answer('approve').live, passOne(player).live, passOne(player).live];
      expect(walked).toEqual(['US-005/scaffold', 'US-005/impl', 'US-005/verify']);
      expect(player.open).toEqual([]);
    },
  ],
  [
    'S3-13 S3-181',
    'the memory is the executor’s: one step writes it, and any other that does is warned of, or fails where files are checked',
    () => {
      const writers = steps.filter((step) => ruleOf(step).writes.includes('PROJECT_MEMORY.md'));
      expect(writers).toEqual(['update-memory']);
      const wrote = (step: Step, workflow?: Workflow) => wroteAt(step, ['PROJECT_MEMORY.md'], workflow);
      expect(wrote('bdd')?.warnings.join()).toContain('PROJECT_MEMORY.md');
      expect(wrote('bdd', strict)).toMatchObject({ outcome: 'failing', reason: 'scope_warning' });
      expect(wrote('impl', strict)).toMatchObject({ outcome: 'failing', reason: 'scope_warning' });
      expect(wrote('update-memory', strict)).toMatchObject({ outcome: 'pass', warnings: [] });
      const text = prompt(at('update-memory'), 'update-memory');
      expect(text).toContain('.ai/STATE.json');
      expect(text).toContain('Take facts from the state file, the handoff and `git log`; invent none.');
    },
  ],
  [
    'S3-62 S3-181',
    'the prompt that updates the memory holds the counts of the last tests, and so does the state file that it reads',
    () => {
      const player = at('verify').walk(
        envelope({ result: report('pass'), checks: [check('tests', true), check('check', true)] }),
      );
      expect(stepOf(player)).toBe('update-memory');
      expect(stateFile(spineOf(player), player.stateOf(us5).chain)).toMatchObject({
        step: 'update-memory',
        status: 'running',
        tests: { pass: 2, fail: 0, skip: 0 },
        lint_pass: true,
      });
      expect(prompt(player, 'update-memory')).toContain(
        'The last run of this story: tests: 2 passed, 0 failed, 0 skipped; check: passed.',
      );
    },
  ],
  [
    'S3-38',
    'a hand-off is overwritten, never added to',
    () => {
      expect(prompt(at('bdd'), 'bdd')).toContain('Overwrite .ai/HANDOFF.md');
    },
  ],
  [
    'S3-52 S3-53',
    'each step writes only what changes, in a form that is read by machines',
    () => {
      expect(ruleOf('sdd-delta').writes).toEqual(['docs/deltas/{{item.key}}.md']);
      for (const word of ['ADDED', 'MODIFIED', 'REMOVED']) expect(ruleOf('sdd-delta').prompt).toContain(`## ${word}`);
      expect(ruleOf('contract').prompt).toContain(
        'Change only the endpoints, messages and schemas that the delta names',
      );
      expect(ruleOf('contract').writes).toEqual(['docs/api/openapi.yaml']);
      expect(ruleOf('impl').prompt).toContain('Change only the functions that this story touches');
      expect(ruleOf('update-memory').prompt).toContain('Change only the sections that this story touches');
      expect(ruleOf('verify').prompt).toContain('merge the delta into the sections of the design that it names');
      expect(wroteAt('sdd-delta', ['docs/sdd.md'])?.warnings.join()).toContain('docs/sdd.md');
      expect(wroteAt('sdd-delta', ['docs/deltas/US-005.md'])?.warnings).toEqual([]);
    },
  ],
  [
    'S3-64',
    'a component test is no step of its own',
    () => {
      expect(build.whole(flow).chain.flatMap((def) => def.body.map((one) => one.id))).toEqual(steps);
    },
  ],
];

const stateOf = (player: Player, key = us5) => {
  const chain = player.world.chains.get(key);
  if (!chain) throw new Error(`no chain ${key}`);
  return stateFile(spineOf(player), chain);
};

const stateRows: readonly Row[] = [
  [
    'S3-35',
    'the state begins empty',
    () => {
      expect(initialState('shop')).toEqual({
        ...{ project: 'shop', story: null, step: 'bdd', attempt: 1, max_attempts: 3, status: 'pending', reason: null },
        ...{ dispatched_at: null, completed_at: null, timeout_min: 5, tests: null, failing_tests: [], lint_pass: null },
        ...{ files_changed: [], blocked_by: [], human_note: null },
      });
    },
  ],
  [
    'S3-15 S3-16 S3-17 S3-18 S3-19 S3-20 S3-22 S3-23 S3-24',
    'it names project, story, step and attempt, with the limits of this very step, and no end while it runs',
    () => {
      const player = at('impl').settle(fails());
      expect(stateOf(player)).toMatchObject({
        ...{ project: 'shop', story: us5, step: 'impl', attempt: 2, max_attempts: 5, timeout_min: 10 },
        ...{ status: 'running', dispatched_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), completed_at: null },
      });
      expect(stateOf(passOne(player))).toMatchObject({ step: 'verify', attempt: 1, max_attempts: 2, timeout_min: 5 });
    },
  ],
  [
    'S3-21 S3-25 S3-26 S3-27 S3-28 S3-114 S3-117',
    'it holds what came back: reason, counts, failing tests, lint by its exit code, files, and when',
    () => {
      const checks = (ok: boolean) => [build.check('tests', false, ['orders are sorted']), build.check('check', ok)];
      const told = (ok: boolean) =>
        envelope({ result: report('failing', 'nfr_missing'), checks: checks(ok), filesChanged: ['a.ts'] });
      const player = at('impl', { items: [item(us5)] })
        .do({ type: 'pause' })
        .settle(told(true));
      expect(stateOf(player)).toMatchObject({
        ...{ status: 'failing', reason: 'nfr_missing', tests: { pass: 2, fail: 1, skip: 0 } },
        ...{ failing_tests: ['orders are sorted'], lint_pass: true, files_changed: ['a.ts'] },
        completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });
      expect(stateOf(at('impl').do({ type: 'pause' }).settle(told(false))).lint_pass).toBe(false);
    },
  ],
  [
    'S3-29',
    'it names the unfinished stories that it waits for, and no finished one',
    () => {
      const player = Player.start(flow, { items: [item('US-003'), item(us5, ['US-003'])], afterStory: 'start' });
      const blocked = stateFile(spineOf(player), { ...player.stateOf('US-003').chain, key: us5 });
      expect(blocked.blocked_by).toEqual(['US-003']);
      for (let turn = 0; turn < steps.length; turn++) passOne(player);
      expect(stateOf(player).blocked_by).toEqual([]);
    },
  ],
  [
    'S3-30 S3-137',
    'a person’s words wait in it until they are delivered, as they were said',
    () => {
      const player = at('bdd')
        .do({ type: 'pause' })
        .settle(envelope({ result: report('needs_human', null, 'How long?') }));
      player.answer('answer', '30 seconds, others OK');
      expect(stateOf(player).human_note).toBe('30 seconds, others OK');
      expect(stateOf(player.go()).human_note).toBeNull();
      expect(prompt(player, 'bdd')).toContain('30 seconds, others OK');
    },
  ],
  [
    'S3-11 S3-13 S3-14 S3-141 S3-144',
    'the project’s file and the story’s own say the same after each step, so neither way to read loses the story',
    async () => {
      const root = mkdtempSync(join(tmpdir(), 'bosun-s3-'));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      const player = at('bdd', { items: [item(us5), item('US-006')] });
      writeFileSync(join(root, 'PROJECT_MEMORY.md'), 'mine\n');
      for (const step of ['bdd', 'sdd-delta', 'contract']) {
        const { chains } = player.world;
        await exportRun(root, spineOf(player), [...chains.keys()], (key) => chains.get(key) ?? null);
        const own: unknown = JSON.parse(readFileSync(join(root, '.ai', 'states', `${us5}.json`), 'utf8'));
        expect(own).toMatchObject({ story: us5, step, status: 'running' });
        expect(JSON.parse(readFileSync(join(root, '.ai', 'STATE.json'), 'utf8'))).toEqual(own);
        passOne(player);
      }
      expect(readFileSync(join(root, 'PROJECT_MEMORY.md'), 'utf8')).toBe('mine\n');
    },
  ],
];

/** The rules of a project laid over the shipped ones. */
function ruled(text: string) {
  return applyStepRules(flow, { file: '.ai/step-rules.yaml', text });
}

function ruledFlow(text: string): Workflow {
  const applied = ruled(text);
  if (!applied.ok) throw new Error(JSON.stringify(applied.problems));
  return applied.workflow;
}

function implOf(workflow: Workflow): build.WholeNode {
  const found = build.whole(workflow).chain[0]?.body.find((one) => one.id === 'impl');
  if (!found) throw new Error('no impl');
  return found;
}

const rules: readonly Row[] = [
  [
    'S3-65',
    'a project’s rules are laid over any field of any step',
    () => {
      const workflow = ruledFlow('impl: { max_attempts: 1, post_check: "semgrep ci" }\nverify: { timeout_min: 20 }\n');
      expect(implOf(workflow)).toMatchObject({ maxAttempts: 1, check: 'semgrep ci', timeoutMs: 600_000 });
      expect(build.whole(workflow).chain[0]?.body.find((one) => one.id === 'verify')?.timeoutMs).toBe(1_200_000);
    },
  ],
  [
    'S3-66',
    'rules that are wrong are refused with their place and what is wrong',
    () => {
      const wrong = ruled('impl:\n  max_attempt: 1\n');
      expect(!wrong.ok && wrong.problems[0]).toMatchObject({
        line: 2,
        message: expect.stringContaining('max_attempt'),
      });
    },
  ],
  [
    'S3-67',
    'both ways to write where a failure leads are taken',
    () => {
      const leads = (text: string) => implOf(ruledFlow(text)).onFail['default'];
      expect(leads('impl: { next_on_fail: bdd }')).toMatchObject({ type: 'goto', target: 'bdd' });
      expect(leads('impl: { on_fail: { default: bdd } }')).toEqual(leads('impl: { next_on_fail: bdd }'));
    },
  ],
  [
    'S3-68',
    'a route to an unknown step is refused',
    () => {
      const wrong = ruled('impl: { on_fail: { default: { goto: imp } } }');
      expect(!wrong.ok && wrong.problems.map((one) => one.message).join()).toContain('"imp"');
    },
  ],
];

const results: readonly Row[] = [
  [
    'S3-86 S3-93',
    'a dispatched step is reported as running, with its attempt, and never as done',
    () => {
      const player = at('impl');
      const shown = noticeView({ type: 'progress' }, player.stateOf(us5), player.now);
      expect(shown?.view.text).toContain('shop: executing US-005 impl (attempt 1)');
      const again = player.go().replies.flatMap((reply) => replyViews(reply, player.stateOf(us5)));
      expect(again.map((view) => view.text)).toEqual(['US-005 is still running (impl), queued.']);
    },
  ],
  [
    'S3-92',
    'what went wrong beside the work has a code, and can be tried again',
    () => {
      const fault = { code: 'executor_missing', message: 'no agent' } as const;
      const player = at('bdd').settle(envelope({ fault }));
      expect(node(player, 'bdd').last).toMatchObject({ outcome: 'crashed', reason: 'executor_missing' });
      expect(node(player, 'bdd').state).toBe('queued');
    },
  ],
  [
    'S3-110 S3-111 S3-112 S3-113',
    'scaffold, impl and verify are tested, impl is checked, and evidence counts after a failure too',
    () => {
      expect(steps.filter((step) => ruleOf(step).tests !== null)).toEqual(['scaffold', 'impl', 'verify']);
      expect(steps.filter((step) => ruleOf(step).check !== null)).toEqual(['impl']);
      const player = at('impl').settle({ ...fails(), checks: red.checks });
      expect(node(player, 'impl').last).toMatchObject({ outcome: 'failing', tests: { fail: 1 } });
    },
  ],
  [
    'S3-115 S3-170',
    'each change of state is reported in words',
    () => {
      const player = at('impl').settle(red);
      const said = player.notices.map((notice) => noticeView(notice, player.stateOf(us5), player.now)?.view.text);
      expect(said.join('\n')).toContain('shop: US-005 impl failing (attempt 1), 2/3, 1 failing, trying again');
    },
  ],
  [
    'S3-162 S3-165',
    'a message becomes project, action and what belongs to it',
    () => {
      const shop = [{ name: 'shop', aliases: ['A'] }];
      const rows = [
        ['Continue A', 'continue', null],
        ['status shop', 'status', null],
        ['retry shop impl', 'retry', 'impl'],
        ['skip shop US-005', 'skip', 'US-005'],
        ['abort A', 'abort', null],
      ] as const;
      for (const [text, verb, target] of rows) {
        expect(parse(text, shop), text).toMatchObject({ verb, project: 'shop', target });
      }
    },
  ],
  [
    'S3-173 S3-174',
    '"Continue A" says what is executed with its attempt, and then what it came to with its counts',
    () => {
      const player = at('impl').settle(fails()).settle(fails());
      const shown = () => player.notices.map((one) => noticeView(one, player.stateOf(us5), player.now)?.view.text);
      const [live] = player.run.live;
      player.do({ type: 'attempt_started', chain: us5, attempt: live?.attempt ?? '', worker: 'w1' });
      expect(shown().join()).toContain('executing US-005 impl (attempt 3)');
      const counts = { pass: 44, fail: 0, skip: 0, failing: [] };
      player.settle({ ...ok, checks: [{ ...build.check('tests', true), tests: counts }] });
      expect(shown().join()).toContain('US-005 impl complete, 44/44, entering verify');
    },
  ],
  [
    'S3-187',
    'a run holds several stories',
    () => {
      expect(Player.start(flow, { items: [item(us5), item('US-006')] }).stories()).toBe('US-005:running US-006:ready');
    },
  ],
];

const teamRules = `
impl:
  dispatch_mode: { S: single, M: auto, L: team }
  team_roles:
    backend: { claude_reads: [docs/sdd.md, docs/api/openapi.yaml, "*.go"], claude_writes: ["*.go"] }
    frontend: { claude_reads: [docs/sdd.md, docs/api/openapi.yaml, "*.ts"], claude_writes: ["*.ts"] }
    test: { claude_reads: ["docs/bdd/US-{story}.md", docs/api/openapi.yaml], claude_writes: ["*_test.go", "*.spec.ts"] }
    verify: { claude_reads: ["docs/bdd/US-{story}.md", "docs/deltas/US-{story}.md"], claude_writes: [] }
`;
const teamFlow = ruledFlow(teamRules);

function teamOf(workflow = teamFlow) {
  const { team } = implOf(workflow);
  if (!team) throw new Error('no team');
  return team;
}

function atTeam(workflow = teamFlow): Player {
  const player = Player.start(workflow, { items: [{ ...item(us5), complexity: 'L' }] });
  for (let turn = 0; turn < steps.length && stepOf(player) !== 'impl'; turn++) passOne(player);
  return player;
}

function member(role: string, status: string, patch: Partial<TeamReport> = {}): TeamReport {
  return { role, exit: 0, status, reason: null, summary: null, filesChanged: [], conflicts: [], ...patch };
}

const teams: readonly Row[] = [
  [
    'S3-146 S3-147 S3-148',
    'a small story is for one, a large one for a team, a middle one for a team from two pieces on; unknown is for one',
    () => {
      const sizes = [
        ['S', 5, 'single'],
        ['M', 0, 'single'],
        ['M', 1, 'single'],
        ['M', 2, 'team'],
        ['L', 0, 'team'],
        [null, 5, 'single'],
      ] as const;
      for (const [complexity, parallelTags, mode] of sizes) {
        expect(dispatchMode(teamOf(), { complexity, parallelTags }), `${complexity} ${parallelTags}`).toBe(mode);
      }
      expect(teamOf(ruledFlow('impl: { team: { roles: { one: {} } } }')).mode).toEqual({
        S: 'single',
        M: 'auto',
        L: 'team',
      });
    },
  ],
  [
    'S3-149 S3-150',
    'the roles of a step have their own reads and writes, in the protocol’s words; a single executor gets none',
    () => {
      expect(Object.keys(teamOf().roles)).toEqual(['backend', 'frontend', 'test', 'verify']);
      expect(teamOf().roles).toMatchObject({
        backend: { writes: ['*.go'] },
        frontend: { writes: ['*.ts'] },
        test: { reads: ['docs/bdd/{{item.key}}.md', 'docs/api/openapi.yaml'], writes: ['*_test.go', '*.spec.ts'] },
        verify: { writes: [] },
      });
      expect(implOf(flow).team).toBeNull();
      expect(prompt(atTeam(), 'impl')).not.toContain('Your part');
    },
  ],
  [
    'S3-151',
    'each member gets what it may read and write, nothing of the others’ code, and may write only that',
    () => {
      const player = atTeam();
      const toldTo = (role: string) =>
        renderMemberPrompt(player.stateOf(us5), node(player, 'impl').id, role).split('## Your part: ')[1] ?? '';
      expect(toldTo('backend')).toContain('Read only:\n- docs/sdd.md\n- docs/api/openapi.yaml\n- *.go');
      expect(toldTo('backend')).not.toContain('.ts');
      expect(toldTo('frontend')).not.toContain('.go');
      expect(toldTo('test')).toContain('Write only:\n- *_test.go\n- *.spec.ts');
      expect(toldTo('test').split('Write only')[0]).not.toMatch(/\*\.(go|ts)/);
      expect(toldTo('verify')).toContain('Read only:\n- docs/bdd/US-005.md\n- docs/deltas/US-005.md');
      const filesChanged = ['src/a.ts', 'src/a.go'];
      const team = [member('backend', 'pass', { filesChanged })];
      const told = envelope({ team, result: report('pass'), checks: green.checks, filesChanged });
      expect(node(atTeam().settle(told), 'impl').last?.warnings.join()).toContain('src/a.ts (backend)');
      const checked = atTeam({ ...teamFlow, policy: strict.policy }).settle(told);
      expect(node(checked, 'impl').last).toMatchObject({ outcome: 'failing', reason: 'scope_warning' });
    },
  ],
  [
    'S3-155',
    'the most specific pattern owns a file, so that overlapping ones still work side by side; the same ones take turns',
    () => {
      expect(teamTurns(teamOf()).map(({ turn }) => turn)).toEqual([0, 0, 0, 0]);
      const writes = Object.fromEntries(Object.entries(teamOf().roles).map(([name, role]) => [name, role.writes]));
      const owner = (file: string) => ownerOf(file, writes);
      expect([owner('src/a_test.go'), owner('src/a.go'), owner('src/a.spec.ts')]).toEqual(['test', 'backend', 'test']);
      const same = ruledFlow('impl: { team: { roles: { one: { writes: ["src/**"] }, two: { writes: ["src/**"] } } } }');
      expect(teamTurns(teamOf(same)).map(({ turn }) => turn)).toEqual([0, 1]);
    },
  ],
  [
    'S3-156',
    'a team whose check fails has not done its step, whatever its members say',
    () => {
      const team = [member('backend', 'pass'), member('frontend', 'pass')];
      const player = atTeam().settle(envelope({ team, result: report('pass'), checks: [build.check('check', false)] }));
      expect(node(player, 'impl')).toMatchObject({ state: 'queued', attempt: 2, last: { outcome: 'failing' } });
      expect(prompt(player, 'impl')).toContain('check broke');
    },
  ],
  [
    'S3-161',
    'a team’s result is on record by member',
    () => {
      const team = [member('backend', 'pass'), member('frontend', 'failing', { summary: 'no page' })];
      const told = { ...handoff({ status: 'failing', summary: 'frontend: no page' }) };
      const player = atTeam().settle(envelope({ team, handoff: told }));
      expect(node(player, 'impl').last).toMatchObject({ outcome: 'failing', summary: 'frontend: no page', team });
    },
  ],
];

const e2e = (name: string) => `test/e2e/scenarios-${name}.test.ts`;
const unit = (name: string) => `test/agents/attempts/${name}.test.ts`;

const elsewhere: readonly Elsewhere[] = [
  {
    item: 'S3-163',
    file: 'test/dispatch/dispatcher.test.ts',
    title: 'runs effects only after the commit',
  },
  {
    item: 'S3-163',
    file: 'test/contract/queue-contract.ts',
    title: 'runs a job once even if it is added again while it waits, runs or is settled',
  },
  { item: 'S3-84', file: e2e('projects'), title: 'two simultaneous "continue" messages dispatch once' },
  {
    item: 'S3-138 S3-139 S3-185',
    file: e2e('projects'),
    title: '"continue B" reports that B is still running, and A runs in parallel',
  },
  {
    item: 'S3-197',
    file: 'test/engine/workflow/step-rules.test.ts',
    title: 'can set dispatch_mode once for all steps with a team: %j',
  },
  { item: 'S3-01', file: 'test/architecture.test.ts', title: 'has no import that breaks the import table' },
  {
    item: 'S3-02',
    file: e2e('levels'),
    title: 'a hook is refused when no step waits for a report, and changes nothing while an agent runs',
  },
  {
    item: 'S3-05',
    file: e2e('cli'),
    title: 'a killed Bosun leaves no process running, and the next one finishes the work',
  },
  {
    item: 'S3-10',
    file: e2e('sentences'),
    title: 'a project requested in chat is created when an owner confirms, and its bootstrap run completes',
  },
  {
    item: 'S3-06 S3-10',
    file: e2e('sentences'),
    title: 'free sentences walk a story: started at bdd, reviewed, then exactly the named steps',
  },
  { item: 'S3-11 S3-14', file: e2e('whole'), title: 'STATE.json mirrors the status of each step' },
  { item: 'S3-11', file: unit('attempt'), title: 'can be the state file, if a hook wrote it: with %s' },
  {
    item: 'S3-12 S3-50',
    file: unit('attempt'),
    title: 'from before is ignored: a result file is moved away, and a hand-off is kept beside',
  },
  {
    item: 'S3-43 S3-50',
    file: e2e('evidence'),
    title: 'files left by an earlier attempt are not read as the report of a later one',
  },
  { item: 'S3-43', file: unit('attempt'), title: 'that names %s is stale' },
  { item: 'S3-46', file: unit('reports'), title: 'may contain %s' },
  {
    item: 'S3-66',
    file: e2e('workflows'),
    title: 'invalid step rules are refused with their place, and the last valid ones stay in force',
  },
  {
    item: 'S3-94',
    file: 'test/dispatch/sweep.test.ts',
    title: 'retries an open attempt that the queue does not know, and leaves one that it knows alone',
  },
  { item: 'S3-94', file: unit('deadline'), title: 'expires after its time, with or without output' },
  { item: 'S3-110', file: unit('evidence'), title: 'fail if a test failed, despite exit code 0' },
  { item: 'S3-116', file: unit('read-tests'), title: 'of %s are parsed from %s, with the format given or detected' },
  {
    item: 'S3-120',
    file: unit('evidence'),
    title: 'run in the working directory, tests before the check command, and are logged',
  },
  {
    item: 'S3-120',
    file: unit('evidence'),
    title: 'are killed with their children at their own time limit if they hang',
  },
  {
    item: 'S3-140',
    file: e2e('projects'),
    title: 'with two projects "continue" asks which one, and the pressed button continues it',
  },
  {
    item: 'S3-140',
    file: e2e('projects'),
    title: 'an unknown project is answered with suggestions and starts nothing',
  },
  {
    item: 'S3-141',
    file: 'test/dispatch/exports/state-file.test.ts',
    title: 'writes one file for the project, and one for each changed story that has begun',
  },
  {
    item: 'S3-143',
    file: e2e('parallel'),
    title: 'stories run in parallel, each in its own worktree, and each is merged as one commit',
  },
  { item: 'S3-145 S3-146', file: e2e('teams'), title: '%s is worked on by the members that its size calls for' },
  {
    item: 'S3-145 S3-151',
    file: e2e('teams'),
    title: 'team members get their own role and files, and one summary covers both',
  },
  {
    item: 'S3-152',
    file: unit('team'),
    title: 'records assignments, results, blockers and conflicts',
  },
  {
    item: 'S3-38 S3-153',
    file: unit('team'),
    title: 'is one hand-off with progress, conflicts and notes, stored for the next session',
  },
  {
    item: 'S3-154',
    file: unit('team'),
    title: 'run in parallel, each with its own prompt, name, report files and log',
  },
  {
    item: 'S3-155',
    file: unit('team'),
    title: 'is in conflict if two members report it, or if it matches another role’s more specific pattern',
  },
  { item: 'S3-156', file: unit('team'), title: 'is checked once, after all members' },
  {
    item: 'S3-161',
    file: e2e('teams'),
    title: 'a failing team member fails the step by name, and the step is retried',
  },
  {
    item: 'S3-171',
    file: 'test/e2e/one-conversation.test.ts',
    title: 'a conversation has the same history and texts on the terminal, Telegram and Slack',
  },
  {
    item: 'S3-172',
    file: 'test/cli/project-commands.test.ts',
    title: 'refuses to overwrite a project or its state file: exit 3',
  },
  {
    item: 'S3-179',
    file: e2e('conversation'),
    title: '"Stop for today" lists the finished and the next story, and "continue" resumes from there',
  },
  {
    item: 'S3-173 S3-174 S3-175 S3-176 S3-177 S3-178',
    file: e2e('conversation'),
    title: '"Continue A" walks two stories to the end of the run and posts every test count on the way',
  },
];

const leftOut = {
  'S3-45': 'the history of a run is in the database and in `history`',
  'S3-157':
    'members are processes that end with their part, so none idles; what is unfinished fails the step, and its next try hands all of it out again',
  'S3-158': 'host-specific: there is no agent that leads',
  'S3-159': 'a team is one attempt, and a checkout has one attempt at a time',
  'S3-160': 'host-specific: another product’s teams, and how to try them out',
  'S3-189': 'Bosun commits a story itself when it is done',
  'S3-191': 'a done story is delivered and stays done: what is wrong with it is a story of its own',
  'S3-192': 'reads are advice: an agent that lacks one reports needs_clarification',
  'S3-193': 'the last attempt’s summary is in the status',
  'S3-194': 'level manual names any step with its instruction',
  'S3-195': 'presentation: what is open in a story stands in its steps and cards',
  'S3-196': 'presentation: what was spent is counted, nothing is estimated',
};

const sections = {
  dispatch: dispatching,
  reports: reporting,
  'rules and reasons': routing,
  prompts: prompting,
  people,
  roles,
  'the state file': stateRows,
  'a project’s rules': rules,
  'results and words': results,
  teams,
};

prove(sections);
proveWhole(sections, elsewhere, leftOut, 'S3');
