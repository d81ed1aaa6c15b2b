import { nodesBefore } from '../chain/chain.js';
import { ask, option } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { keepApproval, keepSentBack } from '../model/draft/freeze-work.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Node, RecordedAnswer, Subject } from '../model/model.js';
import { hasBody, runsAgent } from '../workflow/node-kinds.js';
import { advance } from './advance.js';
import { addNote, askForReview } from './ask-review.js';
import { cancelRun } from './cancel.js';
import { takeRoute } from './follow-route.js';
import { returnTo } from './loops/reopen.js';
import { revive } from './revive.js';

export function review(tx: DecisionDraft, node: Node, given: GivenAnswer, votes: readonly RecordedAnswer[] = []): void {
  if (given.option === 'approve') approve(tx, node, [...votes, given]);
  else if (given.option === 'changes') reject(tx, node, 'default', given);
  else if (given.option === 'reject') askForReason(tx, node, given.text, votes);
  else reject(tx, node, given.option.slice('for-'.length), given);
}

type Reasoning = Extract<Subject, { type: 'reject_reason' }>;

export function rejectWith(tx: DecisionDraft, node: Node, { note, votes }: Reasoning, given: GivenAnswer): void {
  if (given.option === 'end') cancelRun(tx, 'rejected');
  else if (given.option === 'keep') askForReview(tx, node, votes);
  else reject(tx, node, given.option.slice('for-'.length), { ...given, text: given.text ?? note });
}

function approve(tx: DecisionDraft, node: Node, said: readonly (RecordedAnswer | GivenAnswer)[]): void {
  for (const one of said) addNote(tx, 'remark', one);
  keepApproval(
    tx,
    said.map(({ by }) => by),
  );
  const { onPass } = tx.def(node);
  const leads = onPass.type === 'goto' || onPass.type === 'finish' || onPass.type === 'insert';
  takeRoute(tx, node, leads ? onPass : { type: 'next' }, {});
  tx.setChain({ digests: [] });
  advance(tx);
}

function askForReason(tx: DecisionDraft, node: Node, note: string | null, votes: readonly RecordedAnswer[]): void {
  const reasons = Object.keys(tx.def(node).onFail).filter((reason) => reason !== 'default');
  ask(tx, {
    kind: 'choice',
    subject: { type: 'reject_reason', note, ...(votes.length === 0 ? {} : { votes }) },
    node,
    text: "What's the reason? It decides where the work goes back to.",
    options: [
      ...reasons.map((reason) => option(`for-${reason}`, reason.replaceAll('_', ' '))),
      option('for-default', 'Another reason'),
      option('end', 'End the run'),
      option('keep', 'Back to the review'),
    ],
  });
}

function reject(tx: DecisionDraft, node: Node, reason: string, given: GivenAnswer): void {
  const { onFail } = tx.def(node);
  const chosen = (Object.hasOwn(onFail, reason) ? onFail[reason] : undefined) ?? onFail['default'];
  addNote(tx, 'remark', given);
  keepSentBack(tx, given);
  // Level manual: a step failed beside the review, and sending back supersedes its question.
  if (tx.run.status === 'failed') revive(tx);
  if (chosen?.type === 'goto' || chosen?.type === 'finish' || chosen?.type === 'insert')
    takeRoute(tx, node, chosen, {});
  else returnTo(tx, { from: node, target: stepBefore(tx, node), words: [given.text ?? ''], why: null });
  advance(tx);
}

/** If no route handles the rejection; if there is no such step, ask again. */
function stepBefore(tx: DecisionDraft, node: Node): Node {
  const isWork = (one: Node) => (runsAgent(one) || hasBody(one)) && one.state === 'passed';
  return nodesBefore(tx.chain, node).findLast(isWork) ?? node;
}
