// The words of a phone's banner: what it is about, and the first of what is asked or told.
import type { View } from '../../../../store/index.js';
import { askingKinds, cutUnits, isVisible } from '../../../render/index.js';
import { joinedLines } from '../../../views/view.js';

const maxUnits = 150;
/** Of what is looked at: enough to fill a banner with what is no space. */
const maxLookedAt = 1_000;

export function bannerOf(view: View, text: string): string {
  const lines = text.split('\n', 40).filter((line) => isVisible(line) && !line.startsWith('```'));
  const count = view.rings || askingKinds.has(view.kind) ? 2 : 1;
  const joined = joinedLines(lines.slice(0, count).join('\n').slice(0, maxLookedAt), maxLookedAt);
  return isVisible(joined) ? cutUnits(joined, maxUnits) : view.kind;
}
