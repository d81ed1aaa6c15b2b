// Text as it can be shown: nothing of it moves anything, and no stretch of nothing is long enough to fill a message.
import { clean } from '../views/view.js';

/** What a phone shows nothing for. */
const nothing = '[\\p{White_Space}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc]';
const something = new RegExp(nothing.replace('[', '[^'), 'u');
/** Two of them and a full part are still one message. */
const maxNothing = 100;
const longNothing = new RegExp(`(${nothing}{${maxNothing}})${nothing}+`, 'gu');

export function tidy(text: string): string {
  const shown = wellFormed(clean(text)).replaceAll('\t', '  ').replace(longNothing, '$1').trim();
  return isVisible(shown) ? shown : '…';
}

/** The platform refuses a message without anything to see. */
export function isVisible(text: string): boolean {
  return something.test(text);
}

/** Halves of pairs do not travel. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}
