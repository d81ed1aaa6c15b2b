// Small random workflows with all that the engine can do, of such kinds as a workflow file may ask for.
import fc from 'fast-check';
import {
  type Insert,
  type JobDef,
  judgesFiles,
  type NewItem,
  type NodeDef,
  type Team,
  type Workflow,
} from '../../src/engine/index.js';
import { definitions } from '../../src/engine/workflow/index.js';
import * as build from './builders.js';
import {
  approvalsOf,
  expression,
  insert,
  makeFragments,
  makeGate,
  makeMilestone,
  makePositions,
  type Picker,
} from './random-gates.js';

export interface Setup {
  readonly workflow: Workflow;
  readonly options: build.Options & {
    readonly oneShot: boolean;
    readonly context: Readonly<Record<string, string>>;
  };
}

/** Draws from a list of numbers, so that a failing workflow shrinks as its numbers do. */
export function pickerOf(numbers: readonly number[]): Picker {
  let next = 0;
  return <T>(...choices: readonly T[]) => choices[(numbers[next++ % numbers.length] ?? 0) % choices.length] as T;
}

export const setup: fc.Arbitrary<Setup> = fc
  .array(fc.nat(1_000), { minLength: 60, maxLength: 140, size: 'max' })
  .map((numbers) => makeSetup(pickerOf(numbers)));

/** Where a node stands decides what it may do. */
interface Place {
  readonly pick: Picker;
  readonly ids: readonly string[];
  readonly hasItem: boolean;
  readonly back: readonly string[];
}

function makeSetup(pick: Picker): Setup {
  const hasLoop = pick(true, true, true, false);
  const over = pick('items', 'items', 'items', 'phases');
  const before = makeChain(pick, 'a', pick(0, 0, 1, 2));
  // What comes after the loop may send the work back onto it, or over it.
  const back = hasLoop ? ['stories', 'stories', ...before.slice(0, 1).map(({ id }) => id)] : [];
  const after = makeChain(pick, 'z', pick(0, 0, 1, 2, 3), { hasItem: false, back });
  const body =
    !hasLoop || pick(true, true, false)
      ? makeChain(pick, 'b', pick(1, 2, 3, 4), { hasItem: hasLoop })
      : makeSteps(pick);
  const plan = build.def('plan', {
    expects: { status: null, keys: [], items: 'required', red: false },
    maxAttempts: 1,
  });
  const stories = makeLoop(pick, body, hasLoop ? over : 'items');
  const chain = [
    ...(hasLoop && over === 'items' && pick(false, false, true) ? [plan] : []),
    ...before,
    ...(hasLoop ? [stories] : body),
    ...after,
    ...(hasLoop && pick(false, false, true) ? [makeMilestone(pick)] : []),
  ];
  const hasSurvey = hasLoop && (over === 'phases' || pick(false, false, false, true));
  const fragments = makeFragments(pick, hasLoop);
  const all = build.workflow(chain, {
    ...makePolicy(pick),
    inputs: pick(false, false, false, true) ? { topic: { required: true, default: null } } : {},
    context: { mode: pick('full', 'quick') },
    limits: {
      ...build.workflow([]).limits,
      nodesPerItem: pick(30, 30, 12, 7),
      dispatches: pick(500, 500, 500, 6),
      perItem: pick(60, 60, 2),
      insertions: pick(100, 100, 3, 1),
    },
    fragments,
    survey: hasSurvey || usesSurvey(chain, fragments) ? '.workflow' : null,
    positions: hasSurvey && pick(true, false) ? makePositions(pick, chain) : [],
    exports: pick(['state'] as const, ['state', 'workflow-state'] as const),
  });
  return {
    workflow: all,
    options: {
      items: hasLoop && over === 'items' ? makeItems(pick) : [],
      level: pick('auto', 'auto', 'auto', 'semi', 'manual'),
      afterStory: pick('start', 'start', 'propose'),
      budgetUsd: pick(null, null, null, null, 0.5, 0),
      propose: pick(true, false),
      oneShot: pick(false, false, true),
      ...(pick(true, false, false) ? { deliver: pick('branch', 'push', 'pr') } : {}),
      context: pick({}, {}, { phase: '2' }, { topic: 'cats' }) as Readonly<Record<string, string>>,
    },
  };
}

