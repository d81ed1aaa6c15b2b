// Decides who may approve an interaction and how many must. A rejection or a request for changes needs only one person.

import type { DecisionDraft } from '../model/draft.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Interaction, RecordedAnswer, Subject } from '../model/model.js';
import type { Approvals } from '../workflow/definition.js';
import { change, givenAt } from './interaction.js';

/** The options that count as approval; all others are open to everyone who may answer. */
const yes: Partial<Record<Subject['type'], readonly string[]>> = {
  review: ['approve'],
  gate: ['go', 'pass'],
  gate_stuck: ['continue'],
};

/** Whether the approver's identity or the number of approvals matters. */
export function isVotedOn({ approvals }: { readonly approvals?: Approvals }): boolean {
  return approvals !== undefined && (approvals.notRequester || approvals.quorum > 1);
}

/** Why this person's approval does not count, or null. */
export function whyNotBy({ run }: DecisionDraft, interaction: Interaction, { option, by }: GivenAnswer): string | null {
  const isBarred = interaction.approvals?.notRequester === true && run.createdBy === by;
  if (!isBarred || !isYes(interaction, option)) return null;
  return `${by} asked for ${run.id} and may not approve it; somebody else must`;
}

/** Returns whether the vote decides it; until then the card shows the votes so far. */
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
  const changed = isNews ? { ...interaction, votes: kept } : interaction;
  if (isNews) change(tx, changed, 'voted');
  tx.reply({ type: 'voted', interaction: changed, isRepeated: earlier !== undefined });
  return false;
}

/** Everyone who voted for the decided option, the last one included. */
export function votesFor(
  { votes = [] }: Pick<Interaction, 'votes'>,
  answer: RecordedAnswer,
): readonly RecordedAnswer[] {
  return [...votes.filter(({ by, option }) => by !== answer.by && option === answer.option), answer];
}

function isYes({ subject }: Interaction, option: string): boolean {
  return yes[subject.type]?.includes(option) === true;
}

/** A person counts once, at the time of their first vote; new text replaces the old. */
function saidAgain(earlier: RecordedAnswer, { text }: GivenAnswer): RecordedAnswer {
  const words = text?.trim();
  return !words || words === earlier.text?.trim() ? earlier : { ...earlier, text: words };
}
