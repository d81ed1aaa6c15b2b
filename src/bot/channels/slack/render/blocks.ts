// The few kinds of blocks that are used. What a text holds is never markup in them: plain text, and rich text whose
// elements are text alone. Only code is as it came, to be copied: in the rest nothing can be tapped.
import type { types } from '@slack/bolt';
import { cutUnits, inert, isVisible, wellFormed } from '../../../render/index.js';

export type Block = types.KnownBlock;

export const maxHeaderUnits = 150;
export const maxSectionUnits = 3_000;
const maxContextUnits = 2_000;

/** Codes of emoji stay letters. */
export function plainText(text: string, maxUnits: number): types.PlainTextElement {
  return { type: 'plain_text', text: shown(text, maxUnits), emoji: false };
}

export function header(text: string): Block {
  return { type: 'header', text: plainText(inert(text), maxHeaderUnits) };
}

export function section(text: string): types.SectionBlock {
  return { type: 'section', text: plainText(inert(text), maxSectionUnits) };
}

/** In small letters. */
export function context(text: string): Block {
  return { type: 'context', elements: [plainText(inert(text), maxContextUnits)] };
}

/** A bold line, and what is below it. */
export function titled(title: string, rest: string): types.RichTextBlock {
  const bold: types.RichTextText = { type: 'text', text: shown(inert(title), maxSectionUnits), style: { bold: true } };
  const below: types.RichTextText[] = isVisible(rest)
    ? [{ type: 'text', text: `\n${shown(inert(rest), maxSectionUnits)}` }]
    : [];
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [bold, ...below] }] };
}

export function code(text: string): Block {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: shown(text, maxSectionUnits) }] }],
  };
}

/** No block takes an empty text. */
function shown(text: string, maxUnits: number): string {
  return isVisible(text) ? cutUnits(wellFormed(text), maxUnits) : '…';
}
