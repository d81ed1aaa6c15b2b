// What a message looks like on a phone, in letters: 40 columns, `==` around what stands out, `**` around what is bold,
// `│` before code, `·` before small letters.

import { type Block, renderView, type SlackPart } from '../../../../../src/bot/channels/slack/render/index.js';
import { wrap } from '../../../../../src/bot/render/columns.js';
import type { Button, View } from '../../../../../src/store/messages/message-types.js';

const columns = 40;
const pressId = ({ press }: Button) => `p:${press}`.slice(0, 64);

export function rendered(view: View): readonly SlackPart[] {
  return renderView(view, pressId);
}

export function onPhone(view: View): string {
  return drawn(view, (text) => folded(`(banner) ${text}`));
}

/** Without the notification. */
export function inThread(view: View): string {
  return drawn(view, () => []);
}

function drawn(view: View, bannerOf: (text: string) => readonly string[]): string {
  return rendered(view)
    .map((part) =>
      part.kind === 'file'
        ? `[file ${part.name}, ${part.bytes.length} bytes]`
        : [...bannerOf(part.text), ...part.blocks.flatMap(linesOf)].join('\n'),
    )
    .join('\n- - -\n')
    .replaceAll('\u2060', '');
}

export function linesOf(block: Block): readonly string[] {
  switch (block.type) {
    case 'header':
      return folded(`== ${block.text.text} ==`);
    case 'section':
      return [
        ...(block.text === undefined ? [] : folded(block.text.text)),
        ...columnsOf(block.fields?.map(({ text }) => text) ?? []),
        ...(block.accessory?.type === 'button' ? [buttonLine([block.accessory])] : []),
      ];
    case 'context':
      return block.elements.flatMap((one) => (one.type === 'image' ? [] : folded(`· ${one.text}`)));
    case 'actions':
      return [buttonLine(block.elements)];
    case 'rich_text':
      return block.elements.flatMap(richLines);
    default:
      throw new Error(`a block that this phone does not know: ${block.type}`);
  }
}

/** Two beside each other. */
function columnsOf(fields: readonly string[]): readonly string[] {
  const rows = fields.flatMap((left, at) => (at % 2 === 0 ? [[left, fields[at + 1] ?? '']] : []));
  return rows.flatMap(([left = '', right = '']) => folded(right === '' ? left : `${left}  |  ${right}`));
}

type Actions = Extract<Block, { type: 'actions' }>['elements'];
type Rich = Extract<Block, { type: 'rich_text' }>['elements'][number];

function buttonLine(elements: Actions): string {
  const looks = { primary: '+', danger: '!' };
  return elements
    .flatMap((one) =>
      one.type === 'button' ? [`[${one.style === undefined ? ' ' : looks[one.style]}${one.text.text} ]`] : [],
    )
    .join(' ');
}

function richLines(element: Rich): readonly string[] {
  const texts = element.elements.map((one) => {
    if (one.type === 'date') return one.fallback ?? '';
    if (one.type !== 'text') throw new Error(`a text that is more than text: ${one.type}`);
    return one.style?.bold ? `**${one.text}**` : one.text;
  });
  const text = texts.join('');
  return element.type === 'rich_text_preformatted' ? text.split('\n').map((line) => `│ ${line}`) : folded(text);
}

function folded(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => wrap(line, columns));
}
