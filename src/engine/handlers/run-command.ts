import { liftStop, moved } from '../attempts/spending-limits.js';
import { currentNode } from '../chain/chain.js';
import { advance, grant, liftPause, resumeChains } from '../flow/advance.js';
import { endEarly } from '../flow/cancel.js';
import { prepare } from '../flow/finish.js';
import { openItem } from '../flow/loops/loop.js';
import { isVotedOn } from '../interactions/approval.js';
import { ask, openOf, option, type Speaker, settleInteraction, supersede } from '../interactions/interaction.js';
import { whyWorkedOn } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { isRunOver } from '../model/draft/transition.js';
import type { ChangedFiles, LiveAttempt } from '../model/model.js';
import { hasBody, runsJob, walkedSteps } from '../workflow/node-kinds.js';

/** `behind`: waits for that run. */
export function startRun(tx: DecisionDraft, behind: string | null, beside?: true): void {
  const missing = openOf(tx, 'takeover') ?? openOf(tx, 'input');
  if (missing) {
    tx.reply({ type: 'shown', interactions: [missing] });
    return;
  }
  tx.setRun({ approved: true });
  if (behind !== null) {
    tx.reply({ type: 'queued_behind', run: behind });
    return;
  }
  supersede(tx, (one) => one.subject.type === 'proposal');
  grant(tx);
  if (beside) tx.setRun({ beside });
  tx.moveRun('running');
  tx.reply({ type: 'started' });
  prepare(tx, { stash: false, ...(beside && { worktree: beside }) });
}

/** Takes the next due step; never approves, never destroys. */
export function continueRun(tx: DecisionDraft, said: Speaker, behind: string | null): null {
  const { run } = tx;
  const abort = openOf(tx, 'abort');
  if (abort) settleInteraction(tx, abort, { ...said, option: 'keep', text: null });
  if (run.status === 'draft') startRun(tx, behind);
  else if (isRunOver(run.status)) tx.reply({ type: 'nothing_to_do' });
  else takeNext(tx, said);
  return null;
}

function takeNext(tx: DecisionDraft, said: Speaker): void {
  const wasHeld = tx.run.held;
  tx.setRun({ held: false });
  liftStop(tx);
  const stop = openOf(tx, 'gate');
  // "continue" is no vote.
  if (stop && !isVotedOn(stop)) {
    const { id, chain } = stop;
    grant(tx);
    tx.reply({ type: 'going_on', step: null });
    const go = { ...said, option: 'go', text: null, behind: null };
    tx.raise({ type: 'answered', run: tx.run.id, chain, at: tx.at, interaction: id, ...go });
    if (wasHeld) resumeChains(tx);
    return;
  }
  const next = openOf(tx, 'next_item');
  if (next?.subject.type === 'next_item' && whyWorkedOn(tx) === null) {
    settleInteraction(tx, next, { ...said, option: 'go', text: null });
    tx.reply({ type: 'going_on', step: next.subject.item });
    startNext(tx, next.subject.item);
    return;
  }
  const open = tx.openInteractions;
  const [live] = tx.run.live;
  if (open.length > 0) tx.reply({ type: 'shown', interactions: open });
  else if (live) tx.reply(wasHeld ? { type: 'going_on', step: live.step } : stillRunning(tx, live));
  else if (!wasHeld && tx.run.ops.length > 0) tx.reply({ type: 'checkout_busy' });
  else if (tx.run.level === 'manual') tx.reply({ type: 'name_a_step', steps: stepNames(tx) });
  else tx.reply({ type: 'going_on', step: null });
  if (open.length === 0 && !live) grant(tx);
  resumeChains(tx);
}

/** A draft's first story, or another than the proposed one. */
export function startStory(tx: DecisionDraft, key: string, said: Speaker, behind: string | null): string | null {
  const item = tx.items.find((one) => one.key.toLowerCase() === key.toLowerCase());
  if (!item) return `no story ${key} here; there are ${tx.items.map((one) => one.key).join(', ')}`;
  const open = item.dependsOn.filter((one) => tx.items.some((other) => other.key === one && other.status !== 'done'));
  if (open.length > 0) return `${item.key} waits for ${open.join(', ')}`;
  if (item.status !== 'ready') return `${item.key} is ${item.status} already`;
  if (tx.run.status === 'draft') {
    tx.setRun({ firstStory: item.key });
    startRun(tx, behind);
    return null;
  }
  const next = openOf(tx, 'next_item');
  if (!next) return `${item.key} can be started once the run asks which story is next`;
  const busy = whyWorkedOn(tx);
  if (busy !== null) return busy;
  settleInteraction(tx, next, { ...said, option: 'go', text: null });
  tx.reply({ type: 'going_on', step: item.key });
  startNext(tx, item.key, item.key);
  return null;
}

