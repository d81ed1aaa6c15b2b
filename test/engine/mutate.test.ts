// Edits that an executor proposes for the rest of its story: what each does, and what is refused, whole.
import { describe, expect, it } from 'vitest';
import { bodyOf, type EditOp, type Edits, renderPrompt } from '../../src/engine/index.js';
import { def, failing, loop, Player, pass, said, timeout, workflow } from './builders.js';
import {
  addAfter,
  describeAnew,
  edited,
  entries,
  noted,
  oneStory,
  ralph,
  reorder,
  rest,
  restart,
  skip,
  split,
  step,
  steps,
} from './chains.js';

/** The story, come to the step of that number. */
function at(number: number): Player {
  const player = Player.start(ralph, oneStory);
  for (let done = 1; done < number; done++) player.settle(pass);
  return player;
}

function types(player: Player): string {
  return steps(player, 'A')
    .map((one) => one.slice(0, 3))
    .join(' ')
    .replaceAll(/\b0+/g, '')
    .replaceAll(/ +/g, ' ')
    .trim();
}

const all = '1 2 3 4 5 6 7 8 9 10';

describe('a workflow edit by an agent', () => {
  it.each<[string, number, readonly EditOp[], string]>([
    [
      'adds steps after another, in their order',
      7,
      [addAfter('step-007', 'coding', 'linting', 'initial_testing')],
      '1 2 3 4 5 6 7 11 12 13 8 9 10',
    ],
    ['adds after a step that is done, to run next', 7, [addAfter('step-003', 'coding')], '1 2 3 11 4 5 6 7 8 9 10'],
    ['adds after a step that is not begun', 2, [addAfter('step-004', 'coding')], '1 2 3 4 11 5 6 7 8 9 10'],
    ['adds a further step type of the loop', 2, [addAfter('step-002', 'spike')], '1 2 11 3 4 5 6 7 8 9 10'],
    ['splits a step in its place', 2, [split('step-005', 'coding', 'coding')], '1 2 3 4 11 12 6 7 8 9 10'],
    ['skips a step and leaves it where it is', 2, [skip('step-009')], all],
    [
      'reorders what is not begun',
      2,
      [reorder('step-003', 'step-005', 'step-004', 'step-006', 'step-007', 'step-008', 'step-009', 'step-010')],
      '1 2 3 5 4 6 7 8 9 10',
    ],
    [
      'names steps that it added itself',
      2,
      [addAfter('step-004', 'coding'), describeAnew('step-011'), addAfter('step-011', 'review')],
      '1 2 3 4 11 12 5 6 7 8 9 10',
    ],
    ['reorders around steps that it skipped', 7, [skip('step-008'), reorder('step-009', 'step-010')], all],
    [
      'reorders steps that it added',
      7,
      [addAfter('step-009', 'review'), reorder('step-011', 'step-008', 'step-009', 'step-010')],
      '1 2 3 4 5 6 7 11 8 9 10',
    ],
    [
      'may reorder where lint has come before code already',
      2,
      [
        addAfter('step-006', 'coding'),
        reorder(
          'step-003',
          'step-004',
          'step-005',
          'step-006',
          'step-007',
          'step-011',
          'step-008',
          'step-009',
          'step-010',
        ),
      ],
      '1 2 3 4 5 6 7 11 8 9 10',
    ],
  ])('%s', (_, number, ops, order) => {
    const player = at(number).settle(edited(...ops));
    expect(types(player)).toBe(order);
    expect(player.node(tenth[number - 1] ?? '', 'A').last).toMatchObject({ outcome: 'pass', warnings: [] });
  });

  it('runs the added steps next, then continues in list order', () => {
    const player = at(7).settle(edited(addAfter('step-007', 'coding', 'linting', 'initial_testing')));
    expect(player.live).toBe('A/coding');
    player.settle().settle().settle();
    expect(rest(player, 'A')).toBe('review:queued prune_tests:waiting final_review:waiting');
  });

  it('runs a step next that it added further up the list', () => {
    const player = at(7).settle(edited(addAfter('step-003', 'coding')));
    expect(player.nodes('A').map((one) => one.state === 'queued' && one.label)).toContain('step-011');
  });

  it("stores a skipped step's reason, and puts a new description into the prompt", () => {
    const player = at(2).settle(edited(skip('step-009', 'no tests yet'), describeAnew('step-005', 'Only the parser')));
    expect(player.node('prune_tests', 'A')).toMatchObject({
      state: 'skipped',
      skipReason: { type: 'edit', reason: 'no tests yet' },
    });
    player.settle().settle().settle();
    const { text } = renderPrompt(player.stateOf('A'), player.node('coding', 'A').id);
    expect(text).toContain('## This step\nOnly the parser');
  });

  it('continues the step labels after earlier additions', () => {
    const player = at(2).settle(edited(split('step-005', 'coding', 'coding')));
    player.settle(edited(addAfter('step-003', 'review')));
    expect(types(player)).toBe('1 2 3 13 4 11 12 6 7 8 9 10');
    expect(player.run.counters).toMatchObject({ insertions: 2, nodes: 14 });
  });

  it('counts as an insertion only when it adds steps', () => {
    expect(at(2).settle(edited(skip('step-009'))).run.counters.insertions).toBe(0);
  });

  it("is recorded in the history, with before and after, ahead of its step's completion", () => {
    const player = at(7).settle(edited(addAfter('step-007', 'coding'), describeAnew('step-008', 'New words')));
    expect(entries(player).map((one) => one.action)).toEqual(['workflow_edit', 'workflow_edit', 'step_completed']);
    const [added, described] = entries(player, 'workflow_edit');
    const before = ['007', '008', '009', '010'].map((one) => `step-${one}`);
    expect(added).toMatchObject({ chain: 'A', step: { label: 'step-007', template: 'initial_testing' } });
    expect(added?.details).toMatchObject({
      operation: 'add_after',
      target_step_id: 'step-007',
      reason: 'it needs more',
      new_steps: [{ id: 'step-011', type: 'coding', description: 'More coding' }],
    });
    const orders = [added?.details['before'], added?.details['after']].map((order) => [order].flat().slice(6));
    expect(orders).toEqual([before, ['step-007', 'step-011', ...before.slice(1)]]);
    expect(described?.details).toMatchObject({
      operation: 'edit_description',
      new_description: 'New words',
      old_description: 'About review',
    });
    expect(described?.details).not.toHaveProperty('new_steps');
  });

  it('that puts code after lint is applied with a warning in the history', () => {
    const coded = at(7).settle(edited(addAfter('step-007', 'coding')));
    expect(entries(coded, 'workflow_edit')[0]?.details).toMatchObject({ warning: 'linting must come after coding' });
    const linted = at(7).settle(edited(addAfter('step-007', 'coding', 'linting')));
    expect(entries(linted, 'workflow_edit')[0]?.details).not.toHaveProperty('warning');
  });

  it('can add workflow steps in a run without stories', () => {
    const flow = workflow([step('plan'), loop('stories', [def('impl')]), step('ship')]);
    const player = Player.start(flow, { task: 'US-1' }).settle(edited(addAfter('step-001', 'plan')));
    expect(player.line()).toBe('plan:passed plan:queued stories:waiting ship:waiting');
  });
});

