import { raiseLimit } from '../attempts/begin-attempt.js';
import { advance, resumeAfterRollback, resumeNode } from '../flow/advance.js';
import { addNote, askPerson } from '../flow/ask-review.js';
import { cancelRun, dropItem } from '../flow/cancel.js';
import { endChain, endRun, prepare, startOp } from '../flow/finish.js';
import { answerGate, answerGateStuck } from '../flow/gate.js';
import { rejectWith, review } from '../flow/review.js';
import { askAgain } from '../flow/stuck-node.js';
import { allow, answerAgent, wordsOf } from '../interactions/agent-asks.js';
import { takeVote, whyNotBy } from '../interactions/approval.js';
import { settleInteraction } from '../interactions/interaction.js';
import { whyBusy, whyWorkedOn } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { GivenAnswer, RecordedAnswer } from '../model/interaction-model.js';
import { type Interaction, type Item, type Node, type Subject, unreachable } from '../model/model.js';
import { asksPerson } from '../workflow/node-kinds.js';
import { answerTakeover, giveInput } from './create-run.js';
import { answerLanding, putOffLanding } from './land.js';
import { answerLeftovers, whyNotClear } from './leftovers.js';
import { retryNode } from './node-command.js';
import { askForTarget, rollbackTo } from './rollback.js';
import { startNext, startRun } from './run-command.js';
import { askToGiveUp, skipApproval, skipNode } from './skip-node.js';
import { beginAt } from './starting-position.js';
import { retryMerge } from './workspace-done.js';

export function answer(tx: DecisionDraft, id: string, given: GivenAnswer): string | null {
  const interaction = tx.openInteractions.find((one) => one.id === id);
  if (!interaction) return 'not open';
  if (interaction.chain !== tx.chain.key) return 'another chain';
  // `reject: constitution_violation …` rejects with a reason.
  const isReasoned = interaction.subject.type === 'review' && given.option.startsWith('for-');
  const chosen = interaction.options.find((one) => one.id === (isReasoned ? 'reject' : given.option));
  if (!chosen) return `no option ${given.option}`;
  if (chosen.needsText && !given.text?.trim()) {
    tx.reply({ type: 'needs_text', interaction, option: chosen.id });
    return null;
  }
  const why =
    whyNotBy(tx, interaction, given) ??
    whyNotClear(interaction, given) ??
    putOffLanding(tx, interaction, given) ??
    whyNotNow(tx, interaction, chosen.id);
  if (why !== null) {
    tx.reply({ type: 'refused', why });
    return null;
  }
  if (interaction.subject.type === 'agent_question' && interaction.subject.isLate && chosen.id !== 'abort') {
    tx.reply({ type: 'refused', why: 'its agent is just being stopped; answer again in a moment' });
    return null;
  }
  if (!takeVote(tx, interaction, given)) return null;
  settleInteraction(tx, interaction, given);
  act(tx, interaction, given);
  return null;
}

function whyNotNow(tx: DecisionDraft, interaction: Interaction, option: string): string | null {
  if (isTakenAnyTime(interaction, option)) return null;
  const isForLater = tx.run.level !== 'manual' && waitsForNeighbours(interaction, option);
  return isForLater ? whyWorkedOn(tx) : whyBusy(tx);
}

/** The chain continues after its neighbours, so the answer is taken while they run. Not at level manual. */
function waitsForNeighbours({ subject }: Interaction, option: string): boolean {
  const isOfStep =
    subject.type === 'question' ||
    subject.type === 'denied' ||
    subject.type === 'stuck' ||
    subject.type === 'skip_approval';
  return isOfStep && !changesCheckout.has(option);
}

/** No agent may work in the checkout meanwhile. */
const changesCheckout: ReadonlySet<string> = new Set(['rollback', 'accept', 'restore']);

/** These end, keep or raise something, so any time suits. */
const takenAnyTime: ReadonlySet<string> = new Set(['abort', 'keep', 'more', 'finish']);

/** A running agent waits for it. */
function isTakenAnyTime({ subject }: Interaction, option: string): boolean {
  return takenAnyTime.has(option) || subject.type === 'agent_question' || subject.type === 'agent_permission';
}

