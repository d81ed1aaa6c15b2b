import { describe, expect, it } from 'vitest';
import { type StepState, workflowState } from '../../../src/dispatch/exports/workflow-state.js';
import type { ItemStatus, Node } from '../../../src/engine/index.js';
import type { StoredRecord } from '../../../src/store/index.js';
import { aNode, anItem } from '../../store/values.js';
import { type Given, given, live, minute, recordOf, settled } from './given.js';

const iso = (at: number) => new Date(minute(at)).toISOString();

function stateOf({ spine, chainOf }: Given, records: readonly StoredRecord[] = [], shas: Record<string, string> = {}) {
  return workflowState({ spine, chainOf, records, shaOf: (attempt) => shas[attempt] ?? null });
}

function storyOf(from: Given, records: readonly StoredRecord[] = [], shas: Record<string, string> = {}) {
  const [story] = Object.values(stateOf(from, records, shas).stories);
  if (!story) throw new Error('no story');
  return story;
}

function stepOf(node: Partial<Node>): StepState {
  const chain = [aNode('n1', { label: 'step-005', template: 'coding', title: 'Implement the changes', ...node })];
  const [step] = storyOf(given({ items: [anItem('US-1', 1)], chains: { 'US-1': chain } }), [], { a1: 'cafe' }).steps;
  if (!step) throw new Error('no step');
  return step;
}

describe('the workflow state file', () => {
  it('holds its version, creation time, source file, and the stories by key', () => {
    const from = given({ items: [anItem('US-2', 1), anItem('US-1', 2)], run: { context: { prd_file: 'prd.json' } } });
    expect(stateOf(from)).toMatchObject({ version: 1, created_at: iso(0), prd_file: 'prd.json' });
    expect(Object.keys(stateOf(from).stories)).toEqual(['US-2', 'US-1']);
    expect(stateOf(given({}))).toEqual({ version: 1, created_at: iso(0), prd_file: null, stories: {} });
  });

  it('holds no steps and no times for a story that has not begun', () => {
    expect(storyOf(given({ items: [anItem('US-1', 1, { title: 'Carts', dependsOn: ['US-0'] })] }))).toEqual({
      story_id: 'US-1',
      title: 'Carts',
      status: 'unclaimed',
      agent_id: null,
      claimed_at: null,
      completed_at: null,
      depends_on: ['US-0'],
      steps: [],
      history: [],
    });
  });

  it.each<[ItemStatus, string, string | null]>([
    ['ready', 'unclaimed', null],
    ['blocked', 'blocked', null],
    ['running', 'in_progress', null],
    ['merging', 'in_progress', null],
    ['done', 'completed', iso(9)],
    ['failed', 'failed', null],
    ['cancelled', 'failed', null],
  ])('maps the story status %s to %s', (status, word, completedAt) => {
    const item = anItem('US-1', 1, { status, slot: 2, startedAt: minute(1), endedAt: minute(9) });
    expect(storyOf(given({ items: [item] }))).toMatchObject({
      status: word,
      agent_id: 2,
      claimed_at: iso(1),
      completed_at: completedAt,
    });
  });

  it.each<[Node['state'], StepState['status']]>([
    ['waiting', 'pending'],
    ['ready', 'pending'],
    ['queued', 'in_progress'],
    ['running', 'in_progress'],
    ['needs_human', 'in_progress'],
    ['passed', 'completed'],
    ['failed', 'failed'],
    ['skipped', 'skipped'],
    ['cancelled', 'cancelled'],
  ])('maps the step state %s to %s', (state, word) => {
    expect(stepOf({ state }).status).toBe(word);
  });

  it('holds the duration, costs and notes of a completed step', () => {
    const last = settled('a1', 2, 5, {
      summary: 'wrote the cart',
      costUsd: 0.2,
      tokensIn: 100,
      tokensOut: 20,
      logPath: 'logs/US-1/step-005.jsonl',
    });
    expect(stepOf({ state: 'passed', last, description: 'Implement carts', restarts: 1 })).toEqual({
      id: 'step-005',
      type: 'coding',
      status: 'completed',
      description: 'Implement carts',
      started_at: iso(2),
      completed_at: iso(5),
      git_sha_at_start: 'cafe',
      notes: 'wrote the cart',
      error: null,
      skip_reason: null,
      restart_count: 1,
      cost_usd: 0.2,
      input_tokens: 100,
      output_tokens: 20,
      log_file: 'logs/US-1/step-005.jsonl',
    });
  });

  it.each<[string, Partial<Node>, Partial<StepState>]>([
    [
      'is at work: when it began',
      { state: 'running', live: live('a1', 3) },
      { started_at: iso(3), completed_at: null, git_sha_at_start: 'cafe' },
    ],
    [
      'waits in the queue: when it was sent',
      { state: 'queued', live: { ...live('a1', 3), startedAt: null } },
      { started_at: iso(3) },
    ],
    [
      'is to be done again: nothing of before but the count',
      { state: 'ready', last: settled('a1', 1, 2, { summary: 'no', costUsd: 1 }), restarts: 2 },
      {
        started_at: null,
        completed_at: null,
        git_sha_at_start: null,
        notes: null,
        error: null,
        cost_usd: null,
        restart_count: 2,
      },
    ],
    [
      'was skipped: why',
      { state: 'skipped', skipReason: { type: 'edit', reason: 'nothing to prune' } },
      { skip_reason: 'nothing to prune', started_at: null, error: null },
    ],
    [
      'failed: its error, and no notes',
      {
        state: 'failed',
        last: settled('a1', 1, 2, { outcome: 'failing', summary: '2 tests fail' }),
        skipReason: { type: 'edit', reason: 'old' },
      },
      { error: '2 tests fail', notes: null, skip_reason: null, completed_at: iso(2) },
    ],
    [
      'failed for a reason',
      { state: 'failed', last: settled('a1', 1, 2, { outcome: 'failing', reason: 'bad_output', summary: 'x' }) },
      { error: 'bad_output: x' },
    ],
    [
      'failed without a word',
      { state: 'failed', last: settled('a1', 1, 2, { outcome: 'failing' }) },
      { error: 'failing' },
    ],
    [
      'crashed',
      { state: 'failed', last: settled('a1', 1, 2, { outcome: 'crashed', summary: 'agent not found' }) },
      { error: 'crashed: agent not found' },
    ],
    [
      'ran out of time',
      { state: 'cancelled', last: settled('a1', 1, 2, { outcome: 'timeout' }) },
      { error: 'timeout', completed_at: iso(2) },
    ],
    ['was cancelled before it began', { state: 'cancelled' }, { error: null, completed_at: null }],
  ])('describes a step that %s', (_what, node, expected) => {
    expect(stepOf(node)).toMatchObject(expected);
  });

  it('leaves out loops, which are not steps', () => {
    const chain = [aNode('n1', { kind: 'loop' }), aNode('n2')];
    expect(storyOf(given({ items: [anItem('US-1', 1)], chains: { 'US-1': chain } })).steps).toHaveLength(1);
  });
});

