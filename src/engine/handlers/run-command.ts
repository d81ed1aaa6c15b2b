// What a person may tell a run to do. Each says why it was refused, or null; what is refused changes nothing.

import { liftStop, moved } from '../attempts/spending-limits.js';
import { currentNode } from '../chain/chain.js';
import { advance, grant, letGo, resumeChains } from '../flow/advance.js';
import { openItem } from '../flow/loops/loop.js';
import { isVotedOn } from '../interactions/approval.js';
import { ask, openOf, option, type Speaker, settleInteraction, supersede } from '../interactions/interaction.js';
import { whyWorkedOn } from '../model/checkout-use.js';
import type { DecisionDraft } from '../model/draft.js';
import type { LiveAttempt } from '../model/model.js';
import { isRunOver } from '../model/transition.js';
import { startRun } from './start-run.js';

/** Takes the next step that is due. It never approves and never destroys. */
export function continueRun(step: DecisionDraft, said: Speaker, behind: string | null): null {
  const { run } = step;
  const abort = openOf(step, 'abort');
  if (abort) settleInteraction(step, abort, { ...said, option: 'keep', text: null });
  if (run.status === 'draft') startRun(step, behind);
  else if (isRunOver(run.status)) step.reply({ type: 'nothing_to_do' });
  else takeNext(step, said);
  return null;
}

function takeNext(step: DecisionDraft, said: Speaker): void {
  const wasHeld = step.run.held;
  step.setRun({ held: false });
  liftStop(step);
  const stop = openOf(step, 'gate');
  // Who says so counts where it takes several, or others.
  if (stop && !isVotedOn(stop)) {
    const { id, chain } = stop;
    grant(step);
    step.reply({ type: 'going_on', step: null });
    const go = { ...said, option: 'go', text: null, behind: null };
    step.raise({ type: 'answered', run: step.run.id, chain, at: step.at, interaction: id, ...go });
    if (wasHeld) resumeChains(step);
    return;
  }
  const next = openOf(step, 'next_item');
  if (next?.subject.type === 'next_item' && whyWorkedOn(step) === null) {
    settleInteraction(step, next, { ...said, option: 'go', text: null });
    step.reply({ type: 'going_on', step: next.subject.item });
    startNext(step, next.subject.item);
    return;
  }
  const open = step.openInteractions;
  const [live] = step.run.live;
  if (open.length > 0) step.reply({ type: 'shown', interactions: open });
  else if (live) step.reply(wasHeld ? { type: 'going_on', step: live.step } : stillRunning(step, live));
  else if (!wasHeld && step.run.ops.length > 0) step.reply({ type: 'checkout_busy' });
  else if (step.run.level === 'manual') step.reply({ type: 'name_a_step', steps: stepNames(step) });
  else step.reply({ type: 'going_on', step: null });
  if (open.length === 0 && !live) grant(step);
  resumeChains(step);
}

/** One story of many: of a draft, or in place of the one that the run proposes next. */
export function startStory(step: DecisionDraft, key: string, said: Speaker, behind: string | null): string | null {
  const item = step.items.find((one) => one.key.toLowerCase() === key.toLowerCase());
  if (!item) return `no story ${key} here; there are ${step.items.map((one) => one.key).join(', ')}`;
  const open = item.dependsOn.filter((one) => step.items.some((other) => other.key === one && other.status !== 'done'));
  if (open.length > 0) return `${item.key} waits for ${open.join(', ')}`;
  if (item.status !== 'ready') return `${item.key} is ${item.status} already`;
  if (step.run.status === 'draft') {
    step.setRun({ firstStory: item.key });
    startRun(step, behind);
    return null;
  }
  const next = openOf(step, 'next_item');
  if (!next) return `${item.key} can be started once the run asks which story is next`;
  const busy = whyWorkedOn(step);
  if (busy !== null) return busy;
  settleInteraction(step, next, { ...said, option: 'go', text: null });
  step.reply({ type: 'going_on', step: item.key });
  startNext(step, item.key, item.key);
  return null;
}

