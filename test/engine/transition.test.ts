import { describe, expect, it } from 'vitest';
import { decideFirst } from '../../src/engine/decide.js';
import { type ItemStatus, isRunOver, type NodeState, type RunCreated, type RunStatus } from '../../src/engine/index.js';
import { DecisionDraft } from '../../src/engine/model/draft/draft.js';
import { mayMoveItem, mayMoveNode, mayMoveRun } from '../../src/engine/model/draft/transition.js';
import { def, item, loop, Player, workflow } from './builders.js';

const nodeStates: readonly NodeState[] = [
  'waiting',
  'ready',
  'queued',
  'running',
  'needs_human',
  'passed',
  'failed',
  'skipped',
  'cancelled',
];
const itemStatuses: readonly ItemStatus[] = ['ready', 'blocked', 'running', 'merging', 'done', 'failed', 'cancelled'];
const runStatuses: readonly RunStatus[] = ['draft', 'running', 'paused', 'completed', 'failed', 'cancelled'];

/** From each state, every state that may follow; what is not named may not. */
const legalNodes: Readonly<Record<NodeState, string>> = {
  waiting: 'ready skipped cancelled',
  ready: 'queued running needs_human passed skipped waiting cancelled',
  queued: 'running ready needs_human failed cancelled passed skipped waiting',
  running: 'passed ready waiting needs_human failed skipped cancelled',
  needs_human: 'passed ready waiting skipped failed cancelled',
  passed: 'waiting',
  failed: 'ready waiting skipped cancelled',
  skipped: 'waiting',
  cancelled: 'ready waiting skipped',
};
const legalItems: Readonly<Record<ItemStatus, string>> = {
  ready: 'running blocked cancelled',
  blocked: 'ready cancelled',
  running: 'merging done failed cancelled',
  merging: 'done running failed cancelled',
  done: 'ready',
  failed: 'ready running cancelled',
  cancelled: '',
};
const legalRuns: Readonly<Record<RunStatus, string>> = {
  draft: 'running cancelled',
  running: 'paused completed failed cancelled',
  paused: 'running completed failed cancelled',
  completed: '',
  failed: 'running cancelled',
  cancelled: '',
};

function step(): DecisionDraft {
  return new DecisionDraft(
    Player.create(workflow([loop('stories', [def('impl')])]), { items: [item('US-1')] }).state,
    5,
  );
}

describe('the transition table', () => {
  it.each(nodeStates.flatMap((from) => nodeStates.map((to) => [from, to] as const)))(
    'allows a node to go from %s to %s only if listed',
    (from, to) => {
      expect(mayMoveNode(from, to)).toBe(legalNodes[from].split(' ').includes(to));
    },
  );

  it.each(itemStatuses.flatMap((from) => itemStatuses.map((to) => [from, to] as const)))(
    'allows an item to go from %s to %s only if listed',
    (from, to) => {
      expect(mayMoveItem(from, to)).toBe(legalItems[from].split(' ').includes(to));
    },
  );

  it.each(runStatuses.flatMap((from) => runStatuses.map((to) => [from, to] as const)))(
    'allows a run to go from %s to %s only if listed',
    (from, to) => {
      expect(mayMoveRun(from, to)).toBe(legalRuns[from].split(' ').includes(to));
    },
  );

  it('counts a completed or cancelled run as over, but not a failed one', () => {
    expect(runStatuses.filter(isRunOver)).toEqual(['completed', 'cancelled']);
  });
});

describe('an illegal transition', () => {
  it('of a node throws', () => {
    expect(() => step().moveNode('n1', 'passed')).toThrow('node n1 may not go from waiting to passed');
  });

  it('of an item throws', () => {
    expect(() => step().moveItem('US-1', 'done')).toThrow('item US-1 may not go from ready to done');
  });

  it('of a run throws', () => {
    expect(() => step().moveRun('completed')).toThrow('run r12 may not go from draft to completed');
  });

  it('of a node that does not exist throws', () => {
    expect(() => step().moveNode('n9', 'ready')).toThrow('no node n9 in chain ""');
  });

  it('names a template that the workflow does not define', () => {
    expect(() => step().def({ template: 'nowhere' })).toThrow('no definition of nowhere in test');
  });
});

describe('deciding an event', () => {
  const created = Player.create(workflow([def('impl')])).events[0] as RunCreated;

  it('throws for an unknown type', () => {
    const player = Player.start(workflow([def('impl')]));
    expect(() => player.do({ type: 'bogus' } as never)).toThrow('unreachable');
  });

  it('throws for a first event that does not create the run', () => {
    const player = new Player(workflow([def('impl')]));
    expect(() => player.do({ type: 'pause' })).toThrow('the first event of r12 is pause');
  });

  it('ignores a second creation of the run', () => {
    const player = Player.start(workflow([def('impl')]));
    expect(player.do(created).ignored).toBe('the run exists already');
  });

  it('needs no earlier state to create the run', () => {
    expect(decideFirst(workflow([def('impl')]), created).state.run.status).toBe('draft');
  });
});
