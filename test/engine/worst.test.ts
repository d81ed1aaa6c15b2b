// How long the longest way through each shipped workflow is: every verdict goes against the work for as long as it may,
// every step fails as often as it may before it passes, and nothing crashes. docs/workflows.md states these numbers.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  definitions,
  type EditOp,
  type Envelope,
  type EvidenceFile,
  loadWorkflow,
  type Node,
  type Workflow,
} from '../../src/engine/index.js';
import { check, clean, envelope, failing, item, Player, report, said } from './builders.js';

const load = (name: string): Workflow => {
  const file = `workflows/${name}.yaml`;
  const loaded = loadWorkflow({ file, text: readFileSync(file, 'utf8') }, (path) =>
    existsSync(path) ? readFileSync(path, 'utf8') : null,
  );
  if (!loaded.ok) throw new Error(loaded.problems.map((one) => one.message).join('\n'));
  return loaded.workflow;
};

const done = said({ STATUS: 'done' });
const red = envelope({ checks: [check('tests', false, ['cart'])] });
const two = JSON.stringify(
  ['US-1', 'US-2'].map((id) => ({ id, title: 'T', description: '', acceptanceCriteria: ['c'] })),
);
const edited = (op: EditOp): Envelope => ({ ...done, edits: { ok: true, ops: [op] } });
const anew = (target: string): EditOp => ({ operation: 'restart', target, reason: 'r', description: 'd' });
const addBehind = (target: string): EditOp => ({
  operation: 'add_after',
  target,
  reason: 'r',
  steps: [{ type: 'coding', description: 'd' }],
});

interface Turn {
  readonly player: Player;
  readonly node: Node;
  readonly isLastTry: boolean;
  readonly edge: (to: string) => number;
}

interface Walked {
  readonly steps: readonly string[];
  readonly player: Player;
}

const mostTurns = 3_000;

/** Walks until a person is asked about something that stands still. */
function walk(flow: Workflow, worst: (turn: Turn) => Envelope): Walked {
  const player = Player.start(flow, { items: flow.name === 'feature-dev' ? [] : [item('A')] });
  const steps: string[] = [];
  for (let turn = 0; turn < mostTurns; turn++) {
    const [live] = player.run.live;
    const [open] = player.open;
    if (player.run.ops.length > 0) {
      player.worked({ ...clean, evidence: evidenceFor(player), survey });
    } else if (live) {
      steps.push(settleWorst(player, flow, live, worst));
    } else if (open && open.kind !== 'escalation') {
      player.answer(open.subject.type === 'review' ? 'approve' : 'go');
    } else {
      return { steps, player };
    }
  }
  throw new Error(`not over after ${mostTurns} turns`);
}

function settleWorst(player: Player, flow: Workflow, live: Live, worst: (turn: Turn) => Envelope): string {
  const chain = player.world.chains.get(live.chain);
  const node = chain?.nodes.find((one) => one.live?.id === live.attempt);
  if (!chain || !node) throw new Error(`no node for ${live.attempt}`);
  const isLastTry = node.attempt >= (definitions(flow).find((def) => def.id === node.template)?.maxAttempts ?? 1);
  player.settle(worst({ player, node, isLastTry, edge: (to) => chain.edges[`${node.template}>${to}`] ?? 0 }));
  return node.template;
}

/** Red for as long as the gate may add work; the last gate stays red. */
function evidenceFor(player: Player): Record<string, EvidenceFile> {
  const [op] = player.run.ops;
  if (op?.kind !== 'read' || op.node === null) return {};
  const gate = player.nodes(op.chain).find((one) => one.id === op.node);
  const isGreen = gate?.template !== 'post-test' && (gate?.retry ?? 0) >= 2;
  const read: EvidenceFile = isGreen ? { found: true, value: fine } : { found: false, why: 'none' };
  return Object.fromEntries(op.files.map((file) => [file, read]));
}

type Live = Player['run']['live'][number];

const fine = { passed: true, gaps: [], failures: [], verdict: 'PASS', issues: [], results: [] };
const survey = {
  hasFolder: true,
  hasSources: true,
  hasRoadmap: true,
  state: {
    current: 'M1',
    raw: '',
    artifacts: [],
    milestones: [{ id: 'm1', name: 'M1', status: 'active', phases: ['1'], donePhases: [] }],
  },
  problem: null,
  results: {},
} as const;