function stillRunning(step: DecisionDraft, live: LiveAttempt) {
  const sinceMs = live.startedAt === null ? null : step.at - live.startedAt;
  return { type: 'still_running', item: live.chain, step: live.step, sinceMs } as const;
}

export function startNext(step: DecisionDraft, item: string, firstStory: string | null = null): void {
  const wasChosen = Boolean(step.run.firstStory);
  if (wasChosen || firstStory !== null) step.setRun({ firstStory });
  letGo(step);
  grant(step);
  openItem(step, item);
  // The others wait no longer for the chosen story.
  if (wasChosen && step.run.afterStory === 'start') advance(step);
}

export function pause(step: DecisionDraft): null {
  const { run, items, chain } = step;
  if (run.status === 'draft' || isRunOver(run.status)) {
    step.reply({ type: 'nothing_to_do' });
    return null;
  }
  step.setRun({ held: true });
  const done = items.filter((item) => item.status === 'done').map((item) => item.key);
  const passed = chain.nodes.filter((node) => node.state === 'passed' && node.kind !== 'loop');
  const next = items.find((item) => item.status === 'running') ?? items.find((item) => item.status === 'ready');
  const own = currentNode(chain);
  const ownStep = own && own.kind !== 'loop' ? own.template : null;
  step.reply({
    type: 'paused',
    running: run.live.map((one) => (one.chain ? `${one.chain} ${one.step}` : one.step)),
    done: [...done, ...passed.map((node) => node.template)],
    next: next ? `${next.key} ${next.title}` : ownStep,
  });
  return null;
}

export function kill(step: DecisionDraft): null {
  for (const one of step.run.live) step.effects.push({ type: 'cancel', attempt: one.attempt });
  step.reply({ type: 'killing', count: step.run.live.length });
  return null;
}

export function askToAbort(step: DecisionDraft): null {
  const { run } = step;
  const open = openOf(step, 'abort');
  if (isRunOver(run.status)) step.reply({ type: 'nothing_to_do' });
  else if (open) step.reply({ type: 'shown', interactions: [open] });
  else confirmAbort(step);
  return null;
}

function confirmAbort(step: DecisionDraft): void {
  const { run } = step;
  const waiting = step.items.filter((item) => item.status === 'ready' || item.status === 'blocked').length;
  ask(step, {
    kind: 'confirm',
    subject: { type: 'abort' },
    node: null,
    text: `Abort ${run.project}: ${run.task.slice(0, 200)}?\n${run.live.length} running, ${waiting} ${waiting === 1 ? 'story' : 'stories'} waiting.`,
    options: [option('abort', 'Abort it'), option('keep', 'Keep going')],
  });
}

export function addBudget(step: DecisionDraft, addUsd: number): null {
  const { run } = step;
  if (isRunOver(run.status)) {
    step.reply({ type: 'nothing_to_do' });
    return null;
  }
  const { scope, limitUsd, change } = moved(run, addUsd, step.at);
  step.setRun(change);
  step.reply({ type: 'budget', usd: limitUsd, ...(scope === 'run' ? {} : { scope }) });
  supersede(step, (one) => one.subject.type === 'fuse');
  advance(step);
  return null;
}

/** The steps that a person may name here. */
export function stepNames(step: DecisionDraft): readonly string[] {
  const { workflow, chain } = step;
  const added = Object.values(workflow.fragments).flatMap((fragment) => fragment.defs);
  const defs = [...workflow.chain, ...added].flatMap((def) => (def.kind === 'loop' ? def.body : [def]));
  const isHere = (id: string) => chain.key === '' || chain.nodes.some((node) => node.template === id);
  return defs.filter((def) => (def.kind === 'task' || def.kind === 'check') && isHere(def.id)).map((def) => def.id);
}
