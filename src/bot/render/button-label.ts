// One line, cut between graphemes, never empty.
import { cutGraphemes } from './graphemes.js';
import { isVisible, wellFormed } from './tidy.js';

export interface LabelLimits {
  readonly chars: number;
  readonly units: number;
}

export function shortLabel(label: string, max: LabelLimits): string {
  const line = wellFormed(label)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const cut = cutGraphemes(line, max.chars);
  const short = cut.length <= max.units ? cut : wellFormed(cut.slice(0, max.units));
  return isVisible(short) ? short : '…';
}