const tenth = ralph.chain.flatMap(bodyOf).map((one) => one.id);
const pending = ['step-003', 'step-004', 'step-005', 'step-006', 'step-007', 'step-008', 'step-009', 'step-010'];
const few = (count: number) => Array.from({ length: count }, () => 'coding');

describe('a workflow edit is rejected, while its step still passes, when', () => {
  it.each<[string, number, readonly EditOp[], string]>([
    ['it adds after a step that is not there', 2, [addAfter('step-099', 'coding')], 'there is no step "step-099"'],
    ['it adds after the last step', 2, [addAfter('step-010', 'coding')], 'nothing may come after final_review'],
    [
      'it adds an unknown type',
      2,
      [addAfter('step-003', 'dancing')],
      'no step type "dancing" to add; there are context_gathering, planning',
    ],
    [
      'it adds a type that only the system adds',
      2,
      [addAfter('step-003', 'rebase_resolve')],
      'no step type "rebase_resolve"',
    ],
    ['it adds another last step', 2, [addAfter('step-003', 'final_review')], 'no step type "final_review"'],
    [
      'it adds more than there may be',
      2,
      [addAfter('step-003', ...few(21))],
      'it would make 31 steps; at most 30 are allowed',
    ],
    ['it splits a step that is not there', 2, [split('step-099', 'coding', 'coding')], 'there is no step "step-099"'],
    [
      'it splits a step that is done',
      2,
      [split('step-001', 'coding', 'coding')],
      'step-001 is passed and cannot be split',
    ],
    [
      'it splits a mandatory step',
      2,
      [split('step-006', 'coding', 'coding')],
      'linting is mandatory and may not be split',
    ],
    ['it splits into an unknown type', 2, [split('step-005', 'coding', 'dancing')], 'no step type "dancing"'],
    ['it splits into more than there may be', 2, [split('step-005', ...few(22))], 'it would make 31 steps'],
    ['it skips a step that is not there', 2, [skip('step-099')], 'there is no step "step-099"'],
    ['it skips a step that is done', 2, [skip('step-001')], 'step-001 is passed and cannot be skipped'],
    ['it skips itself', 2, [skip('step-002')], 'step-002 is running and cannot be skipped'],
    ['it skips lint', 2, [skip('step-006')], 'linting is mandatory and may not be skipped'],
    ['it skips the last step', 2, [skip('step-010')], 'final_review is mandatory and may not be skipped'],
    [
      'it skips a step twice',
      2,
      [skip('step-009'), skip('step-009')],
      'operation 2 (skip): step-009 is skipped and cannot be skipped',
    ],
    [
      'an order lacks a step',
      2,
      [reorder(...pending.slice(1))],
      'new_order must name each step that is not begun once: step-003, step-004',
    ],
    ['an order names one step too many', 2, [reorder(...pending, 'step-002')], 'new_order must name each step'],
    ['an order names a step twice', 2, [reorder('step-003', ...pending)], 'new_order must name each step'],
    [
      'an order names a step twice and lacks another',
      2,
      [reorder('step-003', 'step-003', ...pending.slice(2))],
      'new_order must name each step',
    ],
    [
      'an order names a step that was skipped just now',
      7,
      [skip('step-008'), reorder('step-008', 'step-009', 'step-010')],
      'new_order must name each step that is not begun once: step-009, step-010',
    ],
    [
      'an order lacks a step that was added just now',
      7,
      [addAfter('step-008', 'coding'), reorder('step-009', 'step-008', 'step-010')],
      'operation 2 (reorder)',
    ],
    [
      'the last step would not stay last',
      7,
      [reorder('step-008', 'step-010', 'step-009')],
      'final_review must stay last',
    ],
    [
      'lint would come before the code',
      2,
      [reorder('step-003', 'step-004', 'step-006', 'step-005', ...pending.slice(4))],
      'linting must come after coding',
    ],
    ['it describes a step that is not there', 2, [describeAnew('step-099')], 'there is no step "step-099"'],
    [
      'it describes a step that is done',
      2,
      [describeAnew('step-001')],
      'step-001 is passed and cannot be described anew',
    ],
    [
      'it describes itself',
      2,
      [describeAnew('step-002')],
      'step-002 is running and cannot be described anew; use restart',
    ],
    [
      'it restarts a step that does not run',
      2,
      [restart('step-005')],
      'only the step that runs may restart, and that is step-002',
    ],
    ['it restarts a step that is done', 2, [restart('step-001')], 'only the step that runs may restart'],
    ['it restarts twice at once', 2, [restart('step-002'), restart('step-002')], 'a step restarts once at a time'],
    [
      'a later operation names a step that an earlier one split',
      2,
      [split('step-005', 'coding', 'coding'), describeAnew('step-005')],
      'operation 2 (edit_description): there is no step "step-005"',
    ],
    [
      'its second of three operations is bad',
      2,
      [skip('step-009'), skip('step-001'), addAfter('step-003', 'coding')],
      'operation 2 (skip): step-001 is passed',
    ],
    ['its step may not edit at all', 1, [skip('step-009')], 'context_gathering may not edit the workflow'],
  ])('%s', (_, number, ops, error) => {
    const player = at(number);
    const before = player.nodes('A').map((one) => [one.id, one.description]);
    player.settle(edited(...ops));
    const own = tenth[number - 1] ?? '';
    expect(player.node(own, 'A')).toMatchObject({ state: 'passed', last: { outcome: 'pass' } });
    expect(player.node(own, 'A').last?.warnings[0]).toMatch('its edits were rejected: ');
    expect(player.node(own, 'A').last?.warnings[0]).toContain(error);
    expect(player.nodes('A').map((one) => [one.id, one.description])).toEqual(before);
    expect(player.nodes('A').some((one) => one.state === 'skipped')).toBe(false);
    expect(entries(player, 'workflow_edit')).toEqual([]);
  });

  it.each<[string, Edits, string]>([
    ['it is unreadable', { ok: false, error: 'the file is cut off' }, 'the file is cut off'],
    [
      'the run may add no more',
      { ok: true, ops: [addAfter('step-002', 'coding')] },
      "the run's 500 insertions are used up",
    ],
  ])('%s', (_, edits, error) => {
    const player = at(2);
    const run = { ...player.run, counters: { ...player.run.counters, insertions: player.run.insertionLimit } };
    player.world = { ...player.world, state: { ...player.state, run } };
    player.settle({ ...noted, edits });
    expect(player.node('planning', 'A')).toMatchObject({
      state: 'passed',
      last: { warnings: [`its edits were rejected: ${error}`] },
    });
  });

  it('it would skip a human step or a loop of stories', () => {
    const flow = workflow([step('plan'), def('look', { kind: 'human' }), loop('stories', [def('impl')])]);
    for (const [target, name] of [
      ['step-002', 'look'],
      ['step-003', 'stories'],
    ] as const) {
      const player = Player.start(flow).settle(edited(skip(target)));
      expect(player.node('plan').last?.warnings[0]).toContain(`${name} is mandatory`);
      expect(player.node(name).state).not.toBe('skipped');
    }
  });

  it('it would add a second loop of stories', () => {
    const flow = workflow([step('plan'), loop('stories', [def('impl')])]);
    const player = Player.start(flow).settle(edited(addAfter('step-001', 'stories')));
    expect(player.node('plan').last?.warnings[0]).toContain('no step type "stories" to add; there are plan');
  });
});

