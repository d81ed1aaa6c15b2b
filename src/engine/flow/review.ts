// A person looks at what was done: approves it, or sends it back by a reason.

import { ask, option } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Node, RecordedAnswer, Subject } from '../model/model.js';
import { advance } from './advance.js';
import { addNote, askForReview } from './ask-review.js';
import { cancelRun } from './cancel.js';
import { takeRoute } from './follow-route.js';
import { returnTo } from './loops/reopen.js';
import { revive } from './revive.js';

/** `votes`: of those who said yes before. */
export function review(
  step: DecisionDraft,
  node: Node,
  given: GivenAnswer,
  votes: readonly RecordedAnswer[] = [],
): void {
  if (given.option === 'approve') approve(step, node, [...votes, given]);
  else if (given.option === 'changes') reject(step, node, 'default', given);
  else if (given.option === 'reject') askForReason(step, node, given.text, votes);
  else reject(step, node, given.option.slice('for-'.length), given);
}

type Reasoning = Extract<Subject, { type: 'reject_reason' }>;

export function rejectWith(step: DecisionDraft, node: Node, { note, votes }: Reasoning, given: GivenAnswer): void {
  if (given.option === 'end') cancelRun(step, 'rejected');
  else if (given.option === 'keep') askForReview(step, node, votes);
  else reject(step, node, given.option.slice('for-'.length), { ...given, text: given.text ?? note });
}

function approve(step: DecisionDraft, node: Node, said: readonly (RecordedAnswer | GivenAnswer)[]): void {
  for (const one of said) addNote(step, 'remark', one);
  const { onPass } = step.def(node);
  const leads = onPass.type === 'goto' || onPass.type === 'finish' || onPass.type === 'insert';
  takeRoute(step, node, leads ? onPass : { type: 'next' }, {});
  step.setChain({ digests: [] });
  advance(step);
}

function askForReason(step: DecisionDraft, node: Node, note: string | null, votes: readonly RecordedAnswer[]): void {
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
function reject(step: DecisionDraft, node: Node, reason: string, given: GivenAnswer): void {
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
function stepBefore(step: DecisionDraft, node: Node): Node {
  const { nodes } = step.chain;
  const isWork = ({ kind, state }: Node) => (kind === 'task' || kind === 'loop') && state === 'passed';
  const before = nodes.slice(0, nodes.indexOf(node)).filter(isWork);
  return before.at(-1) ?? node;
}
