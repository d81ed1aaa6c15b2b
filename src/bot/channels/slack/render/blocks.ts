// Security: text never acts as markup, and is inert except for code, which must copy unchanged.
import type { types } from '@slack/bolt';
import type { ShownTime } from '../../../../base/index.js';
import type { View } from '../../../../store/index.js';
import { cutUnits, inert, inertRuns, isVisible, type TextRun, timed, wellFormed } from '../../../render/index.js';

export type Block = types.KnownBlock;

export const maxHeaderUnits = 150;
export const maxSectionUnits = 3_000;
const maxContextUnits = 2_000;
const maxFields = 10;
const maxFieldUnits = 2_000;

export function plainText(text: string, maxUnits: number): types.PlainTextElement {
  return { type: 'plain_text', text: shown(text, maxUnits), emoji: false };
}

export function header(text: string): Block {
  return { type: 'header', text: plainText(inert(text), maxHeaderUnits) };
}

export function section(text: string): types.SectionBlock {
  return { type: 'section', text: plainText(inert(text), maxSectionUnits) };
}

/** Two columns. */
export function fields(all: readonly string[]): types.SectionBlock {
  return { type: 'section', fields: all.slice(0, maxFields).map((one) => plainText(inert(one), maxFieldUnits)) };
}

export function context(text: string): Block {
  return { type: 'context', elements: [plainText(inert(text), maxContextUnits)] };
}

export function titled(title: string, rest: string, times: View['times'] = []): types.RichTextBlock {
  const bold: types.RichTextText = { type: 'text', text: shown(inert(title), maxSectionUnits), style: { bold: true } };
  const words: TextRun = { text: `\n${shown(inert(rest), maxSectionUnits)}`, look: 'plain', language: null };
  const below = isVisible(rest) ? timed([words], times).map(elementOf) : [];
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [bold, ...below] }] };
}

/** A mention notifies the person. */
export function addressedLine(runs: readonly TextRun[]): types.RichTextBlock {
  const elements = runs.map(({ text, account }): types.RichTextElement => {
    if (account === undefined) return { type: 'text', text: shown(inert(text), maxSectionUnits) };
    return isGroup(account) ? { type: 'usergroup', usergroup_id: account } : { type: 'user', user_id: account };
  });
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

export function styled(runs: readonly TextRun[]): types.RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: runs.map(elementOf) }] };
}

function elementOf({ text, look, time }: TextRun): types.RichTextElement {
  const style = styles[look];
  const element: types.RichTextElement =
    time === undefined ? { type: 'text', text: cutUnits(wellFormed(text), maxSectionUnits) } : dateOf(time);
  return style === undefined ? element : { ...element, style };
}

/** Slack shows the moment in its reader's zone. */
function dateOf({ text, at, hasDate }: ShownTime): types.RichTextDate {
  const format = hasDate ? '{date_short}, {time}' : '{time}';
  return { type: 'date', timestamp: at / 1000, format, fallback: text };
}

/** Only rich text has dates. */
export function smallPrint(text: string, times: View['times']): Block {
  const runs = timed([{ text, look: 'plain', language: null }], times);
  return runs.some(({ time }) => time !== undefined) ? styled(inertRuns(runs)) : context(text);
}

const styles: Readonly<Partial<Record<TextRun['look'], types.RichTextText['style']>>> = {
  bold: { bold: true },
  italic: { italic: true },
  strike: { strike: true },
  mono: { code: true },
};

export function mentionText(account: string): string {
  return isGroup(account) ? `<!subteam^${account}>` : `<@${account}>`;
}

function isGroup(account: string): boolean {
  return account.startsWith('S');
}

export function code(text: string): Block {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: shown(text, maxSectionUnits) }] }],
  };
}

/** Slack rejects empty texts. */
function shown(text: string, maxUnits: number): string {
  return isVisible(text) ? cutUnits(wellFormed(text), maxUnits) : '…';
}
