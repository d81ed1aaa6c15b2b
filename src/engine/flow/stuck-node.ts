// A node that stands still asks a person, and asks again where its question was put aside.

import { askAboutDenied, askAgentsQuestion } from '../interactions/agent-asks.js';
import { ask, settingsWaysOut, waysOut } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';
import type { Attempt, Node } from '../model/model.js';
import { askPerson } from './ask-review.js';

export function openStuck(step: DecisionDraft, node: Node, text: string): void {
  ask(step, {
    kind: 'escalation',
    subject: { type: 'stuck', isFailed: node.state === 'failed' },
    node,
    text,
    options: node.last?.reason === 'git_settings' ? settingsWaysOut : waysOut,
  });
}

/** What it asks stands on a card already where it asked while it was still at work. */
export function askQuestion(
  step: DecisionDraft,
  node: Node,
  { asks, summary: text }: Pick<Attempt, 'asks' | 'summary'>,
): void {
  if (hasCard(step, node)) return;
  const permissions = asks.flatMap(({ permission }) => permission ?? []);
  const shown = text ?? 'It asks for a person, but says not why.';
  if (permissions.length > 0) {
    askAboutDenied(step, node, permissions, shown);
    return;
  }
  const options = asks.flatMap((one) => one.options);
  askAgentsQuestion(step, node, { kind: 'question', text: shown, options, permission: null }, { type: 'question' });
}

function hasCard(step: DecisionDraft, node: Node): boolean {
  return step.openInteractions.some((one) => one.chain === step.chain.key && one.node === node.id);
}

/** Whatever stands still in the chain is asked about again, unless its question is open, or its story was given up. */
export function askAgain(step: DecisionDraft): void {
  if (step.item?.status === 'cancelled') return;
  for (const node of step.chain.nodes) askAbout(step, node);
}

export function askAbout(step: DecisionDraft, node: Node): void {
  if (hasCard(step, node)) return;
  // A loop fails with a story of its own, which is what is asked about.
  if (node.kind === 'loop' && node.state === 'failed') return;
  const summary = node.last?.summary ?? null;
  if (node.state === 'needs_human' && node.kind === 'human') askPerson(step, node);
  else if (node.state === 'needs_human' && node.last?.outcome === 'needs_human') askQuestion(step, node, node.last);
  else if (node.state === 'needs_human' || node.state === 'failed' || node.state === 'cancelled') {
    openStuck(step, node, `${placeOf(step, node)} waits for you.${summary === null ? '' : `\n${summary}`}`);
  }
}

export function ownerOf(step: DecisionDraft): string {
  return step.chain.key || step.run.project;
}

export function placeOf(step: DecisionDraft, node: Node): string {
  return `${ownerOf(step)}'s ${node.template}`;
}
