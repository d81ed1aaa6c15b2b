// Asks about a node that cannot continue, and again if the card was superseded.

import { askAboutDenied, askAgentsQuestion } from '../interactions/agent-asks.js';
import { ask, settingsWaysOut, waysOut } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Attempt, Node } from '../model/model.js';
import { asksPerson, hasBody } from '../workflow/node-kinds.js';
import { askPerson } from './ask-review.js';

export function openStuck(tx: DecisionDraft, node: Node, text: string): void {
  ask(tx, {
    kind: 'escalation',
    subject: { type: 'stuck', isFailed: node.state === 'failed' },
    node,
    text,
    options: node.last?.reason === 'git_settings' ? settingsWaysOut : waysOut,
  });
}

/** A question asked during the attempt has its card already. */
export function askQuestion(
  tx: DecisionDraft,
  node: Node,
  { asks, summary: text }: Pick<Attempt, 'asks' | 'summary'>,
): void {
  if (hasCard(tx, node)) return;
  const permissions = asks.flatMap(({ permission }) => permission ?? []);
  const shown = text ?? 'The agent asked for help without saying why.';
  if (permissions.length > 0) {
    askAboutDenied(tx, node, permissions, shown);
    return;
  }
  const options = asks.flatMap((one) => one.options);
  askAgentsQuestion(tx, node, { kind: 'question', text: shown, options, permission: null }, { type: 'question' });
}

function hasCard(tx: DecisionDraft, node: Node): boolean {
  return tx.openInteractions.some((one) => one.chain === tx.chain.key && one.node === node.id);
}

/** Skips stories given up, and waiting ones, which ask when they run. */
export function askAgain(tx: DecisionDraft): void {
  if (tx.item?.status === 'cancelled' || tx.item?.status === 'ready') return;
  for (const node of tx.chain.nodes) askAbout(tx, node);
}

export function askAbout(tx: DecisionDraft, node: Node): void {
  if (hasCard(tx, node)) return;
  // The card of its failed story asks.
  if (hasBody(node) && node.state === 'failed') return;
  const summary = node.last?.summary ?? null;
  if (node.state === 'needs_human' && asksPerson(node)) askPerson(tx, node);
  else if (node.state === 'needs_human' && node.last?.outcome === 'needs_human') askQuestion(tx, node, node.last);
  else if (node.state === 'needs_human' || node.state === 'failed' || node.state === 'cancelled') {
    openStuck(tx, node, `${placeOf(tx, node)} waits for you.${summary === null ? '' : `\n${summary}`}`);
  }
}

export function ownerOf(tx: DecisionDraft): string {
  return tx.chain.key || tx.run.project;
}

export function placeOf(tx: DecisionDraft, node: Node): string {
  return `${ownerOf(tx)}'s ${node.template}`;
}