describe('the history of a story', () => {
  const item = anItem('US-1', 1, { slot: 1 });

  it('lists its records with time, action, actor, step and details', () => {
    const records = [
      recordOf('US-1', 1, 'story_claimed', { details: { slot: 3 } }),
      recordOf('US-2', 2, 'story_claimed'),
      recordOf('US-1', 3, 'step_skipped', { step: 'step-009', by: 'ada', details: { reason: 'no' } }),
      recordOf('US-1', 4, 'step_started', { step: 'step-001' }),
    ];
    expect(storyOf(given({ items: [item] }), records).history).toEqual([
      { timestamp: iso(1), action: 'story_claimed', agent_id: 3, step_id: null, details: { slot: 3 } },
      { timestamp: iso(3), action: 'step_skipped', agent_id: 'ada', step_id: 'step-009', details: { reason: 'no' } },
      { timestamp: iso(4), action: 'step_started', agent_id: 3, step_id: 'step-001', details: {} },
    ]);
  });

  it('takes the slot that a later record names for each claim, and keeps the last slot of a finished story', () => {
    const records = [
      recordOf('US-1', 1, 'story_claimed'),
      recordOf('US-1', 2, 'step_started', { step: 'step-001' }),
      recordOf('US-1', 3, 'story_failed', { details: { slot: 2 } }),
      recordOf('US-1', 4, 'story_claimed'),
      recordOf('US-1', 5, 'step_started', { step: 'step-001' }),
      recordOf('US-1', 6, 'story_completed', { details: { slot: 3 } }),
      recordOf('US-1', 7, 'story_claimed'),
    ];
    const over = { ...item, slot: null, endedAt: minute(6) };
    const story = storyOf(given({ items: [over] }), records.slice(0, 6));
    expect(story.history.map((entry) => entry.agent_id)).toEqual([2, 2, 2, 3, 3, 3]);
    expect(story.agent_id).toBe(3);
    const again = storyOf(given({ items: [item] }), [...records.slice(0, 5), ...records.slice(6)]);
    expect(again.history.map((entry) => entry.agent_id)).toEqual([2, 2, 2, null, null, 1]);
  });

  it('falls back to the story’s own slot if no record names one', () => {
    const records = [recordOf('US-1', 1, 'story_claimed')];
    expect(storyOf(given({ items: [item] }), records).history[0]?.agent_id).toBe(1);
    expect(storyOf(given({ items: [{ ...item, slot: null }] }), records).history[0]?.agent_id).toBeNull();
  });
});

const types =
  'context_gathering planning architecture test_architecture coding linting initial_testing review prune_tests final_review';

