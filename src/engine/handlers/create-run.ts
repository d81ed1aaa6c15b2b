// The event holds all that the run needs, so a replay needs nothing else.

import { emptyChain, layChain } from '../chain/chain.js';
import { cancelRun } from '../flow/cancel.js';
import { addItems, readItem } from '../flow/loops/loop.js';
import { ask, change, openOf, option } from '../interactions/interaction.js';
import { DecisionDraft } from '../model/draft/draft.js';
import type { RunCreated } from '../model/event.js';
import type { GivenAnswer, Run, State } from '../model/model.js';
import type { Takeover } from '../model/takeover-data.js';
import type { NodeDef, Workflow } from '../workflow/definition.js';
import { asksPerson, hasBody, judgesFiles, walkedSteps } from '../workflow/node-kinds.js';
import { startRun } from './run-command.js';
import { applyResume, askTakeover } from './takeover.js';

export function createRun(workflow: Workflow, event: RunCreated): DecisionDraft {
  const tx = new DecisionDraft(emptyState(workflow, event), event.at);
  layChain(tx, workflow.chain);
  const loop = tx.chain.nodes.find(hasBody);
  if (loop && event.items.length > 0) addItems(tx, loop, event.items, event.keepsItems ? { isGiven: true } : {});
  if (event.resume) applyResume(tx, event.resume);
  if (event.takeover) askTakeover(tx, event.takeover);
  else askFirst(tx, event.propose);
  return tx;
}

function askFirst(tx: DecisionDraft, isProposed: boolean): void {
  const [missing] = missingInputs(tx);
  if (missing !== undefined) askForInput(tx, missing);
  else if (isProposed) propose(tx);
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
    context: { ...defaultsOf(workflow), ...context },
    credit: 0,
    live: [],
    ops: [],
    prepared: false,
    stash: null,
    counters: { dispatches: 0, nodes: 0, interactions: 0, ops: 0, insertions: 0 },
    dispatchLimit: workflow.limits.dispatches,
    insertionLimit: workflow.limits.insertions,
    costUsd: 0,
    budgetUsd: budgetUsd ?? workflow.limits.costUsd,
    tokensIn: 0,
    tokensOut: 0,
    createdBy: event.by,
    createdAt: event.at,
    startedAt: null,
    endedAt: null,
    named: null,
    approved: false,
    oneShot: event.oneShot ?? false,
    position: null,
    begin: event.begin ?? null,
    ...(event.begin !== undefined && { beginBy: event.by }),
    scratch: '',
    progress: null,
    grants: [],
    purse: event.purse ?? null,
    finishing: null,
    deliver: event.deliver ?? 'commit',
    branch: null,
    ...(event.rules && { rules: event.rules }),
    ...(event.notes && event.notes.length > 0 && { notes: event.notes }),
    ...(event.prd && { prd: event.prd }),
    ...(event.settled && { settled: event.settled }),
    ...(event.parallel !== undefined && { parallel: event.parallel }),
    ...(event.firstStory !== undefined && { firstStory: event.firstStory }),
  };
}

function defaultsOf({ inputs, context }: Workflow): Readonly<Record<string, string>> {
  const given = Object.entries(inputs).map(([name, input]) => [name, input.default ?? '']);
  return { ...Object.fromEntries(given), ...context };
}

function missingInputs({ workflow, run }: DecisionDraft): readonly string[] {
  const needed = Object.entries(workflow.inputs).filter(([name, input]) => input.required && name !== 'task');
  return needed.map(([name]) => name).filter((name) => !run.context[name]?.trim());
}

function askForInput(tx: DecisionDraft, name: string): void {
  ask(tx, {
    kind: 'question',
    subject: { type: 'input', name },
    node: null,
    text: `${tx.workflow.name} needs "${name}". What is it?`,
    options: [option('answer', 'Answer', true), option('cancel', 'Cancel')],
  });
}

export function giveInput(tx: DecisionDraft, name: string, value: string, behind: string | null): void {
  tx.setRun({ context: { ...tx.run.context, [name]: value.trim() } });
  const [missing] = missingInputs(tx);
  if (missing !== undefined) askForInput(tx, missing);
  else if (tx.workflow.policy.autoMode) startRun(tx, behind);
  else propose(tx);
}

export function answerTakeover(
  tx: DecisionDraft,
  { resume, files, afresh }: Takeover,
  { option: chosen, behind }: Pick<GivenAnswer, 'option' | 'behind'>,
): void {
  if (chosen === 'cancel') {
    cancelRun(tx, 'cancelled');
    return;
  }
  tx.setRun({ settled: files });
  if (chosen === 'resume' && resume !== null) {
    applyResume(tx, resume);
    askFirst(tx, false);
    startRun(tx, behind);
  } else if (afresh === 'end') {
    cancelRun(tx, 'started afresh');
  } else {
    askFirst(tx, afresh === 'propose');
    if (afresh === 'start') startRun(tx, behind);
  }
}

/** Updates the proposal and the story made from the task. */
export function editTask(tx: DecisionDraft, task: string): string | null {
  const { run } = tx;
  if (run.status !== 'draft') return 'it has begun already';
  const before = readItem(run.task);
  tx.setRun({ task });
  if (before !== null && tx.items.length === 1) {
    const { key, title, description } = readItem(task) ?? readItem(`${before.key} ${task}`) ?? before;
    tx.items = tx.items.map((item) => (item.key === before.key ? { ...item, key, title, description } : item));
  }
  const proposal = openOf(tx, 'proposal');
  if (proposal === null) tx.notice({ type: 'task_edited' });
  else change(tx, { ...proposal, text: proposalText(tx) }, 'reworded');
  return null;
}

function propose(tx: DecisionDraft): void {
  ask(tx, {
    kind: 'confirm',
    subject: { type: 'proposal' },
    node: null,
    text: proposalText(tx),
    options: [option('start', 'Start'), option('cancel', 'Cancel')],
  });
}

function proposalText(tx: DecisionDraft): string {
  const { workflow, run } = tx;
  const steps = walkedSteps(workflow.chain);
  const people = steps.filter((def) => isDecidedByPeople(tx, def)).map((def) => def.id);
  const lines = [
    run.task,
    `Workflow: ${workflow.name}`,
    planOf(steps),
    ...(workflow.positions.length > 0 ? [`It begins where the files in ${workflow.survey} say.`] : []),
    people.length > 0 ? `You decide at: ${people.join(', ')}` : 'I only ask if something goes wrong.',
    ...(run.notes ?? []),
  ];
  if (tx.items.length > 0) lines.splice(1, 0, `Stories: ${tx.items.map((item) => item.key).join(', ')}`);
  return lines.join('\n');
}

function planOf(steps: readonly NodeDef[]): string {
  const decisions = steps.filter(judgesFiles).length;
  if (decisions === 0) return `Steps: ${steps.map((def) => def.id).join(' → ')}`;
  const marked = steps.map((def) => (judgesFiles(def) ? `◆ ${def.id}` : `${def.id}${def.barrier ? ' [barrier]' : ''}`));
  return `${steps.length} steps, ${decisions} of them decisions: ${marked.join(' → ')}`;
}

function isDecidedByPeople({ workflow }: DecisionDraft, def: NodeDef): boolean {
  return asksPerson(def) || (judgesFiles(def) && workflow.policy.stopAtDecisions === 'before');
}