function makePolicy(pick: Picker): Pick<Workflow, 'policy'> {
  return build.policy({
    onItemFailed: pick('continue', 'fail_run'),
    report: pick('required', 'optional'),
    stopAtDecisions: pick('never', 'never', 'before'),
    adoptLate: pick(true, false),
    writes: pick('check', 'check', 'warn') as 'check' | 'warn',
  });
}

function makeItems(pick: Picker): readonly NewItem[] {
  const keys = ['US-1', 'US-2', 'US-3', 'US-4', 'US-5'].slice(0, pick(0, 1, 2, 3, 4, 5));
  return keys.map((key, index) => ({
    ...build.item(
      key,
      keys.filter((_, at) => at < index && pick(false, false, true)),
    ),
    complexity: pick(null, 'S', 'M', 'L') as NewItem['complexity'] & string,
    parallelTags: pick(0, 1, 2),
  }));
}

export function makeLoop(pick: Picker, body: readonly NodeDef[], over: 'items' | 'phases'): NodeDef {
  const isolate = pick('shared', 'worktree', 'worktree');
  const conflict = pick(null, { insert: 'mend_conflict', before: body.at(-1)?.id ?? '' });
  const stepTypes = [
    build.def('s0', { editable: true, maxAttempts: 1 }),
    build.def('s1', { kind: 'check', mandatory: pick(true, false) }),
    build.def('mend_conflict', { insertBy: 'system', onExhausted: pick('ask', 'fail') }),
  ];
  return build.loop('stories', body, {
    maxRejections: pick(0, 1, 2),
    over,
    isolate,
    parallel: isolate === 'worktree' ? pick(1, 2, 3) : 1,
    stepTypes,
    onItemDone: isolate === 'worktree' && pick(true, true, false) ? { squash: '{{item.key}}', conflict } : null,
  });
}

interface Stand {
  readonly hasItem?: boolean;
  /** Earlier nodes, outside of the chain that is made, to which it may go back. */
  readonly back?: readonly string[];
}

function makeChain(pick: Picker, name: string, length: number, stand: Stand = {}): readonly NodeDef[] {
  const { hasItem = false, back = [] } = stand;
  const ids = Array.from({ length }, (_, index) => `${name}${index}`);
  const isGrouped = pick(false, false, true);
  return ids.map((id, index) => {
    const place = { pick, ids, hasItem, back };
    const before = ids[index - 1];
    if (isGrouped && pick(true, true, true, false)) return makeNeighbour(place, id, index);
    if (before && pick(false, false, false, true)) return makeGate(pick, id, before);
    return makeNode(place, id, index);
  });
}

/** Small steps that may change the steps after them. */
export function makeSteps(pick: Picker): readonly NodeDef[] {
  const step = (id: string, patch: build.NodePatch = {}) =>
    build.def(id, {
      editable: true,
      maxAttempts: pick(1, 1, 2),
      abandons: pick(0, 1),
      maxRestarts: pick(1, 2, 3, 0),
      onExhausted: pick('fail', 'ask', 'pause'),
      onTimeout: pick('abandon', 'ask', 'fail'),
      rollback: pick(false, true),
      ...patch,
    });
  return [
    step('b0', { editable: pick(true, true, false) }),
    step('b1'),
    step('b2', { kind: 'check', editable: false, mandatory: true, afterAny: ['b1'] }),
    ...(pick(true, false) ? [step('b3')] : []),
    step('b4', { mandatory: pick(true, false), pinLast: true }),
  ];
}

const disjoint = ['a.ts', 'b.ts', 'c.ts', 'd.ts'] as const;