function laid(number: number, type: string, parts: Partial<Node> = {}): Node {
  return aNode(`n${number}`, { label: `step-${String(number).padStart(3, '0')}`, template: type, ...parts });
}

function walked(...order: readonly (readonly [number, string, Partial<Node>?])[]): Given {
  const nodes = order.map(([number, type, parts]) => laid(number, type, parts));
  return given({ items: [anItem('US-001', 1, { status: 'done' })], chains: { 'US-001': nodes } });
}

/** The ten steps of the catalogue, some of them as they are told here. */
function ten(parts: Readonly<Record<number, Partial<Node>>> = {}): (readonly [number, string, Partial<Node>?])[] {
  return types.split(' ').map((type, index) => [index + 1, type, parts[index + 1] ?? {}] as const);
}

describe('the documented example', () => {
  const steps = (from: Given) => storyOf(from).steps.map(({ id, type }) => `${id} ${type}`);
  const passed = { state: 'passed' } as const;

  it('has ten steps for a claimed story, all pending', () => {
    const story = storyOf(walked(...ten()));
    expect(story.steps.map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, at) => `step-0${String(at + 1).padStart(2, '0')}`),
    );
    expect(new Set(story.steps.map(({ status }) => status))).toEqual(new Set(['pending']));
    expect(story.steps[0]).toMatchObject({ started_at: null, notes: null, cost_usd: null, restart_count: 0 });
  });

  it('shows steps inserted after step-007 in place, with the next free numbers', () => {
    const all = ten();
    const added = [
      [11, 'coding'],
      [12, 'linting'],
      [13, 'initial_testing'],
    ] as const;
    expect(steps(walked(...all.slice(0, 7), ...added, ...all.slice(7))).slice(6, 11)).toEqual([
      'step-007 initial_testing',
      'step-011 coding',
      'step-012 linting',
      'step-013 initial_testing',
      'step-008 review',
    ]);
  });

  it('has review as the next step after inserted steps, by position and not by number', () => {
    const all = ten(Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((number) => [number, passed])));
    const added = [
      [11, 'coding', passed],
      [12, 'linting', passed],
      [13, 'initial_testing', passed],
    ] as const;
    const { steps: shown } = storyOf(walked(...all.slice(0, 7), ...added, ...all.slice(7)));
    expect(shown.find(({ status }) => status === 'pending')).toMatchObject({ id: 'step-008', type: 'review' });
  });

  it('shows two coding steps in place of a split one', () => {
    const all = ten();
    expect(steps(walked(...all.slice(0, 4), [11, 'coding'], [12, 'coding'], ...all.slice(5))).slice(3, 7)).toEqual([
      'step-004 test_architecture',
      'step-011 coding',
      'step-012 coding',
      'step-006 linting',
    ]);
  });

  it('shows a skipped step-009 with its reason', () => {
    const { steps: shown } = storyOf(
      walked(...ten({ 9: { state: 'skipped', skipReason: { type: 'edit', reason: 'no tests were added' } } })),
    );
    expect(shown[8]).toMatchObject({ id: 'step-009', status: 'skipped', skip_reason: 'no tests were added' });
  });

  it('shows step-005 before step-004 after a reorder, and final_review last', () => {
    const all = ten();
    const order = steps(walked(...all.slice(0, 3), ...all.slice(4, 5), ...all.slice(3, 4), ...all.slice(5)));
    expect(order.slice(3, 5)).toEqual(['step-005 coding', 'step-004 test_architecture']);
    expect(order.at(-1)).toBe('step-010 final_review');
  });

  it('shows a restarted step-005 and a step-007 with a new description', () => {
    const { steps: shown } = storyOf(
      walked(
        ...ten({
          5: { state: 'ready', restarts: 1, description: 'Use the other table' },
          7: { description: 'Run the API tests' },
        }),
      ),
    );
    expect(shown[4]).toMatchObject({
      id: 'step-005',
      status: 'pending',
      restart_count: 1,
      description: 'Use the other table',
    });
    expect(shown[6]).toMatchObject({ id: 'step-007', description: 'Run the API tests', restart_count: 0 });
  });

  it('has a history of claim, edit with the new steps’ ids, and completion', () => {
    const details = {
      operation: 'add_after',
      reason: 'two tests fail',
      new_steps: ['step-011', 'step-012', 'step-013'].map((id) => ({ id })),
    };
    const records = [
      recordOf('US-001', 0, 'story_claimed', { details: { slot: 1 } }),
      recordOf('US-001', 5, 'workflow_edit', { step: 'step-007', details }),
      recordOf('US-001', 9, 'story_completed'),
    ];
    expect(storyOf(walked(...ten()), records).history).toMatchObject([
      { action: 'story_claimed', agent_id: 1, step_id: null },
      { action: 'workflow_edit', agent_id: 1, step_id: 'step-007', details },
      { action: 'story_completed', agent_id: 1, step_id: null },
    ]);
  });
});
