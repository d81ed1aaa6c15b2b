// Makes text safe to show: no control characters, and no invisible stretch long enough to fill a message.
import { clean } from '../views/view.js';

/** Characters that a phone shows nothing for. */
const nothing = '[\\p{White_Space}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc]';
const something = new RegExp(nothing.replace('[', '[^'), 'u');
/** Two such stretches and a full part still fit one message. */
const maxNothing = 100;
const longNothing = new RegExp(`(${nothing}{${maxNothing}})${nothing}+`, 'gu');

/** Every channel of the registry renders its texts through it; the terminal does not. */
export function tidy(text: string): string {
  const shown = wellFormed(withoutCodes(clean(text)))
    .replaceAll('\t', '  ')
    .replace(longNothing, '$1')
    .trim();
  return isVisible(shown) ? shown : '…';
}

/** Platforms refuse a message with nothing visible. */
export function isVisible(text: string): boolean {
  return something.test(text);
}

/** Replaces lone surrogates, which cannot be encoded. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}

/** ` (E006)` after a subject, and `E002: ` before a sentence. */
const resultCode = / \([EW]00\d\)|(?<=^|[\s(])[EW]00\d: /gm;

/** Result codes are for scripts and the terminal: chat platforms and the page show the words alone. */
export function withoutCodes(text: string): string {
  return text.replace(resultCode, '');
}
