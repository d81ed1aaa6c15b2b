// Skipping an approval asks first, and takes a reason and the right to approve.

import { currentNode, isOver } from '../chain/chain.js';
import { advance } from '../flow/advance.js';
import { revive } from '../flow/revive.js';
import { ownerOf } from '../flow/stuck-node.js';
import { isApproval, whyBarred } from '../interactions/approval.js';
import { ask, option, settleInteraction, supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Interaction, Node } from '../model/model.js';
import { hasBody } from '../workflow/node-kinds.js';
import { whyNotIn, whyNotNow } from './node-command.js';

export function skipNode(tx: DecisionDraft, node: Node, reason: string | null, by: string): string | null {
  const why = whyNotSkipped(tx, node);
  if (why !== null) return why;
  if (asksBeforeSkip(tx, node)) return askToSkip(tx, node, reason, by);
  skipNow(tx, node, reason ?? 'skipped by a person', by);
  return null;
}

function asksBeforeSkip(tx: DecisionDraft, node: Node): boolean {
  return (tx.run.rules ?? 0) >= 4 && isApproval(tx.def(node));
}

function askToSkip(tx: DecisionDraft, node: Node, reason: string | null, by: string): string | null {
  const barred = whyBarred(tx, tx.def(node), by, 'skips its approval');
  if (barred !== null) return barred;
  const open = tx.openInteractions.find((one) => isSkipOf(tx, node, one));
  if (open?.subject.type === 'skip_approval' && open.subject.reason === reason) {
    tx.reply({ type: 'shown', interactions: [open] });
    return null;
  }
  supersede(tx, (one) => one === open);
  const label = reason === null ? 'Skip with a reason' : 'Skip it';
  ask(tx, {
    kind: 'confirm',
    subject: { type: 'skip_approval', reason },
    node,
    text: [
      `Skip ${node.title}? Nobody has approved the work.`,
      ...(reason === null ? [] : [`Reason: ${reason}`]),
      'The thread will show your name and the reason.',
    ].join('\n'),
    options: [option('skip', label, reason === null), option('keep', 'Keep it')],
  });
  return null;
}

function isSkipOf(tx: DecisionDraft, { id }: Node, one: Interaction): boolean {
  return one.subject.type === 'skip_approval' && one.chain === tx.chain.key && one.node === id;
}

/** Null, or the reason for a refusal. */
export function skipApproval(tx: DecisionDraft, node: Node, given: GivenAnswer, asked: string | null): string | null {
  const why = whyNotSkipped(tx, node);
  if (why !== null) return why;
  const { by } = given;
  const reason = given.text?.trim() || asked || 'no reason given';
  const review = tx.openInteractions.find((one) => one.subject.type === 'review' && one.node === node.id);
  if (review?.chain === tx.chain.key) settleInteraction(tx, review, { ...given, option: 'skip', text: reason });
  tx.notice({ type: 'approval_skipped', title: node.title, by, reason });
  skipNow(tx, node, reason, by);
  return null;
}

/** Decided nodes need no confirmation. */
export function closeIdleSkips(tx: DecisionDraft): void {
  const over = tx.chain.nodes.filter(isOver);
  supersede(tx, (one) => over.some((node) => isSkipOf(tx, node, one)));
}

function whyNotSkipped(tx: DecisionDraft, node: Node): string | null {
  const states: readonly Node['state'][] = ['waiting', 'ready', 'needs_human', 'failed', 'cancelled'];
  const why = whyNotNow(tx) ?? whyNotIn(node, states, 'skipped');
  if (why !== null) return why;
  // A loop that found no items has no story to skip.
  const isWalked = hasBody(node) && node.state !== 'needs_human';
  if (tx.def(node).mandatory || isWalked) return `${node.template} may not be skipped`;
  return null;
}

function skipNow(tx: DecisionDraft, node: Node, reason: string, by: string): void {
  const wasDue = node.state !== 'waiting' || currentNode(tx.chain)?.id === node.id;
  supersede(tx, (one) => one.chain === tx.chain.key && one.node === node.id);
  tx.moveNode(node.id, 'skipped', { skipReason: { type: 'person', reason, by } });
  tx.reply({ type: 'skipped', item: tx.chain.key, step: node.template });
  if (wasDue) {
    revive(tx);
    advance(tx);
  }
}

/** A mandatory step cannot be skipped; its story can be given up. */
export function askToGiveUp(tx: DecisionDraft, node: Node): void {
  ask(tx, {
    kind: 'confirm',
    subject: { type: 'give_up' },
    node,
    text: `${node.template} may not be skipped. Give up ${ownerOf(tx)} instead?`,
    options: [option('yes', 'Give it up'), option('no', 'Keep it')],
  });
}
