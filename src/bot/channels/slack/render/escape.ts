// Text where the platform reads markup: the words beside blocks, and those that stand in for them.
import { graphemesFit, inert } from '../../../render/index.js';

/** Nothing of it calls anybody or leads anywhere, whatever the message is sent with. */
export function escapeText(text: string): string {
  return inert(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What fits once it is escaped, cut between characters. */
export function escapedWithin(text: string, maxUnits: number): string {
  const whole = escapeText(text);
  if (whole.length <= maxUnits) return whole;
  // Each turn takes less of it.
  for (let units = maxUnits - 1; units > 0; units = Math.floor(units * 0.8)) {
    const escaped = escapeText(text.slice(0, graphemesFit(text, units)).trimEnd());
    if (escaped.length < maxUnits) return `${escaped}…`;
  }
  return '…';
}
