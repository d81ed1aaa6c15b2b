// One place decides. Total over the events, synchronous, deterministic; an event that no longer applies changes nothing.

import { payLate } from './attempts/pay.js';
import { liftStop, readLimits } from './attempts/spending-limits.js';
import { currentNode, goBackToStart, layChain } from './chain/chain.js';
import { advance, resumeChains, resumeNode } from './flow/advance.js';
import { cancelChain } from './flow/cancel.js';
import { dropWorktree } from './flow/finish.js';
import { addItems } from './flow/loops/loop.js';
import { freshen, reopenLoop } from './flow/revive.js';
import { answer } from './handlers/answer-interaction.js';
import { createRun } from './handlers/create-run.js';
import { retryNode, runNamed, skipItem, skipNode } from './handlers/node-command.js';
import { retryAfterKill } from './handlers/retry-killed.js';
import { rollbackByName } from './handlers/rollback.js';
import { addBudget, askToAbort, continueRun, kill, pause, startStory } from './handlers/run-command.js';
import { settleAttempt, settleReported, startAttempt } from './handlers/settle.js';
import { startRun } from './handlers/start-run.js';
import { layFound } from './handlers/takeover.js';
import { workspaceDone } from './handlers/workspace-done.js';
import { agentAsks, expireAsk } from './interactions/agent-asks.js';
import { openOf } from './interactions/interaction.js';
import { escalate, remind } from './interactions/recall.js';
import { DecisionDraft } from './model/draft.js';
import type { Decision } from './model/effect.js';
import type { Event, NewItem, RunCreated } from './model/event.js';
import { type Node, type State, unreachable } from './model/model.js';
import { settleStatus } from './model/run-status.js';
import { isRunOver } from './model/transition.js';
import type { Workflow } from './workflow/definition.js';

/** The first event of a run, which has no state before it. */
export function decideFirst(workflow: Workflow, event: RunCreated): Decision<State> {
  const step = createRun(workflow, event);
  return { state: step.state, effects: step.effects, ignored: null };
}

export function decide(state: State, event: Event): Decision<State> {
  const step = new DecisionDraft(state, event.at);
  const isNowhere = step.chain.key !== '' && step.item === null;
  const purse = 'purse' in event ? event.purse : undefined;
  // What others have spent while it was a draft.
  if (purse !== undefined && step.run.status === 'draft') step.setRun({ purse });
  const wasFused = openOf(step, 'fuse') !== null;
  const ignored = isNowhere ? `no chain ${step.chain.key}` : happen(step, event);
  if (ignored !== null) return { state, effects: [], ignored };
  // The card was for all that the fuse held back, however it went away.
  if (wasFused && openOf(step, 'fuse') === null && !isRunOver(step.run.status)) resumeChains(step);
  settleStatus(step);
  return { state: step.state, effects: step.effects, ignored: null };
}

/** Why nothing changed, or null. */
function happen(step: DecisionDraft, event: Event): string | null {
  switch (event.type) {
    case 'run_created':
      return 'the run exists already';
    case 'attempt_started':
      return startAttempt(step, event.attempt, event.worker);
    case 'attempt_settled':
      return settleAttempt(step, event.attempt, event.envelope);
    case 'agent_asked':
      return agentAsks(step, event.attempt, event.key, event.ask);
    case 'ask_expired':
      return expireAsk(step, event.attempt, event.key);
    case 'remind':
      return remind(step, event.interaction);
    case 'escalate':
      return escalate(step, event.interaction);
    case 'reported':
      return settleReported(step, event.envelope, event.about ?? null);
    case 'limits_read':
      readLimits(step, event);
      return null;
    case 'paid_late':
      payLate(step, event);
      return null;
    case 'workspace_done':
      return workspaceDone(step, event.op, event.result);
    case 'answered':
      if (event.steps !== undefined) nameSteps(step, event.steps, event.by);
      return answer(step, event.interaction, event);
    case 'item_opened':
      openChain(step, event);
      return null;
    case 'item_closed':
      closeItem(step, event);
      return null;
    case 'item_reopened':
      reopenLoop(step, event.item);
      return null;
    case 'chain_resumed':
      resume(step, event.retryFailed);
      return null;
    case 'chain_cancelled':
      cancelChain(step);
      return null;
    case 'next_named':
      nameNext(step, event.item);
      return null;
    default:
      obey(step, event);
      return null;
  }
}

type Command = Extract<
  Event,
  {
    type: 'start' | 'continue' | 'retry' | 'skip' | 'skip_item' | 'rollback' | 'pause' | 'kill' | 'abort' | 'budget';
  }
>;

