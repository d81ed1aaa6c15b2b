// The only place that decides: total, synchronous, deterministic. A stale event changes nothing.

import { payLate } from './attempts/pay.js';
import { liftStop, readLimits } from './attempts/spending-limits.js';
import { currentNode, goBackToStart, layChain } from './chain/chain.js';
import { advance, resumeChains, resumeNode } from './flow/advance.js';
import { addNote } from './flow/ask-review.js';
import { cancelChain } from './flow/cancel.js';
import { dropWorktree } from './flow/finish.js';
import { addItems } from './flow/loops/loop.js';
import { freshen, reopenLoop } from './flow/revive.js';
import { answer } from './handlers/answer-interaction.js';
import { createRun, editTask } from './handlers/create-run.js';
import { landByName, offerLanding } from './handlers/land.js';
import { handLeftOn } from './handlers/leftovers.js';
import { retryAfterKill, retryNode, runNamed, skipItem } from './handlers/node-command.js';
import { closeSession, openSession } from './handlers/opened-session.js';
import { rollbackByName } from './handlers/rollback.js';
import {
  addBudget,
  askToAbort,
  continueRun,
  dequeue,
  kill,
  pause,
  requeue,
  startRun,
  startStory,
} from './handlers/run-command.js';
import { settleAttempt, settleReported, startAttempt } from './handlers/settle.js';
import { closeIdleSkips, skipNode } from './handlers/skip-node.js';
import { layFound } from './handlers/takeover.js';
import { workspaceDone } from './handlers/workspace-done.js';
import { agentAsks, expireAsk } from './interactions/agent-asks.js';
import { endSnoozes, handOver, nudge, snooze, wake } from './interactions/attention.js';
import { openOf, type Speaker } from './interactions/interaction.js';
import { escalate, remind } from './interactions/recall.js';
import { hearWords, keepWords } from './interactions/spoken-words.js';
import { isAborting, whyOpened } from './model/draft/checkout-use.js';
import { DecisionDraft } from './model/draft/draft.js';
import { isRunOver } from './model/draft/transition.js';
import type { Decision } from './model/effect.js';
import type { Event, NewItem, RunCreated } from './model/event.js';
import { type Interaction, type Node, type PauseReason, type State, unreachable } from './model/model.js';
import type { Workflow } from './workflow/definition.js';
import { hasBody } from './workflow/node-kinds.js';

export function decideFirst(workflow: Workflow, event: RunCreated): Decision<State> {
  const tx = createRun(workflow, event);
  return { state: tx.state, effects: tx.effects, ignored: null };
}

export function decide(state: State, event: Event): Decision<State> {
  const tx = new DecisionDraft(state, event.at);
  const isNowhere = tx.chain.key !== '' && tx.item === null;
  const purse = 'purse' in event ? event.purse : undefined;
  // Other runs may have spent money while this was a draft.
  if (purse !== undefined && tx.run.status === 'draft') tx.setRun({ purse });
  const wasAborting = isAborting(tx);
  const wasAtLimit = openOf(tx, 'fuse') !== null;
  const ignored = isNowhere ? `no chain ${tx.chain.key}` : applyEvent(tx, event);
  if (ignored !== null) return { state, effects: [], ignored };
  // These cards held back all chains, however they closed.
  const isFreed = (wasAtLimit && openOf(tx, 'fuse') === null) || (wasAborting && !isAborting(tx));
  if (isFreed && !isRunOver(tx.run.status)) resumeChains(tx);
  closeIdleSkips(tx);
  settleStatus(tx);
  return { state: tx.state, effects: tx.effects, ignored: null };
}

