// Who may say yes to a card, and how many must. One who says no, or wants changes, decides alone.

import type { DecisionDraft } from '../model/draft.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Interaction, RecordedAnswer, Subject } from '../model/model.js';
import type { Approvals } from '../workflow/definition.js';
import { change, givenAt } from './interaction.js';

/** The options that let the work pass; every other one is a way out, open to whoever may answer. */
const yes: Partial<Record<Subject['type'], readonly string[]>> = {
  review: ['approve'],
  gate: ['go', 'pass'],
  gate_stuck: ['continue'],
};

/** It matters who says yes, or how many do. */
export function isVotedOn({ approvals }: { readonly approvals?: Approvals }): boolean {
  return approvals !== undefined && (approvals.notRequester || approvals.quorum > 1);
}

/** Why this person's yes does not count, or null. */
export function whyNotBy({ run }: DecisionDraft, interaction: Interaction, { option, by }: GivenAnswer): string | null {
  const isBarred = interaction.approvals?.notRequester === true && run.createdBy === by;
  if (!isBarred || !isYes(interaction, option)) return null;
  return `${by} asked for ${run.id} and may not approve it; somebody else must`;
}

/** Says whether it is decided with that; until it is, the card tells who said yes so far. */
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

/** All who said what was decided, the last one too. */
export function votesFor(
  { votes = [] }: Pick<Interaction, 'votes'>,
  answer: RecordedAnswer,
): readonly RecordedAnswer[] {
  return [...votes.filter(({ by, option }) => by !== answer.by && option === answer.option), answer];
}

function isYes({ subject }: Interaction, option: string): boolean {
  return yes[subject.type]?.includes(option) === true;
}

/** The same person counts once, since when they first said it; newer words take the place of older ones. */
function saidAgain(earlier: RecordedAnswer, { text }: GivenAnswer): RecordedAnswer {
  const words = text?.trim();
  return !words || words === earlier.text?.trim() ? earlier : { ...earlier, text: words };
}