function obey(step: DecisionDraft, event: Command): void {
  const why = command(step, event);
  if (why !== null) step.reply({ type: 'refused', why });
}

/** Why it was refused, or null. */
function command(step: DecisionDraft, event: Command): string | null {
  switch (event.type) {
    case 'start':
      return start(step, event);
    case 'continue':
      return onward(step, event);
    case 'retry':
      return onNode(step, event.node, (node) => retryNode(step, node, event.note, event.by));
    case 'skip':
      return onNode(step, event.node, (node) => skipNode(step, node, event.reason, event.by));
    case 'skip_item':
      return skipItem(step, event.item, event.reason, event.by);
    case 'rollback':
      return rollbackByName(step, event.node);
    case 'pause':
      return pause(step);
    case 'kill':
      return event.attempt === undefined ? kill(step) : retryAfterKill(step, event.attempt);
    case 'abort':
      return askToAbort(step);
    case 'budget':
      return addBudget(step, event.addUsd);
    default:
      return unreachable(event);
  }
}

function start(
  step: DecisionDraft,
  { behind, firstStory, by, where }: Extract<Event, { type: 'start' }>,
): string | null {
  if (firstStory !== undefined)
    return startStory(step, firstStory, where === undefined ? { by } : { by, where }, behind);
  if (step.run.status === 'draft') startRun(step, behind);
  else step.reply({ type: 'nothing_to_do' });
  return null;
}

function onward(step: DecisionDraft, event: Extract<Event, { type: 'continue' }>): string | null {
  const { node, instruction, by, where, behind, steps = [] } = event;
  const { run } = step;
  const speaker = where === undefined ? { by } : { by, where };
  if (node === null) {
    if (steps.length > 0 || run.only) nameSteps(step, steps, by);
    return continueRun(step, speaker, behind);
  }
  if (run.status !== 'draft' || run.level !== 'manual') {
    const why = runNamed(step, node, instruction, by);
    if (why === null) nameSteps(step, steps, by);
    return why;
  }
  nameSteps(step, [node, ...steps], by, instruction);
  return continueRun(step, speaker, behind);
}

/** The steps that a person wants next, in place of those named before. None: any, as the level has it. */
function nameSteps(step: DecisionDraft, steps: readonly string[], by: string, instruction: string | null = null): void {
  const [first, ...then] = steps;
  if (step.run.level !== 'manual') step.setRun({ only: first === undefined ? null : steps });
  else step.setRun({ named: first === undefined ? null : { step: first, instruction, by, then } });
}

function onNode(step: DecisionDraft, id: string, act: (node: Node) => string | null): string | null {
  const node = step.node(id);
  return node ? act(node) : `no step ${id} here`;
}

function openChain(step: DecisionDraft, { notes = [], again }: Extract<Event, { type: 'item_opened' }>): void {
  const { item } = step;
  if (item?.status !== 'running') return;
  if (step.chain.nodes.length === 0 && !layFound(step, item)) layChain(step, step.def(item).body);
  if (again) walkStoryAgain(step, again);
  if (notes.length > 0) step.setChain({ notes: [...step.chain.notes, ...notes] });
  advance(step);
}

function walkStoryAgain(
  step: DecisionDraft,
  { why, context }: NonNullable<Extract<Event, { type: 'item_opened' }>['again']>,
): void {
  goBackToStart(step);
  const isByPerson = why === null;
  step.setChain({ again: why, context: { ...step.chain.context, ...context }, ...(isByPerson ? { edges: {} } : {}) });
}

function closeItem(
  step: DecisionDraft,
  { item: key, notes = [], digest }: Extract<Event, { type: 'item_closed' }>,
): void {
  const item = step.items.find((one) => one.key === key);
  const isForNext = true;
  if (notes.length > 0)
    step.setChain({ notes: [...step.chain.notes, ...notes.map((note) => ({ ...note, isForNext }) as const)] });
  if (digest) step.setChain({ digests: [...step.chain.digests.filter((one) => one.step !== key), digest] });
  if (item?.status === 'failed') dropWorktree(step, item);
  advance(step);
}

function resume(step: DecisionDraft, retryFailed: boolean): void {
  liftStop(step);
  const node = currentNode(step.chain);
  if (retryFailed && (node?.state === 'failed' || node?.state === 'cancelled')) resumeNode(step, freshen(step, node));
  else advance(step);
}

function nameNext(step: DecisionDraft, item: NewItem): void {
  const loop = step.chain.nodes.find((node) => node.kind === 'loop' && node.state === 'running');
  if (loop && !step.items.some((one) => one.key === item.key)) addItems(step, loop, [item], { keepsFuse: true });
}