/** Null, or the reason why nothing changed. */
function applyEvent(tx: DecisionDraft, event: Event): string | null {
  switch (event.type) {
    case 'run_created':
      return 'the run exists already';
    case 'attempt_started':
      return startAttempt(tx, event.attempt, event.worker);
    case 'attempt_settled':
      return settleAttempt(tx, event.attempt, event.envelope, event.executors);
    case 'agent_asked':
      return agentAsks(tx, event);
    case 'ask_expired':
      return expireAsk(tx, event.attempt, event.key);
    case 'words_said':
      return keepWords(tx, event);
    case 'words_heard':
      return hearWords(tx, event.attempt, event.key, event.isHeard);
    case 'remind':
      return remind(tx, event.interaction);
    case 'escalate':
      return escalate(tx, event.interaction);
    case 'snooze':
      return snooze(tx, event);
    case 'wake':
      return wake(tx, event);
    case 'nudge':
      return nudge(tx, event);
    case 'snooze_ended':
      return endSnoozes(tx, event.interaction);
    case 'hand':
      return handOver(tx, event);
    case 'reported':
      return settleReported(tx, event);
    case 'session_opened':
      return openSession(tx, event);
    case 'session_closed':
      return closeSession(tx, event.key, event.isLost);
    case 'limits_read':
      readLimits(tx, event);
      return null;
    case 'paid_late':
      payLate(tx, event);
      return null;
    case 'left_taken':
      return handLeftOn(tx);
    case 'folder_freed':
      return offerLanding(tx);
    case 'workspace_done':
      return workspaceDone(tx, event.op, event.result);
    case 'answered':
      if (event.steps !== undefined) nameSteps(tx, event.steps, event.by);
      return answer(tx, event.interaction, event);
    case 'item_opened':
      openChain(tx, event);
      return null;
    case 'item_closed':
      closeItem(tx, event);
      return null;
    case 'item_reopened':
      reopenLoop(tx, event.item);
      return null;
    case 'chain_resumed':
      resume(tx, event);
      return null;
    case 'chain_cancelled':
      cancelChain(tx);
      return null;
    case 'next_named':
      nameNext(tx, event.item);
      return null;
    default:
      applyCommand(tx, event);
      return null;
  }
}

type Command = Extract<
  Event,
  {
    type:
      | 'start'
      | 'continue'
      | 'retry'
      | 'skip'
      | 'skip_item'
      | 'rollback'
      | 'pause'
      | 'kill'
      | 'abort'
      | 'land'
      | 'dequeue'
      | 'requeue'
      | 'edit_task'
      | 'budget';
  }
>;

function applyCommand(tx: DecisionDraft, event: Command): void {
  const why = command(tx, event);
  if (why !== null) tx.reply({ type: 'refused', why });
}

function command(tx: DecisionDraft, event: Command): string | null {
  switch (event.type) {
    case 'start':
      return start(tx, event);
    case 'continue':
      return onward(tx, event);
    case 'retry':
      return onNode(tx, event.node, (node) => retryNode(tx, node, event.note, event.by));
    case 'skip':
      return onNode(tx, event.node, (node) => skipNode(tx, node, event.reason, event.by));
    case 'skip_item':
      return skipItem(tx, event.item, event.reason, event.by);
    case 'rollback':
      return rollbackByName(tx, event.node);
    case 'pause':
      return pause(tx);
    case 'kill':
      return event.attempt === undefined ? kill(tx) : retryAfterKill(tx, event.attempt);
    case 'abort':
      return askToAbort(tx, event.changed);
    case 'land':
      return landByName(tx, event);
    case 'dequeue':
      return dequeue(tx);
    case 'requeue':
      return requeue(tx, event.place);
    case 'edit_task':
      return editTask(tx, event.task);
    case 'budget':
      return addBudget(tx, event.addUsd);
    default:
      return unreachable(event);
  }
}

function start(tx: DecisionDraft, event: Extract<Event, { type: 'start' }>): string | null {
  const { behind, firstStory, beside } = event;
  if (firstStory !== undefined) return startStory(tx, firstStory, speakerOf(event), behind);
  if (tx.run.status === 'draft') startRun(tx, behind, beside);
  else tx.reply({ type: 'nothing_to_do' });
  return null;
}

function onward(tx: DecisionDraft, event: Extract<Event, { type: 'continue' }>): string | null {
  const { node, instruction, by, behind, steps = [] } = event;
  const { run } = tx;
  const opened = isRunOver(run.status) ? null : whyOpened(tx);
  if (opened !== null) return opened;
  if (node === null) {
    if (steps.length > 0 || run.only) nameSteps(tx, steps, by);
    return continueRun(tx, speakerOf(event), behind);
  }
  if (run.status !== 'draft' || run.level !== 'manual') {
    const why = runNamed(tx, node, instruction, by);
    if (why === null) nameSteps(tx, steps, by);
    return why;
  }
  nameSteps(tx, [node, ...steps], by, instruction);
  return continueRun(tx, speakerOf(event), behind);
}