function act(tx: DecisionDraft, interaction: Interaction, given: GivenAnswer): void {
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
    case 'skip_approval':
    case 'fuse':
    case 'gate':
    case 'gate_stuck':
      actOnNode(tx, nodeOf(tx, interaction), interaction, given);
      break;
    case 'proposal':
      if (given.option === 'start') startRun(tx, given.behind);
      else cancelRun(tx, 'cancelled');
      break;
    case 'next_item':
      if (given.option === 'go') startNext(tx, subject.item);
      else finishHere(tx);
      break;
    case 'abort':
      if (given.option === 'abort') cancelRun(tx, 'aborted');
      break;
    case 'dirty':
      if (given.option === 'stash') prepare(tx, { stash: true });
      else if (subject.left && (given.option === 'discard' || given.option === 'build'))
        prepare(tx, { stash: false, left: { by: subject.left, how: given.option } });
      else if (given.option === 'worktree') prepare(tx, { stash: false, worktree: true });
      else cancelRun(tx, 'cancelled');
      break;
    case 'leftovers':
      answerLeftovers(tx, given);
      break;
    case 'land':
      answerLanding(tx, interaction, given);
      break;
    case 'workspace':
      workspace(tx, subject, given);
      break;
    case 'items_failed':
      itemsFailed(tx, given);
      break;
    case 'position':
      if (given.option === 'abort') cancelRun(tx, 'aborted');
      else beginAt(tx, given.option.slice('at-'.length));
      break;
    case 'input':
      if (given.option === 'answer') giveInput(tx, subject.name, String(given.text), given.behind);
      else cancelRun(tx, 'cancelled');
      break;
    case 'takeover':
      answerTakeover(tx, subject.takeover, given);
      break;
    default:
      unreachable(subject);
  }
}

function actOnNode(tx: DecisionDraft, node: Node, interaction: Interaction, given: GivenAnswer): void {
  const { subject } = interaction;
  switch (subject.type) {
    case 'review':
      review(tx, node, given, interaction.votes);
      break;
    case 'reject_reason':
      rejectWith(tx, node, subject, given);
      break;
    case 'question':
      if (isAnswer(given.option)) resume(tx, node, interaction, { ...given, text: wordsOf(interaction, given) });
      else wayOut(tx, node, given);
      break;
    case 'agent_question':
    case 'agent_permission':
      if (given.option === 'abort') cancelRun(tx, 'aborted');
      else answerAgent(tx, node, interaction, subject, given);
      break;
    case 'denied':
      if (given.option === 'run') allow(tx, subject.permissions);
      if (given.option === 'run' || given.option === 'deny') resume(tx, node, interaction, ruledOn(subject, given));
      else wayOut(tx, node, given);
      break;
    case 'rollback_target':
      rollback(tx, node, given, subject.votes);
      break;
    case 'give_up':
      if (given.option === 'yes') giveUp(tx, given.by);
      else askAgain(tx);
      break;
    case 'skip_approval':
      keepCard(tx, given.option === 'skip' ? skipApproval(tx, node, given, subject.reason) : null);
      askAgain(tx);
      break;
    case 'fuse':
      if (given.option === 'abort') cancelRun(tx, 'aborted');
      else allowMore(tx, node, given.option);
      break;
    case 'gate':
      answerGate(tx, node, given);
      break;
    case 'gate_stuck':
      if (!answerGateStuck(tx, node, given)) wayOut(tx, node, given, interaction.votes);
      break;
    default:
      wayOut(tx, node, given);
  }
}

/** The card asked again shows its earlier votes. */
function rollback(tx: DecisionDraft, node: Node, given: GivenAnswer, votes?: readonly RecordedAnswer[]): void {
  const why = given.option === 'keep' ? null : rollbackTo(tx, given.option.slice('to-'.length));
  if (given.option !== 'keep' && why === null) return;
  if (votes !== undefined && node.state === 'needs_human') askPerson(tx, node, votes);
  if (why === null) askAgain(tx);
  else keepCard(tx, why);
}

function isAnswer(option: string): boolean {
  return option === 'answer' || option.startsWith('pick-');
}

function ruledOn({ permissions }: Extract<Subject, { type: 'denied' }>, given: GivenAnswer): GivenAnswer {
  const what = permissions.map((one) => `${one.tool}: ${one.what}`).join('\n');
  const rule = given.option === 'run' ? 'You may do this now:' : 'You may not do this; go on without it:';
  return { ...given, text: [`${rule}\n${what}`, given.text?.trim() ?? ''].filter((one) => one !== '').join('\n') };
}

