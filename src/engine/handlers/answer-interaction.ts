// What each option of each interaction does.

import { raiseLimit } from '../attempts/begin-attempt.js';
import { advance, resumeAfterRollback, resumeNode } from '../flow/advance.js';
import { addNote, askPerson } from '../flow/ask-review.js';
import { cancelRun, dropItem } from '../flow/cancel.js';
import { endChain, endRun, prepare, startOp } from '../flow/finish.js';
import { answerGate, answerGateStuck } from '../flow/gate.js';
import { rejectWith, review } from '../flow/review.js';
import { askAgain, ownerOf } from '../flow/stuck-node.js';
import { allow, answerAgent, wordsOf } from '../interactions/agent-asks.js';
import { takeVote, whyNotBy } from '../interactions/approval.js';
import { ask, option, settleInteraction } from '../interactions/interaction.js';
import { whyBusy, whyWorkedOn } from '../model/checkout-use.js';
import type { DecisionDraft } from '../model/draft.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import { type Interaction, type Item, type Node, type Subject, unreachable } from '../model/model.js';
import { answerTakeover, giveInput } from './create-run.js';
import { retryNode, skipNode } from './node-command.js';
import { askForTarget, rollbackTo } from './rollback.js';
import { startNext } from './run-command.js';
import { startRun } from './start-run.js';
import { beginAt } from './starting-position.js';
import { retryMerge } from './workspace-done.js';

/** Why nothing changed, or null. */
export function answer(step: DecisionDraft, id: string, given: GivenAnswer): string | null {
  const interaction = step.openInteractions.find((one) => one.id === id);
  if (!interaction) return 'not open';
  if (interaction.chain !== step.chain.key) return 'another chain';
  // `reject: constitution_violation …` says reject and why in one go.
  const isReasoned = interaction.subject.type === 'review' && given.option.startsWith('for-');
  const chosen = interaction.options.find((one) => one.id === (isReasoned ? 'reject' : given.option));
  if (!chosen) return `no option ${given.option}`;
  if (chosen.needsText && !given.text?.trim()) {
    step.reply({ type: 'needs_text', interaction, option: chosen.id });
    return null;
  }
  const why = whyNotBy(step, interaction, given) ?? whyNotNow(step, interaction, chosen.id);
  if (why !== null) {
    step.reply({ type: 'refused', why });
    return null;
  }
  if (interaction.subject.type === 'agent_question' && interaction.subject.isLate && chosen.id !== 'abort') {
    step.reply({ type: 'refused', why: 'its agent is just being stopped; answer again in a moment' });
    return null;
  }
  if (!takeVote(step, interaction, given)) return null;
  settleInteraction(step, interaction, given);
  act(step, interaction, given);
  return null;
}

function whyNotNow(step: DecisionDraft, interaction: Interaction, option: string): string | null {
  if (isTakenAnyTime(interaction, option)) return null;
  const isForLater = step.run.level !== 'manual' && waitsForNeighbours(interaction, option);
  return isForLater ? whyWorkedOn(step) : whyBusy(step);
}

/**
 * An answer that makes a step of a wave due again, or passes it by, is taken while its neighbours run: the chain goes on
 * once they are back. At level manual nothing would go on by itself.
 */
function waitsForNeighbours({ subject }: Interaction, option: string): boolean {
  const isOfStep = subject.type === 'question' || subject.type === 'denied' || subject.type === 'stuck';
  return isOfStep && option !== 'rollback';
}

/** They end something, leave it as it is, or only raise a limit, whatever is going on. */
const takenAnyTime: ReadonlySet<string> = new Set(['abort', 'keep', 'more', 'finish']);

/** An agent that asks is at work and waits for nothing else. */
function isTakenAnyTime({ subject }: Interaction, option: string): boolean {
  return takenAnyTime.has(option) || subject.type === 'agent_question' || subject.type === 'agent_permission';
}

