// One line, cut between graphemes, never empty.
import { cutMiddle, type LabelLimits } from './graphemes.js';
import { isVisible, wellFormed } from './tidy.js';

export function shortLabel(label: string, max: LabelLimits): string {
  const line = wellFormed(label)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const cut = cutMiddle(line, max);
  const short = cut.length <= max.units ? cut : wellFormed(cut.slice(0, max.units));
  return isVisible(short) ? short : '…';
}
