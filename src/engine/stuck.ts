// A node that stands still asks a person, and asks again where its question was put aside.
import { ask, option, waysOut } from './interaction.js';
import type { Node } from './model.js';
import { askPerson } from './review.js';
import type { Step } from './step.js';

export function openStuck(step: Step, node: Node, text: string): void {
  ask(step, {
    kind: 'escalation',
    subject: { type: 'stuck', isFailed: node.state === 'failed' },
    node,
    text,
    options: waysOut,
  });
}

export function askQuestion(step: Step, node: Node, text: string | null): void {
  ask(step, {
    kind: 'question',
    subject: { type: 'question' },
    node,
    text: text ?? 'It asks for a person, but says not why.',
    options: [option('answer', 'Answer', true), option('skip', 'Skip'), option('abort', 'Abort')],
  });
}

/** Whatever stands still in the chain is asked about again, unless its question is open. */
export function askAgain(step: Step): void {
  for (const node of step.chain.nodes) askAbout(step, node);
}

export function askAbout(step: Step, node: Node): void {
  if (step.openInteractions.some((one) => one.chain === step.chain.key && one.node === node.id)) return;
  // A loop fails with a story of its own, which is what is asked about.
  if (node.kind === 'loop' && node.state === 'failed') return;
  const summary = node.last?.summary ?? null;
  if (node.state === 'needs_human' && node.kind === 'human') askPerson(step, node);
  else if (node.state === 'needs_human' && node.last?.outcome === 'needs_human') askQuestion(step, node, summary);
  else if (node.state === 'needs_human' || node.state === 'failed' || node.state === 'cancelled') {
    openStuck(step, node, `${placeOf(step, node)} waits for you.${summary === null ? '' : `\n${summary}`}`);
  }
}

export function ownerOf(step: Step): string {
  return step.chain.key || step.run.project;
}

export function placeOf(step: Step, node: Node): string {
  return `${ownerOf(step)}'s ${node.template}`;
}
