// Small random workflows, and random moves that mostly fit the state that they meet.
import fc from 'fast-check';
import type { Envelope, Interaction, NewItem, NodeDef, Workflow } from '../../src/engine/index.js';
import * as build from './builders.js';

export interface Setup {
  readonly workflow: Workflow;
  readonly options: build.Options;
}

/** A move is drawn before the state is known: `kind` says what is wanted, the numbers pick among what there is. */
export interface Move {
  readonly kind: (typeof moveKinds)[number];
  readonly pick: number;
  readonly other: number;
}

const moveKinds = [
  'next',
  'settle',
  'begin',
  'work',
  'answer',
  'answer_wrongly',
  'continue',
  'name',
  'retry',
  'skip',
  'skip_item',
  'rollback',
  'pause',
  'kill',
  'abort',
  'budget',
  'start',
  'report',
  'again',
  'stale',
] as const;

const weights: Partial<Record<Move['kind'], number>> = { next: 60, settle: 10, answer: 8, continue: 5, work: 3 };

export const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.oneof(...moveKinds.map((kind) => ({ arbitrary: fc.constant(kind), weight: weights[kind] ?? 1 }))),
  pick: fc.nat(1_000),
  other: fc.nat(1_000),
});

type Picker = (...choices: readonly number[]) => number;

/** Draws from a list of numbers, so that a failing workflow shrinks as its numbers do. */
function pickerOf(numbers: readonly number[]): Picker {
  let next = 0;
  return (...choices) => choices[(numbers[next++ % numbers.length] ?? 0) % choices.length] ?? 0;
}

export const setup: fc.Arbitrary<Setup> = fc
  .array(fc.nat(1_000), { minLength: 40, maxLength: 90, size: 'max' })
  .map((numbers) => makeSetup(pickerOf(numbers)));

function makeSetup(pick: Picker): Setup {
  const before = makeChain(pick, 'a', pick(0, 0, 1, 2));
  const after = makeChain(pick, 'z', pick(0, 0, 1, 2));
  const body = makeChain(pick, 'b', pick(1, 2, 3, 4));
  const hasLoop = pick(1, 1, 0) === 1;
  const planner = build.def('plan', {
    expects: { status: null, keys: [], items: 'required', red: false },
    maxAttempts: 1,
  });
  const chain = [
    ...(hasLoop && pick(0, 0, 1) === 1 ? [planner] : []),
    ...before,
    ...(hasLoop ? [build.loop('stories', body, { maxRejections: pick(0, 1, 2) })] : body),
    ...after,
  ];
  const levels = ['auto', 'auto', 'semi', 'manual'] as const;
  const workflow = build.workflow(chain, {
    ...build.policy({
      onItemFailed: pick(0, 1) ? 'continue' : 'fail_run',
      report: pick(0, 1) ? 'required' : 'optional',
    }),
    limits: { items: 20, nodesPerItem: 30, dispatches: pick(500, 500, 500, 6) },
  });
  return {
    workflow,
    options: {
      items: hasLoop ? makeItems(pick) : [],
      level: levels[pick(0, 1, 2, 3)] ?? 'auto',
      afterStory: pick(0, 1) ? 'start' : 'propose',
      budgetUsd: [null, null, null, null, 0.5, 0][pick(0, 1, 2, 3, 4, 5)] ?? null,
      propose: pick(0, 1) === 1,
    },
  };
}

function makeItems(pick: Picker): readonly NewItem[] {
  const keys = ['US-1', 'US-2', 'US-3', 'US-4'].slice(0, pick(0, 1, 2, 3, 4));
  return keys.map((key, index) =>
    build.item(
      key,
      keys.filter((_, at) => at !== index && pick(0, 0, 1) === 1 && at < index),
    ),
  );
}

function makeChain(pick: Picker, name: string, length: number): readonly NodeDef[] {
  const ids = Array.from({ length }, (_, index) => `${name}${index}`);
  return ids.map((id, index) => makeNode(pick, id, index, ids));
}