const count = (steps: readonly string[], step: string) => steps.filter((one) => one === step).length;

it('the longest quick run has 12 tries and 4 checks, and ends in a card', () => {
  const { steps, player } = walk(load('quick'), ({ node, isLastTry }) =>
    node.kind === 'check' ? red : isLastTry ? done : failing,
  );
  expect([count(steps, 'implement'), count(steps, 'check')]).toEqual([12, 4]);
  expect(player.asks).toEqual(['stuck']);
});

it('the longest micro-waterfall run has 79 steps per story, and ends in a card', () => {
  const { steps, player } = walk(load('micro-waterfall'), ({ node, isLastTry, edge }) => {
    if (node.template === 'scaffold') return { ...done, checks: [check('tests', !isLastTry)] };
    if (!isLastTry || node.template === 'verify') return failing;
    if (node.template !== 'impl') return done;
    const reason = edge('sdd-delta') < 3 ? 'constitution_violation' : edge('review') < 3 ? 'scope_warning' : null;
    return reason === null ? done : { ...failing, result: report('failing', reason) };
  });
  expect(steps).toHaveLength(79);
  expect(player.open).toMatchObject([{ text: 'A stuck at verify (1 way back to impl)' }]);
});

const plannedTwo = said(
  {},
  { output: { ...done.output, keys: { STATUS: 'done', REPO: 'r', BRANCH: 'b' }, stories: two } },
);

it.each([
  ['14 and 6 for each story by its verdicts', false, 14],
  ['42 and 6 for each story with every try that fails', true, 42],
])('the longest feature-dev run has %s, and fails', (_, isEachFailing, own) => {
  const { steps, player } = walk(load('feature-dev'), ({ player, node, isLastTry, edge }) => {
    const rejections = player.state.items.find((one) => one.status === 'running')?.rejections ?? 0;
    if (isEachFailing && !isLastTry && node.template !== 'verify') return failing;
    if (node.template === 'plan') return plannedTwo;
    if (node.template === 'verify') return said({ STATUS: rejections < 2 ? 'retry' : 'done' });
    if (node.template === 'test') return said({ STATUS: edge('+test_fix') < 2 ? 'retry' : 'done' });
    if (node.template === 'review') return said({ STATUS: 'done', DECISION: 'changes_requested' });
    return done;
  });
  expect(steps).toHaveLength(own + 6 * 2);
  expect([player.run.status, player.asks]).toEqual(['failed', ['stuck']]);
});

it.each([
  ['22 steps by its verdicts', false, 22],
  ['66 with every try that fails', true, 66],
])('the longest compound-engineering run has %s, and fails', (_, isEachFailing, expected) => {
  const { steps, player } = walk(load('compound-engineering'), ({ node, isLastTry, edge }) => {
    if (isEachFailing && !isLastTry) return failing;
    if (node.template !== 'review') return done;
    return said({ STATUS: 'done', DECISION: edge('work') < 3 ? 'needs_fixes' : 'rejected' });
  });
  expect(steps).toHaveLength(expected);
  expect([player.run.status, player.asks]).toEqual(['failed', ['stuck']]);
});

it('the longest dynamic-ralph story has 131 steps (30 nodes with up to three restarts), and fails', () => {
  const { steps, player } = walk(load('dynamic-ralph'), ({ player, node }) => {
    const nodes = player.nodes('A');
    const isLast = node.template === 'final_review';
    if (['context_gathering', 'linting', 'prune_tests'].includes(node.template)) return done;
    if (isLast && nodes.length < 30) return edited(addBehind(nodes.at(-2)?.label ?? ''));
    return node.restarts < 3 || isLast ? edited(anew(node.label)) : done;
  });
  expect(steps).toHaveLength(131);
  expect(player.stories()).toBe('A:failed');
  expect(player.asks).toEqual(['items_failed']);
});

it('the longest lifecycle phase has 33 executions and 151 steps before its gate gives up, and asks', () => {
  const { steps, player } = walk(load('lifecycle'), () => done);
  expect([count(steps, 'execute'), steps.length]).toEqual([33, 151]);
  expect(player.open).toMatchObject([{ kind: 'escalation', text: expect.stringContaining('post-test') }]);
});
