// Random things that happen to a run: moves, and what comes back from executors, checkouts and people.

import fc from 'fast-check';
import type {
  EditOp,
  Edits,
  Envelope,
  EvidenceFile,
  Interaction,
  NewStep,
  Node,
  Survey,
  WorkspaceOp,
  WorkspaceResult,
} from '../../src/engine/index.js';
import type { WholeNode } from './builders.js';
import * as build from './builders.js';
import type { Picker } from './random-gates.js';

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
  'late',
  'ask',
  'expire',
  'remind',
] as const;

const weights: Partial<Record<Move['kind'], number>> = {
  next: 75,
  settle: 8,
  answer: 8,
  continue: 4,
  work: 4,
  late: 5,
  ask: 6,
  expire: 2,
  remind: 3,
};

export const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.oneof(...moveKinds.map((kind) => ({ arbitrary: fc.constant(kind), weight: weights[kind] ?? 1 }))),
  pick: fc.nat(10_000),
  other: fc.nat(10_000),
});

/** As many choices as are wanted, all of them told by two numbers. */
export function choices(one: number, other: number): Picker {
  let seed = one * 10_007 + other;
  return <T>(...from: readonly T[]) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return from[(seed >>> 8) % from.length] as T;
  };
}

const stories = JSON.stringify([
  { id: 'US-1', title: 'One', description: 'First', acceptanceCriteria: ['a'] },
  { id: 'US-2', title: 'Two', description: 'Second', acceptanceCriteria: ['b'], dependsOn: ['US-1'] },
]);
/** What a planner may say the next time: partly the same, or nothing that is new. */
const otherStories = JSON.stringify([
  { id: 'US-2', title: 'Two, changed', description: 'Second', acceptanceCriteria: ['b'] },
  { id: 'US-3', title: 'Three', description: 'Third', acceptanceCriteria: ['c'], dependsOn: ['US-2'] },
]);
const done = build.said({ STATUS: 'pass', DECISION: 'approved', ISSUES: 'none' }, { costUsd: 0.2 });

const plain: readonly Envelope[] = [
  ...Array.from({ length: 14 }, () => done),
  build.crash,
  build.timeout,
  build.timeout,
  build.killed,
  build.interrupted,
];
const envelopes: readonly Envelope[] = [
  ...plain,
  build.question,
  build.failing,
  build.failing,
  build.said({ STATUS: 'failing', REASON: 'scope_warning' }),
  build.said({ STATUS: 'retry', ISSUES: 'do it again' }),
  build.said({ STATUS: 'more', ISSUES: 'more to do' }),
  build.said({ STATUS: 'done', DECISION: 'again' }),
  build.said({ STATUS: 'done', DECISION: 'more' }),
  build.said({ STATUS: 'done', DECISION: 'constructor' }),
  build.said({ STATUS: 'constructor' }),
  build.said({ STATUS: 'pass', DECISION: 'approved', NEXT_STORY: 'US-9 The next one' }),
  build.envelope({ checks: [build.check('tests', false, ['t1'])], result: build.report('pass') }),
  build.envelope({ checks: [build.check('tests', true)], handoff: build.handoff({ status: 'pass' }) }),
  build.envelope(),
  build.envelope({ handoff: { front: null, body: 'SCOPE WARNING: too much' } }),
  { ...done, asks: [build.permissionAsk], session: 'claude:s1' },
  { ...done, asks: [build.questionAsk], session: 'claude:s2' },
  { ...build.failing, asks: [build.permissionAsk] },
  build.envelope({ fault: { code: 'rate_limited', message: 'too many', remedy: 'wait', waitMs: 60_000 } }),
  build.envelope({ fault: { code: 'overloaded', message: 'too many', remedy: 'wait' } }),
  build.envelope({ fault: { code: 'not_logged_in', message: 'log in', remedy: 'ask' } }),
  build.envelope({ fault: { code: 'git_settings', message: '.git/config', remedy: 'ask' } }),
  build.envelope({ exit: null, killed: 'budget', costUsd: 3 }),
];