function act(step: DecisionDraft, interaction: Interaction, given: GivenAnswer): void {
  const { subject } = interaction;
  switch (subject.type) {
    case 'review':
    case 'question':
    case 'agent_question':
    case 'agent_permission':
    case 'denied':
    case 'stuck':
    case 'rollback_target':
    case 'reject_reason':
    case 'give_up':
    case 'fuse':
    case 'gate':
    case 'gate_stuck':
      actOnNode(step, nodeOf(step, interaction), interaction, given);
      break;
    case 'proposal':
      if (given.option === 'start') startRun(step, given.behind);
      else cancelRun(step, 'cancelled');
      break;
    case 'next_item':
      if (given.option === 'go') startNext(step, subject.item);
      else finishHere(step);
      break;
    case 'abort':
      if (given.option === 'abort') cancelRun(step, 'aborted');
      break;
    case 'dirty':
      if (given.option === 'stash') prepare(step, { stash: true });
      else if (given.option === 'worktree') prepare(step, { stash: false, worktree: true });
      else cancelRun(step, 'cancelled');
      break;
    case 'workspace':
      workspace(step, subject, given);
      break;
    case 'items_failed':
      itemsFailed(step, given);
      break;
    case 'position':
      if (given.option === 'abort') cancelRun(step, 'aborted');
      else beginAt(step, given.option.slice('at-'.length));
      break;
    case 'input':
      if (given.option === 'answer') giveInput(step, subject.name, String(given.text), given.behind);
      else cancelRun(step, 'cancelled');
      break;
    case 'takeover':
      answerTakeover(step, subject.takeover, given);
      break;
    default:
      unreachable(subject);
  }
}

function actOnNode(step: DecisionDraft, node: Node, interaction: Interaction, given: GivenAnswer): void {
  const { subject } = interaction;
  switch (subject.type) {
    case 'review':
      review(step, node, given, interaction.votes);
      break;
    case 'reject_reason':
      rejectWith(step, node, subject, given);
      break;
    case 'question':
      if (isAnswer(given.option)) resume(step, node, interaction, { ...given, text: wordsOf(interaction, given) });
      else wayOut(step, node, given);
      break;
    case 'agent_question':
    case 'agent_permission':
      if (given.option === 'abort') cancelRun(step, 'aborted');
      else answerAgent(step, node, interaction, subject, given);
      break;
    case 'denied':
      if (given.option === 'run') allow(step, subject.permissions);
      if (given.option === 'run' || given.option === 'deny') resume(step, node, interaction, ruledOn(subject, given));
      else wayOut(step, node, given);
      break;
    case 'rollback_target':
      if (given.option === 'keep') askAgain(step);
      else keepCard(step, rollbackTo(step, given.option.slice('to-'.length)));
      break;
    case 'give_up':
      if (given.option === 'yes') giveUp(step, given.by);
      else askAgain(step);
      break;
    case 'fuse':
      if (given.option === 'abort') cancelRun(step, 'aborted');
      else allowMore(step, node, given.option);
      break;
    case 'gate':
      answerGate(step, node, given);
      break;
    case 'gate_stuck':
      if (!answerGateStuck(step, node, given)) wayOut(step, node, given);
      break;
    default:
      wayOut(step, node, given);
  }
}

function isAnswer(option: string): boolean {
  return option === 'answer' || option.startsWith('pick-');
}

/** What the agent is told of a ruling on what it was refused. */
function ruledOn({ permissions }: Extract<Subject, { type: 'denied' }>, given: GivenAnswer): GivenAnswer {
  const what = permissions.map((one) => `${one.tool}: ${one.what}`).join('\n');
  const rule = given.option === 'run' ? 'You may do this now:' : 'You may not do this; go on without it:';
  return { ...given, text: [`${rule}\n${what}`, given.text?.trim() ?? ''].filter((one) => one !== '').join('\n') };
}

function resume(step: DecisionDraft, node: Node, { text: question }: Interaction, given: GivenAnswer): void {
  const ready = step.moveNode(node.id, 'ready');
  addNote(step, 'answer', given, { question, node });
  resumeNode(step, ready);
}