function makeNode(pick: Picker, id: string, index: number, ids: readonly string[]): NodeDef {
  const kind = (['task', 'task', 'task', 'check', 'human'] as const)[pick(0, 1, 2, 3, 4)] ?? 'task';
  const others = ids.filter((one) => one !== id);
  const someRoute = (): NodeDef['onPass'] => {
    const target = others[pick(0, 1, 2, 3)];
    const budget = pick(0, 1) && id.startsWith('b') ? 'rejections' : 'loops';
    const jump = target ? build.goto(target, { budget, carry: { why: 'ISSUES' }, clear: ['old'] }) : null;
    const routes: readonly (NodeDef['onPass'] | null)[] = [
      { type: 'retry' },
      jump,
      jump,
      { type: 'ask' },
      { type: 'fail' },
    ];
    return routes[pick(0, 1, 2, 3, 4)] ?? { type: 'retry' };
  };
  const later = ids[index + 2];
  const decides = kind === 'task' && pick(0, 0, 0, 1) === 1;
  return build.def(id, {
    kind,
    maxAttempts: pick(1, 2, 3),
    abandons: pick(0, 1, 2),
    maxLoops: pick(1, 2),
    mandatory: pick(0, 0, 0, 1) === 1,
    onExhausted: pick(0, 1) ? 'ask' : 'fail',
    onTimeout: (['abandon', 'ask', 'fail'] as const)[pick(0, 1, 2)] ?? 'ask',
    onPass: later && pick(0, 0, 1) ? build.goto(later) : pick(0, 0, 0, 0, 1) ? { type: 'finish' } : { type: 'next' },
    onFail: { default: someRoute(), scope_warning: someRoute() },
    onStatus: pick(0, 0, 1) ? { retry: someRoute() } : {},
    decisionKey: decides ? 'DECISION' : null,
    onDecision: decides ? { approved: { type: 'next' }, again: someRoute() } : {},
    expects: { status: null, keys: [], items: 'any', red: pick(0, 0, 0, 0, 1) === 1 },
  });
}

const stories = JSON.stringify([
  { id: 'US-1', title: 'One', description: 'First', acceptanceCriteria: ['a'] },
  { id: 'US-2', title: 'Two', description: 'Second', acceptanceCriteria: ['b'], dependsOn: ['US-1'] },
]);
const done = build.said({ STATUS: 'pass', DECISION: 'approved', ISSUES: 'none' }, { costUsd: 0.2 });

const plain: readonly Envelope[] = [
  done,
  done,
  done,
  done,
  build.crash,
  build.timeout,
  build.killed,
  build.interrupted,
];
const envelopes: readonly Envelope[] = [
  ...plain,
  build.question,
  build.failing,
  build.said({ STATUS: 'failing', REASON: 'scope_warning' }),
  build.said({ STATUS: 'retry', ISSUES: 'do it again' }),
  build.said({ STATUS: 'done', DECISION: 'again' }),
  build.said({ STATUS: 'done', DECISION: 'constructor' }),
  build.said({ STATUS: 'constructor' }),
  build.said({ STATUS: 'pass', DECISION: 'approved', NEXT_STORY: 'US-9 The next one' }),
  build.envelope({ checks: [build.check('tests', false, ['t1'])], result: build.report('pass') }),
  build.envelope({ checks: [build.check('tests', true)], handoff: build.handoff({ status: 'pass' }) }),
  build.envelope(),
  build.envelope({ handoff: { front: null, body: 'SCOPE WARNING: too much' } }),
];

/** A planner reports stories, so that its loop has some. */
export function envelopeFor(step: string, pick: number): Envelope {
  const found = envelopes[pick % envelopes.length] ?? done;
  return step === 'plan' && found === done ? { ...done, output: { ...done.output, stories } } : found;
}

export const workResults = [
  build.clean,
  build.clean,
  {
    ...build.clean,
    note: 'Kept as a diff file.',
    commit: 'abcdef0123',
    diffStat: { files: 1, insertions: 2, deletions: 3 },
  },
  { ...build.clean, stash: 'stash-1' },
  { ok: false, code: 'dirty', message: 'not clean', files: ['a.ts'] },
  { ok: false, code: 'blocked', message: 'somebody else works here', files: [] },
] as const;

export const names = ['a0', 'b0', 'b1', 'b2', 'z0', 'plan', 'nowhere'] as const;

export function optionOf(interaction: Interaction, pick: number): string {
  return interaction.options[pick % interaction.options.length]?.id ?? '';
}
