// The first event of a run: everything that it will ever be needs nothing from outside but this event.
import { emptyChain, layChain } from './chain.js';
import type { RunCreated } from './event.js';
import { ask, option } from './interaction.js';
import { addItems } from './loop.js';
import type { Run, State } from './model.js';
import { Step } from './step.js';
import type { Workflow } from './workflow/definition.js';

export function createRun(workflow: Workflow, event: RunCreated): Step {
  const step = new Step(emptyState(workflow, event), event.at);
  layChain(step, workflow.chain);
  const loop = step.chain.nodes.find((node) => node.kind === 'loop');
  if (loop && event.items.length > 0) addItems(step, loop, event.items);
  if (event.propose) propose(step);
  return step;
}

function emptyState(workflow: Workflow, event: RunCreated): State {
  return { workflow, run: newRun(workflow, event), items: [], chain: emptyChain(''), interactions: [] };
}

function newRun(workflow: Workflow, event: RunCreated): Run {
  const { number, home, project, snapshot, task, context, level, afterStory, budgetUsd } = event;
  return {
    id: event.run,
    number,
    home,
    project,
    workflow: event.workflow,
    snapshot,
    task,
    status: 'draft',
    pauseReason: null,
    held: false,
    level,
    afterStory,
    context: { ...workflow.context, ...context },
    credit: 0,
    live: [],
    op: null,
    prepared: false,
    stash: null,
    counters: { dispatches: 0, nodes: 0, interactions: 0, ops: 0 },
    dispatchLimit: workflow.limits.dispatches,
    costUsd: 0,
    budgetUsd,
    tokensIn: 0,
    tokensOut: 0,
    createdBy: event.by,
    createdAt: event.at,
    startedAt: null,
    endedAt: null,
    named: null,
    approved: false,
  };
}

function propose(step: Step): void {
  const { workflow, run } = step;
  const steps = workflow.chain.flatMap((def) => (def.kind === 'loop' ? def.body : [def]));
  const people = steps.filter((def) => def.kind === 'human').map((def) => def.id);
  const lines = [
    run.task,
    `Workflow: ${workflow.name}`,
    `Steps: ${steps.map((def) => def.id).join(' → ')}`,
    people.length > 0 ? `You decide at: ${people.join(', ')}` : 'Nobody is asked unless something goes wrong.',
  ];
  if (step.items.length > 0) lines.splice(1, 0, `Stories: ${step.items.map((item) => item.key).join(', ')}`);
  ask(step, {
    kind: 'confirm',
    subject: { type: 'proposal' },
    node: null,
    text: lines.join('\n'),
    options: [option('start', 'Start'), option('cancel', 'Cancel')],
  });
}