/** May run beside its neighbours. */
function makeNeighbour({ pick, ids }: Place, id: string, index: number): NodeDef {
  const own = [disjoint[index] ?? 'e.ts'];
  return build.def(id, {
    kind: pick('task', 'task', 'check'),
    maxAttempts: pick(1, 2),
    abandons: pick(0, 1),
    needs: pick(null, [], [], [], ids.slice(0, Math.max(0, index - 1))) as readonly string[] | null,
    writes: pick(own, own, [], ['a.ts']) as readonly string[],
    barrier: pick(false, false, false, false, true),
    when: pick(null, null, null, expression("mode == 'full'")),
    onExhausted: pick('ask', 'fail', 'pause'),
    onTimeout: pick('abandon', 'ask', 'fail', 'pause'),
    rollback: pick(false, false, true),
    mandatory: pick(false, false, true),
  });
}

function usesSurvey(chain: readonly NodeDef[], fragments: Workflow['fragments']): boolean {
  const all = definitions({ chain, fragments });
  return all.some((node) => judgesFiles(node) && node.gate.evidence.some((one) => one.file === 'survey'));
}

function makeNode({ pick, ids, hasItem, back }: Place, id: string, index: number): NodeDef {
  const kind = pick('task', 'task', 'task', 'check', 'human');
  const others = ids.filter((one) => one !== id);
  const adds = (): Insert => pick(insert('mend', [id], { why: 'ISSUES' }, 'one more'), insert('extra', []));
  const someRoute = (): NodeDef['onPass'] => {
    const target = pick(...others, ...back, others[0]);
    const budget = hasItem ? pick('loops', 'rejections') : 'loops';
    const jump = target ? build.goto(target, { budget, carry: { why: 'ISSUES' }, clear: ['old'] }) : adds();
    const again: NodeDef['onPass'] = { type: 'retry', budget: budget === 'loops' ? 'attempts' : budget };
    return pick<NodeDef['onPass']>(build.retry, again, jump, jump, adds(), { type: 'ask' }, { type: 'fail' });
  };
  const later = ids[index + 2];
  const decides = kind === 'task' && pick(false, false, false, true);
  return build.def(id, {
    kind,
    maxAttempts: pick(1, 2, 3),
    abandons: pick(0, 1, 2),
    maxLoops: pick(1, 2),
    mandatory: pick(false, false, false, true),
    rollback: pick(false, false, true),
    onExhausted: pick<JobDef['onExhausted']>('ask', 'fail', 'pause', adds()),
    onTimeout: pick('abandon', 'ask', 'fail', 'pause', hasItem ? 'cancel_item' : 'ask'),
    onPass: makePass(pick, later, adds),
    onFail: { default: someRoute(), scope_warning: someRoute() },
    onStatus: pick(false, false, true) ? { retry: someRoute(), more: adds() } : {},
    decisionKey: decides ? 'DECISION' : null,
    onDecision: decides ? { approved: { type: 'next' }, again: someRoute(), more: adds() } : {},
    expects: { status: null, keys: [], items: 'any', red: pick(false, false, false, false, true) },
    when: pick(null, null, null, null, null, expression("mode == 'full'"), expression('why == null')),
    editable: pick(false, false, true),
    ...teamOf(pick, kind),
    ...approvalsOf(pick, kind),
    call: pick(null, 'do-it'),
    args: pick(null, '{{task}}'),
  });
}

function makePass(pick: Picker, later: string | undefined, adds: () => Insert): NodeDef['onPass'] {
  const forward = later ? build.goto(later) : ({ type: 'next' } as const);
  return pick<NodeDef['onPass']>(
    { type: 'next' },
    { type: 'next' },
    { type: 'next' },
    forward,
    adds(),
    pick({ type: 'next' }, { type: 'finish' }),
  );
}

/** A check has none: its kind has no such field. */
function teamOf(pick: Picker, kind: NodeDef['kind']): { readonly team: Team | null } {
  const drawn = pick(null, null, null, team);
  return { team: kind === 'check' ? null : drawn };
}

const team: Team = {
  mode: { S: 'single', M: 'auto', L: 'team' },
  roles: { back: { reads: [], writes: ['a.ts'], prompt: null }, front: { reads: [], writes: ['b.ts'], prompt: null } },
};
