import type { Interaction, RecordedAnswer, Run } from '../../../engine/index.js';
import type { RunReader } from '../../../store/index.js';

const maxLooked = 40;

export interface EarlierRequest {
  readonly id: string;
  readonly answer: RecordedAnswer;
}

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

export interface RequestLine {
  readonly words: string;
  /** As in that round; null: all of the work. */
  readonly path: string | null;
  readonly line: number;
}

const commentLine = /^\d{1,3}\. (\S.*?):(\d{1,7})(?: before)?: (.+)$/;

export function requestLines(text: string): readonly RequestLine[] {
  return text
    .split('\n')
    .filter((one) => one.trim() !== '')
    .map((one) => {
      const [, path = null, line = '0', words = one] = commentLine.exec(one) ?? [];
      return { words, path, line: Number(line) };
    });
}
