// A person looks at what was done: approves it, or sends it back by a reason.
import { advance } from './advance.js';
import type { Answer } from './answer.js';
import { liveBeside } from './busy.js';
import { cancelRun } from './cancel.js';
import { takeRoute } from './follow.js';
import { wayOn } from './gate.js';
import { foundBy } from './gate-facts.js';
import { ask, option, waysOut } from './interaction.js';
import type { Given, HumanNote, Node, Subject } from './model.js';
import { returnTo } from './reopen.js';
import { revive } from './revive.js';
import type { Step } from './step.js';
import { plannedLines } from './stories.js';

/** What a person's node is there for: a review, or the way on from a gate that gave up. */
export function askPerson(step: Step, node: Node): void {
  if (step.def(node).onAnswer === null) askForReview(step, node);
  else askAboutGate(step, node);
}

function askAboutGate(step: Step, node: Node): void {
  const gate = node.params['gate'] ?? gateBefore(step, node) ?? node.template;
  const again = wayOn(step.def(node), 'continue') !== null;
  ask(step, {
    kind: 'escalation',
    subject: { type: 'gate_stuck' },
    node,
    text: [`${gate}: ${node.title}`, ...foundBy(step, gate)].join('\n'),
    options: again
      ? [option('continue', 'Continue: check again'), ...waysOut]
      : waysOut.filter((one) => one.id !== 'retry'),
    digests: step.chain.digests,
  });
}

/** Where nobody says which gate it is about, the nearest one before it is what gave up. */
function gateBefore(step: Step, node: Node): string | null {
  const { nodes } = step.chain;
  const before = nodes.slice(
    0,
    nodes.findIndex((one) => one.id === node.id),
  );
  return before.findLast((one) => step.def(one).gate !== null)?.template ?? null;
}

function askForReview(step: Step, node: Node, votes?: readonly Given[]): void {
  ask(step, {
    kind: 'review',
    subject: { type: 'review' },
    node,
    text: [step.item ? `${step.item.key} ${step.item.title}` : step.run.task, ...plannedLines(step)].join('\n'),
    options: [option('approve', 'Approve'), option('changes', 'Request changes', true), option('reject', 'Reject')],
    digests: step.chain.digests,
    ...(votes === undefined ? {} : { votes }),
  });
}

/** `votes`: of those who said yes before. */
export function review(step: Step, node: Node, given: Answer, votes: readonly Given[] = []): void {
  if (given.option === 'approve') approve(step, node, [...votes, given]);
  else if (given.option === 'changes') reject(step, node, 'default', given);
  else if (given.option === 'reject') askForReason(step, node, given.text, votes);
  else reject(step, node, given.option.slice('for-'.length), given);
}

type Reasoning = Extract<Subject, { type: 'reject_reason' }>;

export function rejectWith(step: Step, node: Node, { note, votes }: Reasoning, given: Answer): void {
  if (given.option === 'end') cancelRun(step, 'rejected');
  else if (given.option === 'keep') askForReview(step, node, votes);
  else reject(step, node, given.option.slice('for-'.length), { ...given, text: given.text ?? note });
}

/** A person's words go to whoever works next. */
export function addNote(
  step: Step,
  kind: HumanNote['kind'],
  said: { readonly text: string | null; readonly by: string },
  about: { readonly question?: string; readonly node?: Node } = {},
): void {
  const text = said.text?.trim();
  if (!text) return;
  // A neighbour that is tried again before the node is dispatched must not take its words.
  const to = about.node && liveBeside(step).length > 0 ? { node: about.node.id } : {};
  const note: HumanNote = { kind, question: about.question ?? null, text, by: said.by, ...to };
  step.setChain({ notes: [...step.chain.notes, note] });
}

function approve(step: Step, node: Node, said: readonly (Given | Answer)[]): void {
  for (const one of said) addNote(step, 'remark', one);
  const { onPass } = step.def(node);
  const leads = onPass.type === 'goto' || onPass.type === 'finish' || onPass.type === 'insert';
  takeRoute(step, node, leads ? onPass : { type: 'next' }, {});
  step.setChain({ digests: [] });
  advance(step);
}

function askForReason(step: Step, node: Node, note: string | null, votes: readonly Given[]): void {
  const reasons = Object.keys(step.def(node).onFail).filter((reason) => reason !== 'default');
  ask(step, {
    kind: 'choice',
    subject: { type: 'reject_reason', note, ...(votes.length === 0 ? {} : { votes }) },
    node,
    text: 'Why? The reason decides where the work goes back to.',
    options: [
      ...reasons.map((reason) => option(`for-${reason}`, reason.replaceAll('_', ' '))),
      option('for-default', 'Another reason'),
      option('end', 'End the run'),
      option('keep', 'Back to the review'),
    ],
  });
}

/** Sends the work back by its reason; the words go to whoever does it again. */
function reject(step: Step, node: Node, reason: string, given: Answer): void {
  const { onFail } = step.def(node);
  const chosen = (Object.hasOwn(onFail, reason) ? onFail[reason] : undefined) ?? onFail['default'];
  addNote(step, 'remark', given);
  // At level manual a step may have failed beside the open review; sending the work back takes its question away.
  if (step.run.status === 'failed') revive(step);
  if (chosen?.type === 'goto' || chosen?.type === 'finish' || chosen?.type === 'insert')
    takeRoute(step, node, chosen, {});
  else returnTo(step, { from: node, target: stepBefore(step, node), words: [given.text ?? ''], why: null });
  advance(step);
}

/** Where a rejection leads nowhere by itself, the step before does it again; with none, the review is asked anew. */
function stepBefore(step: Step, node: Node): Node {
  const { nodes } = step.chain;
  const isWork = ({ kind, state }: Node) => (kind === 'task' || kind === 'loop') && state === 'passed';
  const before = nodes.slice(0, nodes.indexOf(node)).filter(isWork);
  return before.at(-1) ?? node;
}