describe('a route to a step that an edit removed', () => {
  const back = {
    onFail: { default: { type: 'goto', target: 'work', budget: 'loops', carry: {}, clear: [] } },
  } as const;
  const flowOf = (last: Parameters<typeof def>[1]) =>
    workflow([step('plan'), def('work'), def('other'), def('last', { ...back, ...last })]);
  const taken = (last: Parameters<typeof def>[1]) =>
    Player.start(flowOf(last))
      .settle(edited(split('step-002', 'other', 'other')))
      .settle()
      .settle()
      .settle();

  it('asks a person, who can reopen the review or retry the step', () => {
    const player = taken({ kind: 'human' }).answer('changes', 'no');
    expect(player.open[0]?.text).toContain("shop's last leads to work, which is not there any more");
    expect(player.answer('retry').asks).toEqual(['review']);
    const other = taken({}).settle(failing);
    expect([other.asks, other.node('last').state]).toEqual([['stuck'], 'needs_human']);
    expect(other.answer('retry').live).toBe('/last');
  });
});

describe('a rejected edit', () => {
  it("is reported to the next step in the story's scratch notes", () => {
    const player = at(2).settle(edited(skip('step-006')));
    const { text } = renderPrompt(player.stateOf('A'), player.node('architecture', 'A').id);
    expect(text).toContain('The workflow edit was rejected: operation 1 (skip): linting is mandatory');
  });

  it('is reported even after notes that fill the scratch space', () => {
    const player = at(2).settle({ ...edited(skip('step-006')), scratch: { run: '', item: 'x'.repeat(20_000) } });
    const { text } = renderPrompt(player.stateOf('A'), player.node('architecture', 'A').id);
    expect(text).toContain('rejected');
  });

  it("is reported in the run's own chain as well", () => {
    const player = Player.start(workflow([step('plan'), step('work')])).settle(edited(skip('step-009')));
    expect(renderPrompt(player.stateOf(''), player.node('work').id).text).toContain('rejected');
  });
});

