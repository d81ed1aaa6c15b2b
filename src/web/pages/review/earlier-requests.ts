// Earlier rounds of a review: who asked for changes, and in which words.
import type { Interaction, RecordedAnswer, Run } from '../../../engine/index.js';
import type { RunReader } from '../../../store/index.js';

/** How many earlier interactions of the run are looked at: their ids count up. */
const maxLooked = 40;

export interface EarlierRequest {
  readonly id: string;
  readonly answer: RecordedAnswer;
}

/** Oldest first. */
export function earlierRequests(
  reader: Pick<RunReader, 'interaction'>,
  { number }: Pick<Run, 'number'>,
  review: Interaction,
): readonly EarlierRequest[] {
  const own = Number(review.id.split('-')[1]);
  if (!Number.isInteger(own)) return [];
  const found: EarlierRequest[] = [];
  for (let n = Math.max(1, own - maxLooked); n < own; n += 1) {
    const interaction = reader.interaction(`i${number}-${n}`)?.interaction;
    if (interaction?.kind !== 'review' || interaction.chain !== review.chain) continue;
    const { id, answer } = interaction;
    if (answer?.text && answer.option !== 'approve') found.push({ id, answer });
  }
  return found;
}