/** A planner reports stories, so that its loop has some; a step that may edit does so often. */
export function envelopeFor(def: WholeNode | undefined, nodes: readonly Node[], label: string, pick: Picker): Envelope {
  const found = pick(...envelopes);
  if (def?.id === 'plan' && found === done) {
    return { ...done, output: { ...done.output, stories: pick(stories, stories, otherStories) } };
  }
  const edits = pick(true, def?.editable ?? false) && pick(true, true, false) ? editsOf(nodes, label, pick) : null;
  const team = def?.team && pick(true, false) ? [member] : [];
  const scratch = pick({ run: '', item: '' }, { run: 'for all', item: 'for this one' });
  return {
    ...found,
    edits: def?.editable || pick(0, 0, 0, 0, 1) ? edits : null,
    team,
    scratch,
    progress: pick(null, 'so far'),
    filesChanged: pick([], [], ['a.ts'], ['elsewhere.md']) as readonly string[],
    ...(pick(0, 0, 0, 0, 0, 0, 0, 1) ? { strays: ['link'] } : {}),
  };
}

const member = { ...build.report('pass'), role: 'back', exit: 0, filesChanged: ['a.ts'], conflicts: [] };

function editsOf(nodes: readonly Node[], own: string, pick: Picker): Edits {
  if (pick(0, 0, 0, 0, 0, 0, 0, 0, 1)) return { ok: false, error: 'it is no list' };
  return { ok: true, ops: randomOps(nodes, own, pick) };
}

/** Mostly what a chain allows. Reasons tell later who asked. */
export function randomOps(nodes: readonly Node[], own: string, pick: Picker): readonly EditOp[] {
  const pending = nodes.filter((node) => node.state === 'waiting' || node.state === 'ready');
  const target = () => pick(...pending, ...pending, ...pending, ...pending, ...nodes, undefined)?.label ?? 'step-099';
  const steps = (): readonly NewStep[] => Array.from({ length: pick(1, 1, 2, 3) }, () => step(pick));
  const one = (): EditOp => {
    const operation = pick('add_after', 'add_after', 'split', 'skip', 'skip', 'reorder', 'edit_description', 'restart');
    switch (operation) {
      case 'add_after':
        return { operation, target: pick(own, target()), reason: editReason, steps: steps() };
      case 'split':
        return { operation, target: target(), reason: editReason, steps: [...steps(), step(pick)] };
      case 'skip':
        return { operation, target: target(), reason: editReason };
      case 'reorder':
        return { operation, order: shuffled(pending, pick), reason: editReason };
      case 'edit_description':
        return { operation, target: target(), reason: editReason, description: 'another thing' };
      case 'restart':
        return { operation, target: pick(own, own, own, target()), reason: editReason, description: 'otherwise' };
    }
  };
  return Array.from({ length: pick(1, 1, 1, 2, 3) }, one);
}

const editReason = 'as the step wished';

function step(pick: Picker): NewStep {
  const known = pick('s0', 's0', 's1', 'b0', 'b0', 'b1', 'b1', 'b2');
  const type = pick(...Array.from({ length: 12 }, () => known), pick('a0', 'b4', 'mend_conflict', 'nonsense'));
  return { type, description: 'something new' };
}

function shuffled(nodes: readonly Node[], pick: Picker): readonly string[] {
  const labels = nodes.map((node) => node.label);
  if (pick(0, 0, 0, 0, 1)) return labels.slice(1);
  const at = pick(...labels.keys(), 0);
  // The last one mostly keeps its place, or nothing that is pinned would ever be reordered.
  const moved = pick(true, false) ? labels.slice(0, -1) : labels;
  const kept = labels.slice(moved.length);
  return [...moved.slice(at), ...moved.slice(0, at), ...kept];
}

const failures: readonly WorkspaceResult[] = [
  { ok: false, code: 'blocked', message: 'somebody else works here', files: [] },
  { ok: false, code: 'conflict', message: 'it does not apply', files: ['a.ts'] },
  { ok: false, code: 'dirty', message: 'not clean', files: ['a.ts'] },
  { ok: false, code: 'settings', message: '.git/config', files: [] },
];

