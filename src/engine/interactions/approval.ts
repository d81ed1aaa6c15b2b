// Decides who may approve and how many must. One rejection suffices.

import type { DecisionDraft } from '../model/draft/draft.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Interaction, RecordedAnswer, Subject } from '../model/model.js';
import type { Approvals, NodeDef } from '../workflow/definition.js';
import { asksPerson } from '../workflow/node-kinds.js';
import { change, givenAt } from './interaction.js';

/** Approving options; the rest is open to all who may answer. */
const yes: Partial<Record<Subject['type'], readonly string[]>> = {
  review: ['approve'],
  gate: ['go', 'pass'],
  gate_stuck: ['continue'],
};

/** True if the approvers' identity or number matters. */
export function isVotedOn({ approvals }: { readonly approvals?: Approvals }): boolean {
  return approvals !== undefined && (approvals.notRequester || approvals.quorum > 1);
}

/** Skipping it lets unapproved work pass. An escalation only asks for a way on. */
export function isApproval(def: NodeDef): boolean {
  return (asksPerson(def) && def.onAnswer === null) || isVotedOn(def);
}

/** Null: it counts. */
export function whyNotBy(tx: DecisionDraft, interaction: Interaction, { option, by }: GivenAnswer): string | null {
  const isSkip = interaction.subject.type === 'skip_approval' && option === 'skip';
  if (isSkip) return whyBarred(tx, interaction, by, 'skips its approval');
  return isYes(interaction, option) ? whyBarred(tx, interaction, by, 'approves it') : null;
}

/** The requester may not skip it either. */
export function whyBarred(
  { run }: DecisionDraft,
  { approvals }: { readonly approvals?: Approvals },
  by: string,
  what: 'approves it' | 'skips its approval',
): string | null {
  const isBarred = approvals?.notRequester === true && run.createdBy === by;
  return isBarred ? `you asked for this work, so somebody else ${what}` : null;
}

/** True: decided. False: the card shows the votes so far. */
export function takeVote(tx: DecisionDraft, interaction: Interaction, given: GivenAnswer): boolean {
  const { approvals, votes = [] } = interaction;
  if (approvals === undefined || approvals.quorum < 2 || !isYes(interaction, given.option)) return true;
  const others = votes.filter(({ by }) => by !== given.by);
  const same = others.filter(({ option }) => option === given.option);
  if (same.length + 1 >= approvals.quorum) return true;
  const earlier = votes.find(({ by, option }) => by === given.by && option === given.option);
  const vote = earlier ? saidAgain(earlier, given) : givenAt(tx.at, given);
  const isNews = vote !== earlier;
  const kept = earlier ? votes.map((one) => (one === earlier ? vote : one)) : [...others, vote];
  const changed = isNews ? { ...withoutVoter(interaction, given.by), votes: kept } : interaction;
  if (isNews) change(tx, changed, 'voted');
  tx.reply({ type: 'voted', interaction: changed, isRepeated: earlier !== undefined });
  return false;
}

function withoutVoter(interaction: Interaction, by: string): Interaction {
  const { handed, ...rest } = interaction;
  return handed === undefined || handed.to === by ? rest : interaction;
}

export function votesFor(
  { votes = [] }: Pick<Interaction, 'votes'>,
  answer: RecordedAnswer,
): readonly RecordedAnswer[] {
  return [...votes.filter(({ by, option }) => by !== answer.by && option === answer.option), answer];
}

function isYes({ subject }: Interaction, option: string): boolean {
  return yes[subject.type]?.includes(option) === true;
}

/** Counts once, with the first vote's time and the newest text. */
function saidAgain(earlier: RecordedAnswer, { text }: GivenAnswer): RecordedAnswer {
  const words = text?.trim();
  return !words || words === earlier.text?.trim() ? earlier : { ...earlier, text: words };
}