describe('edits of an attempt that did not pass', () => {
  it.each([
    ['failing', failing],
    ['out of time', timeout],
    ['with an unknown status', said({ STATUS: 'maybe' })],
  ])('are ignored when it is %s', (_, envelope) => {
    const player = at(2).settle({ ...envelope, edits: { ok: true, ops: [addAfter('step-002', 'coding')] } });
    expect(types(player)).toBe(all);
    expect(player.node('planning', 'A').last?.warnings.join()).not.toContain('edits');
    expect(player.world.chains.get('A')?.scratch).not.toContain('rejected');
  });

  it('are ignored when it was cancelled', () => {
    const player = at(2);
    const attempt = player.run.live[0]?.attempt ?? '';
    player.do({ type: 'attempt_started', chain: 'A', attempt, worker: 'w1' }).do({ type: 'abort' }).answer('abort');
    player.do({ type: 'attempt_settled', chain: 'A', attempt, envelope: edited(addAfter('step-002', 'coding')) });
    expect(types(player)).toBe(all);
    expect(player.node('planning', 'A')).toMatchObject({ state: 'cancelled', last: { outcome: 'cancelled' } });
  });
});

describe('a repeated report with edits', () => {
  it('adds its steps only once', () => {
    const player = at(2);
    const attempt = player.run.live[0]?.attempt ?? '';
    player.settle(edited(addAfter('step-002', 'coding')));
    const chain = player.nodes('A');
    player.do({ type: 'attempt_settled', chain: 'A', attempt, envelope: edited(addAfter('step-002', 'coding')) });
    expect(player.ignored).toBe('superseded');
    expect(player.nodes('A')).toBe(chain);
  });
});