function stillRunning(tx: DecisionDraft, live: LiveAttempt) {
  const sinceMs = live.startedAt === null ? null : tx.at - live.startedAt;
  return { type: 'still_running', item: live.chain, step: live.step, sinceMs } as const;
}

export function startNext(tx: DecisionDraft, item: string, firstStory: string | null = null): void {
  const wasChosen = Boolean(tx.run.firstStory);
  if (wasChosen || firstStory !== null) tx.setRun({ firstStory });
  liftPause(tx);
  grant(tx);
  openItem(tx, item);
  // The others waited for the chosen one.
  if (wasChosen && tx.run.afterStory === 'start') advance(tx);
}

export function pause(tx: DecisionDraft): null {
  const { run, items, chain } = tx;
  if (run.status === 'draft' || isRunOver(run.status)) {
    tx.reply({ type: 'nothing_to_do' });
    return null;
  }
  tx.setRun({ held: true });
  const done = items.filter((item) => item.status === 'done').map((item) => item.key);
  const passed = chain.nodes.filter((node) => node.state === 'passed' && !hasBody(node));
  const next = items.find((item) => item.status === 'running') ?? items.find((item) => item.status === 'ready');
  const own = currentNode(chain);
  const ownStep = own && !hasBody(own) ? own.template : null;
  tx.reply({
    type: 'paused',
    running: run.live.map((one) => (one.chain ? `${one.chain} ${one.step}` : one.step)),
    done: [...done, ...passed.map((node) => node.template)],
    next: next ? `${next.key} ${next.title}` : ownStep,
  });
  return null;
}

export function kill(tx: DecisionDraft): null {
  for (const one of tx.run.live) tx.effects.push({ type: 'cancel', attempt: one.attempt });
  tx.reply({ type: 'killing', count: tx.run.live.length });
  return null;
}

export function askToAbort(tx: DecisionDraft, changed?: ChangedFiles): null {
  const { run } = tx;
  const open = openOf(tx, 'abort');
  if (isRunOver(run.status)) tx.reply({ type: 'nothing_to_do' });
  else if (open) tx.reply({ type: 'shown', interactions: [open] });
  else confirmAbort(tx, changed);
  return null;
}

/** A forgotten confirmation must not hold work forever. */
const abortWaitMs = 15 * 60_000;

function confirmAbort(tx: DecisionDraft, changed?: ChangedFiles): void {
  const { run } = tx;
  const waiting = tx.items.filter((item) => item.status === 'ready' || item.status === 'blocked').length;
  ask(tx, {
    kind: 'confirm',
    subject: { type: 'abort', ...(changed !== undefined && { changed }) },
    node: null,
    text: `Abort ${run.project}: ${run.task.slice(0, 200)}?\n${run.live.length} running, ${waiting} ${waiting === 1 ? 'story' : 'stories'} waiting.`,
    options: [option('abort', 'Abort it'), option('keep', 'Keep going')],
    ...((run.rules ?? 0) >= 4 && { expiresAt: tx.at + abortWaitMs }),
  });
}

export function dequeue(tx: DecisionDraft): string | null {
  if (tx.run.status !== 'draft') return 'it has begun already; "abort" ends it';
  endEarly(tx, 'taken out of the queue');
  return null;
}

export function requeue(tx: DecisionDraft, place: number): string | null {
  if (tx.run.status !== 'draft') return 'it has begun already';
  tx.setRun({ place });
  return null;
}

export function addBudget(tx: DecisionDraft, addUsd: number): null {
  const { run } = tx;
  if (isRunOver(run.status)) {
    tx.reply({ type: 'nothing_to_do' });
    return null;
  }
  const { scope, limitUsd, change } = moved(run, addUsd, tx.at);
  tx.setRun(change);
  tx.reply({ type: 'budget', usd: limitUsd, ...(scope === 'run' ? {} : { scope }) });
  supersede(tx, (one) => one.subject.type === 'fuse');
  advance(tx);
  return null;
}

export function stepNames(tx: DecisionDraft): readonly string[] {
  const { workflow, chain } = tx;
  const added = Object.values(workflow.fragments).flatMap((fragment) => fragment.defs);
  const defs = walkedSteps([...workflow.chain, ...added]);
  const isHere = (id: string) => chain.key === '' || chain.nodes.some((node) => node.template === id);
  return defs.filter((def) => runsJob(def) && isHere(def.id)).map((def) => def.id);
}
