// Gates of random workflows, the fragments that they and routes add, and where a run may begin.
import {
  bodyOf,
  type Fragment,
  type FragmentNode,
  type Insert,
  type NodeDef,
  type Workflow,
} from '../../src/engine/index.js';
import { type Expression, parseExpression } from '../../src/engine/workflow/expressions/expression.js';
import * as build from './builders.js';

export type Picker = <T>(...choices: readonly T[]) => T;

/** Votes where people say yes; whoever does not answer is reminded of whatever it is. */
export function approvalsOf(pick: Picker, kind: NodeDef['kind']): Pick<NodeDef, 'approvals'> {
  if (pick(true, kind !== 'human', kind !== 'human')) return {};
  const isVoted = kind === 'human' || kind === 'decision';
  return {
    approvals: {
      quorum: isVoted ? pick(1, 2, 3) : 1,
      notRequester: isVoted && pick(true, false),
      remindAfterMs: pick(null, 1, 2_000, 5_000),
      escalateAfterMs: pick(null, 1, 3_000),
      escalateTo: ['cy'],
    },
  };
}

export function makeGate(pick: Picker, id: string, stage: string): NodeDef {
  const maxRetries = pick(0, 1, 2, null);
  const args = [stage, id];
  return build.def(id, {
    kind: 'decision',
    mandatory: pick(false, false, true),
    when: pick(null, null, null, expression("mode != 'quick'")),
    gate: {
      evidence: pick(
        [{ file: 'verification.json', as: '', isOptional: false }],
        [{ file: 'verification.json', as: '', isOptional: true }],
        [
          { file: 'uat.md', as: 'uat', isOptional: false },
          { file: 'survey', as: 'survey', isOptional: false },
        ],
      ),
      failWhen: pick(
        expression('passed != true || len(gaps) > 0'),
        expression("any(gaps, severity >= 'high') || uat.passed == false"),
        expression('passed == false'),
      ),
      maxRetries,
      onFail: insert('fix', args, { gap_summary: 'gaps' }, 'more (retry {{retry}}/{{max}})'),
      onEscalate:
        maxRetries === null ? null : pick(insert('escalate', args, { gap_summary: 'gaps' }), insert('escalate', args)),
      say: pick(null, 'fine'),
    },
    ...approvalsOf(pick, 'decision'),
  });
}

/** The last stage of all: where there is more to do it adds the loop again. */
export function makeMilestone(pick: Picker): NodeDef {
  return build.def('milestone', {
    kind: 'decision',
    gate: {
      evidence: [{ file: pick('survey', 'audit.json'), as: '', isOptional: true }],
      failWhen: expression('next_milestone != null || passed == false'),
      maxRetries: null,
      onFail: insert('milestone', [], { milestone: 'next_milestone' }),
      onEscalate: null,
      say: 'all is done',
    },
  });
}

export function insert(
  fragment: string,
  args: readonly string[],
  carry: Readonly<Record<string, string>> = {},
  say: string | null = null,
): Insert {
  return { type: 'insert', fragment, args, carry, say };
}

/** `mend` and `extra` are added by routes, the others by gates and by those who answer them. */
export function makeFragments(pick: Picker, hasLoop: boolean): Workflow['fragments'] {
  const again = (template: string, patch: Partial<FragmentNode> = {}): FragmentNode => ({
    template,
    args: null,
    retry: 'fresh',
    when: null,
    ...patch,
  });
  const rework = build.def('rework', { maxAttempts: pick(1, 2), onExhausted: pick('ask', 'fail', 'pause') });
  // A gate within what a gate adds: its work nests.
  const inner = makeGate(pick, 'check_rework', 'rework');
  const look = build.def('look', { kind: 'human', onFail: { default: insert('extra', []) } });
  const help = build.def('help', {
    kind: 'human',
    title: 'max retries reached',
    onAnswer: { continue: insert('recheck', ['$stage', '$gate']), skip: { type: 'next' }, abort: { type: 'fail' } },
  });
  const fragment = (
    id: string,
    params: readonly string[],
    nodes: readonly FragmentNode[],
    defs: readonly NodeDef[] = [],
  ) => [id, { id, params, nodes, defs }] satisfies [string, Fragment];
  return Object.fromEntries([
    fragment('mend', ['node'], [again('rework', { args: '$node' }), again('$node')], [rework]),
    fragment(
      'extra',
      [],
      [again('rework', { when: pick(null, expression("mode == 'full'")) }), again(pick('look', 'rework'))],
      [look],
    ),
    fragment(
      'fix',
      ['stage', 'gate'],
      [
        again('rework'),
        again('$stage'),
        ...(pick(false, false, true) ? [again('check_rework')] : []),
        again('$gate', { retry: 'next' }),
      ],
      [inner],
    ),
    fragment('escalate', ['stage', 'gate'], [again('rework'), again('help')], [help]),
    fragment('recheck', ['stage', 'gate'], [again('$stage'), again('$gate')]),
    ...(hasLoop ? [fragment('milestone', [], [again('stories'), again('milestone')])] : []),
  ]);
}

export function makePositions(pick: Picker, chain: readonly NodeDef[]): Workflow['positions'] {
  const ids = chain.flatMap((node) => [node.id, ...bodyOf(node).map((inner) => inner.id)]);
  return [
    { name: 'new', begin: pick(...ids), when: expression('!has_folder') },
    { name: 'begun', begin: pick(...ids), when: expression("phase == '2'") },
    { name: 'planned', begin: pick(...ids), when: expression('problem == null && milestones == 1') },
  ];
}

export function expression(text: string): Expression {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error}`);
  return parsed.expression;
}