/** An answer that was refused uses no card up. */
function keepCard(step: DecisionDraft, why: string | null): void {
  if (why === null) return;
  step.reply({ type: 'refused', why });
  askAgain(step);
}

function wayOut(step: DecisionDraft, node: Node, given: GivenAnswer): void {
  switch (given.option) {
    case 'retry':
      if (node.kind === 'human' && node.state === 'needs_human') askPerson(step, node);
      else keepCard(step, retryNode(step, node, given.text, given.by));
      break;
    case 'skip':
      if (step.def(node).mandatory) confirmGiveUp(step, node);
      else keepCard(step, skipNode(step, node, given.text?.trim() || 'skipped by a person', given.by));
      break;
    case 'rollback':
      askForTarget(step, node);
      break;
    case 'accept':
    case 'restore': {
      const settings = given.option;
      startOp(step, (id) => ({ id, kind: 'settle_settings', chain: step.chain.key, node: node.id, settings }));
      break;
    }
    default:
      cancelRun(step, 'aborted');
  }
}

function confirmGiveUp(step: DecisionDraft, node: Node): void {
  ask(step, {
    kind: 'confirm',
    subject: { type: 'give_up' },
    node,
    text: `${node.template} may not be skipped. Give up ${ownerOf(step)} instead?`,
    options: [option('yes', 'Give it up'), option('no', 'Keep it')],
  });
}

function giveUp(step: DecisionDraft, by: string): void {
  if (step.item) dropItem(step, step.item, by);
  else cancelRun(step, 'given up');
}

function allowMore(step: DecisionDraft, node: Node, option: string): void {
  if (option === 'finish') step.setRun({ finishing: node.id });
  else raiseLimit(step);
  if (node.state === 'ready') resumeNode(step, node);
  else advance(step);
}

function finishHere(step: DecisionDraft): void {
  for (const item of step.items) {
    if (item.status === 'ready' || item.status === 'blocked') step.moveItem(item.key, 'cancelled');
  }
  advance(step);
}

function workspace(
  step: DecisionDraft,
  { op, isLarge }: Extract<Subject, { type: 'workspace' }>,
  given: GivenAnswer,
): void {
  if (given.option === 'abort') cancelRun(step, 'aborted');
  else if (given.option === 'accept' && isLarge) startOp(step, (id) => ({ ...op, id, allowsLarge: true }));
  else if (given.option === 'accept' || given.option === 'restore') {
    const settings = given.option;
    startOp(step, (id) => ({ ...op, id, settings }));
  } else if (given.option === 'retry' && op.kind === 'merge') retryMerge(step, op);
  else if (given.option === 'retry') startOp(step, (id) => ({ ...op, id }));
  else if (op.kind === 'deliver') endChain(step, 'not committed');
  else if (op.kind === 'merge') giveUp(step, given.by);
  else if (op.kind === 'publish') endRun(step, 'completed', stays(step));
  else {
    askAgain(step);
    resumeAfterRollback(step);
  }
}

/** What a person wants to go no further than it is. */
function stays({ run }: DecisionDraft): string | null {
  return run.branch && `the work is on the branch ${run.branch.name}`;
}

function itemsFailed(step: DecisionDraft, given: GivenAnswer): void {
  if (given.option === 'abort') cancelRun(step, 'aborted');
  for (const item of step.items) {
    if (given.option === `skip-${item.key}`) dropItem(step, item, given.by);
    if (given.option === `retry-${item.key}`) retryItem(step, item);
  }
}

function retryItem(step: DecisionDraft, { key, parent }: Item): void {
  const now = { run: step.run.id, at: step.at };
  step.moveItem(key, 'running');
  step.raise({ type: 'item_reopened', ...now, chain: parent, item: key });
  step.raise({ type: 'chain_resumed', ...now, chain: key, retryFailed: true });
}

function nodeOf(step: DecisionDraft, interaction: Interaction): Node {
  const node = interaction.node === null ? null : step.node(interaction.node);
  if (!node) throw new Error(`${interaction.id} is about no node of chain "${interaction.chain}"`);
  return node;
}