function speakerOf({ by, where }: Speaker): Speaker {
  return where === undefined ? { by } : { by, where };
}

/** An empty list lifts the restriction. */
function nameSteps(tx: DecisionDraft, steps: readonly string[], by: string, instruction: string | null = null): void {
  const [first, ...then] = steps;
  if (tx.run.level !== 'manual') tx.setRun({ only: first === undefined ? null : steps });
  else tx.setRun({ named: first === undefined ? null : { step: first, instruction, by, then } });
}

function onNode(tx: DecisionDraft, id: string, act: (node: Node) => string | null): string | null {
  const node = tx.node(id);
  return node ? act(node) : `no step ${id} here`;
}

function openChain(tx: DecisionDraft, { notes = [], again }: Extract<Event, { type: 'item_opened' }>): void {
  const { item } = tx;
  if (item?.status !== 'running') return;
  if (tx.chain.nodes.length === 0 && !layFound(tx, item)) layChain(tx, tx.loop(item).body);
  if (again) walkStoryAgain(tx, again);
  if (notes.length > 0) tx.setChain({ notes: [...tx.chain.notes, ...notes] });
  advance(tx);
}

function walkStoryAgain(
  tx: DecisionDraft,
  { why, context }: NonNullable<Extract<Event, { type: 'item_opened' }>['again']>,
): void {
  goBackToStart(tx);
  const isByPerson = why === null;
  tx.setChain({ again: why, context: { ...tx.chain.context, ...context }, ...(isByPerson ? { edges: {} } : {}) });
}

function closeItem(
  tx: DecisionDraft,
  { item: key, notes = [], digest }: Extract<Event, { type: 'item_closed' }>,
): void {
  const item = tx.items.find((one) => one.key === key);
  const isForNext = true;
  if (notes.length > 0)
    tx.setChain({ notes: [...tx.chain.notes, ...notes.map((note) => ({ ...note, isForNext }) as const)] });
  if (digest) tx.setChain({ digests: [...tx.chain.digests.filter((one) => one.step !== key), digest] });
  if (item?.status === 'failed') dropWorktree(tx, item);
  advance(tx);
}

type ChainResumed = Extract<Event, { readonly type: 'chain_resumed' }>;

function resume(tx: DecisionDraft, { retryFailed, note }: ChainResumed): void {
  liftStop(tx);
  const node = currentNode(tx.chain);
  if (!retryFailed || (node?.state !== 'failed' && node?.state !== 'cancelled')) {
    advance(tx);
    return;
  }
  const ready = freshen(tx, node);
  if (note !== undefined) addNote(tx, 'remark', note, { node });
  resumeNode(tx, ready);
}

function nameNext(tx: DecisionDraft, item: NewItem): void {
  const loop = tx.chain.nodes.find((node) => hasBody(node) && node.state === 'running');
  if (loop && !tx.items.some((one) => one.key === item.key)) addItems(tx, loop, [item], { keepsLimits: true });
}

function settleStatus(tx: DecisionDraft): void {
  const { run } = tx;
  if (run.status !== 'running' && run.status !== 'paused') return;
  const reason = waitsFor(tx);
  if (reason === null) tx.moveRun('running');
  else tx.moveRun('paused', reason);
}

function waitsFor(tx: DecisionDraft): PauseReason | null {
  const { run } = tx;
  if (run.held || run.opened) return 'user';
  const hasMore = tx.effects.some((effect) => effect.type === 'raise');
  if (run.live.length > 0 || run.ops.some((op) => op.kind !== 'drop') || hasMore) return null;
  const reasons = tx.openInteractions.map(reasonOf);
  const [first] = (['escalation', 'failure', 'budget', 'decision'] as const).filter((one) => reasons.includes(one));
  return first ?? (run.level === 'auto' ? null : 'level');
}

function reasonOf(interaction: Interaction): PauseReason {
  switch (interaction.subject.type) {
    case 'items_failed':
      return 'failure';
    case 'stuck':
      return interaction.subject.isFailed ? 'failure' : 'escalation';
    case 'fuse':
      return 'budget';
    default:
      return interaction.kind === 'escalation' ? 'escalation' : 'decision';
  }
}
