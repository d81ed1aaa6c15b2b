// Security: makes text safe to show, without control characters or long invisible stretches.
import { clean } from '../views/view.js';

/** Characters invisible on a phone. */
const nothing = '[\\p{White_Space}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc]';
const something = new RegExp(nothing.replace('[', '[^'), 'u');
/** Two of these and a full part fit a message. */
const maxNothing = 100;
const longNothing = new RegExp(`(${nothing}{${maxNothing}})${nothing}+`, 'gu');

/** All channels use it except the terminal. */
export function tidy(text: string): string {
  const shown = wellFormed(withoutCodes(clean(text)))
    .replaceAll('\t', '  ')
    .replace(longNothing, '$1')
    .trim();
  return isVisible(shown) ? shown : '…';
}

export function isVisible(text: string): boolean {
  return something.test(text);
}

/** Lone surrogates cannot be encoded. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}

/** ` (E006)` after a subject, `E002: ` before a sentence. */
const resultCode = / \([EW]00\d\)|(?<=^|[\s(])[EW]00\d: /gm;

/** Result codes are for scripts and the terminal. */
export function withoutCodes(text: string): string {
  return text.replace(resultCode, '');
}