/** What comes of a piece of work; it mostly succeeds. */
export function resultOf(op: WorkspaceOp, pick: Picker): WorkspaceResult {
  if (op.kind === 'merge' && pick(false, false, true)) return failures[1] ?? build.clean;
  if (pick(...Array.from({ length: 12 }, () => false), true)) return pick(...failures);
  switch (op.kind) {
    case 'prepare':
      return { ...build.clean, stash: pick(null, null, 'stash-1'), ...branchOf(op, pick) };
    case 'deliver':
    case 'merge':
      return pick<WorkspaceResult>(build.clean, { ...build.clean, commit: 'abcdef0123', diffStat });
    case 'read':
      return {
        ...build.clean,
        evidence: Object.fromEntries(op.files.map((file) => [file, pick(...evidence)])),
        survey: op.survey === null ? null : pick(...surveys),
      };
    case 'publish':
      return { ...build.clean, ...(pick(true, false) && { isUnlanded: true as const }) };
    case 'find_left':
      return { ...build.clean, left: pick(null, left) };
    default:
      return { ...build.clean, note: pick(null, 'Kept as a diff file.') };
  }
}

/** Where the work goes onto a branch of its own, and where it was asked to go into a checkout of its own. */
function branchOf(op: Extract<WorkspaceOp, { kind: 'prepare' }>, pick: Picker): Pick<Done, 'branch'> {
  if (op.deliver === undefined && op.worktree !== true) return {};
  const folder = op.worktree === true ? '/home/worktrees/r12' : pick(null, null);
  return { branch: { name: 'bosun/r12-make-it', base: 'main', folder } };
}

type Done = Extract<WorkspaceResult, { ok: true }>;

const diffStat = { files: 1, insertions: 2, deletions: 3 };
const left = { from: 'tree-1', to: 'tree-2', stat: diffStat, files: [] };

const evidence: readonly EvidenceFile[] = [
  { found: true, value: { passed: true, gaps: [] } },
  { found: true, value: { passed: true, gaps: [] } },
  { found: true, value: { passed: 'false', gaps: [{ severity: 'high', text: 'a gap' }] } },
  { found: true, value: { passed: false, gaps: ['one', 'two'] } },
  { found: true, value: ['no', 'map'] },
  { found: true, value: null },
  { found: false, why: 'there is no such file' },
];

const nothing: Survey = {
  hasFolder: false,
  hasSources: false,
  hasRoadmap: false,
  state: null,
  problem: null,
  results: {},
};

function milestone(name: string, status: string, phases: readonly string[], donePhases: readonly string[] = []) {
  return { id: name.toLowerCase(), name, status, phases, donePhases };
}

const project = { current: 'M1', raw: '{}', artifacts: [] };
const known: Survey = { ...nothing, hasFolder: true, hasSources: true, hasRoadmap: true };
const surveys: readonly Survey[] = [
  { ...known, state: { ...project, milestones: [milestone('M1', 'active', ['1', '2'])] } },
  { ...known, state: { ...project, milestones: [milestone('M1', 'active', ['1', '2'])] } },
  {
    ...known,
    state: {
      ...project,
      milestones: [milestone('M1', 'active', ['1', '2', '3'], ['1']), milestone('M2', 'pending', ['4'])],
    },
  },
  {
    ...known,
    state: {
      ...project,
      milestones: [milestone('M1', 'completed', ['1'], ['1']), milestone('M2', 'pending', ['1', '2'])],
    },
  },
  { ...known, state: { ...project, milestones: [milestone('M1', 'completed', ['1'], ['1'])] } },
  { ...known, state: { ...project, milestones: [] } },
  { ...known, problem: 'the state file cannot be read' },
  nothing,
];

export const names = ['a0', 'b0', 'b1', 'b2', 'z0', 'plan', 'stories', 'nowhere'] as const;

export function optionOf(interaction: Interaction, pick: number): string {
  return interaction.options[pick % interaction.options.length]?.id ?? '';
}