function resume(tx: DecisionDraft, node: Node, { text: question }: Interaction, given: GivenAnswer): void {
  const ready = tx.moveNode(node.id, 'ready');
  addNote(tx, 'answer', given, { question, node });
  resumeNode(tx, ready);
}

/** A refused answer must not use up the card. */
function keepCard(tx: DecisionDraft, why: string | null): void {
  if (why === null) return;
  tx.reply({ type: 'refused', why });
  askAgain(tx);
}

function wayOut(tx: DecisionDraft, node: Node, given: GivenAnswer, votes?: readonly RecordedAnswer[]): void {
  switch (given.option) {
    case 'retry':
    case 'retry_note':
      if (asksPerson(node) && node.state === 'needs_human') askPerson(tx, node);
      else keepCard(tx, retryNode(tx, node, given.text, given.by));
      break;
    case 'skip':
      if (tx.def(node).mandatory) askToGiveUp(tx, node);
      else keepCard(tx, skipNode(tx, node, given.text?.trim() || null, given.by));
      break;
    case 'rollback':
      askForTarget(tx, node, votes);
      break;
    case 'accept':
    case 'restore': {
      const settings = given.option;
      startOp(tx, (id) => ({ id, kind: 'settle_settings', chain: tx.chain.key, node: node.id, settings }));
      break;
    }
    default:
      cancelRun(tx, 'aborted');
  }
}

function giveUp(tx: DecisionDraft, by: string): void {
  if (tx.item) dropItem(tx, tx.item, by);
  else cancelRun(tx, 'given up');
}

function allowMore(tx: DecisionDraft, node: Node, option: string): void {
  if (option === 'finish') tx.setRun({ finishing: node.id });
  else raiseLimit(tx);
  if (node.state === 'ready') resumeNode(tx, node);
  else advance(tx);
}

function finishHere(tx: DecisionDraft): void {
  const unstarted = tx.items.filter(({ status }) => status === 'ready' || status === 'blocked');
  tx.moveItems(new Set(unstarted.map(({ key }) => key)), 'cancelled');
  advance(tx);
}

function workspace(
  tx: DecisionDraft,
  { op, isLarge }: Extract<Subject, { type: 'workspace' }>,
  given: GivenAnswer,
): void {
  if (given.option === 'abort') cancelRun(tx, 'aborted');
  else if (given.option === 'accept' && isLarge) startOp(tx, (id) => ({ ...op, id, allowsLarge: true }));
  else if (given.option === 'accept' || given.option === 'restore') {
    const settings = given.option;
    startOp(tx, (id) => ({ ...op, id, settings }));
  } else if (given.option === 'retry' && op.kind === 'merge') retryMerge(tx, op);
  else if (given.option === 'retry') startOp(tx, (id) => ({ ...op, id }));
  else if (op.kind === 'deliver') endChain(tx, 'not committed');
  else if (op.kind === 'branch') advance(tx);
  else if (op.kind === 'merge') giveUp(tx, given.by);
  else if (op.kind === 'publish') endRun(tx, 'completed', stays(tx));
  else {
    askAgain(tx);
    resumeAfterRollback(tx);
  }
}

function stays({ run }: DecisionDraft): string | null {
  return run.branch && `the work is on the branch ${run.branch.name}`;
}

function itemsFailed(tx: DecisionDraft, given: GivenAnswer): void {
  if (given.option === 'abort') cancelRun(tx, 'aborted');
  for (const item of tx.items) {
    if (given.option === `skip-${item.key}`) dropItem(tx, item, given.by);
    if (given.option === `retry-${item.key}` || given.option === `note-${item.key}`) retryItem(tx, item, given);
  }
}

function retryItem(tx: DecisionDraft, { key, parent }: Item, { text, by }: GivenAnswer): void {
  const now = { run: tx.run.id, at: tx.at };
  const note = text?.trim() ?? '';
  tx.moveItem(key, 'running');
  tx.raise({ type: 'item_reopened', ...now, chain: parent, item: key });
  tx.raise({
    type: 'chain_resumed',
    ...now,
    chain: key,
    retryFailed: true,
    ...(note !== '' && { note: { text: note, by } }),
  });
}

function nodeOf(tx: DecisionDraft, interaction: Interaction): Node {
  const node = interaction.node === null ? null : tx.node(interaction.node);
  if (!node) throw new Error(`${interaction.id} is about no node of chain "${interaction.chain}"`);
  return node;
}
