// What a message looks like on a phone, in letters: 40 columns, `**` around what is bold, `│` before code.

import { type Part, type Rendered, renderView } from '../../../../../src/bot/channels/telegram/render/index.js';
import { wrap } from '../../../../../src/bot/render/columns.js';
import type { Button, View } from '../../../../../src/store/messages/message-types.js';
import { parseHtml } from '../server/index.js';

const columns = 40;
const pressId = ({ press }: Button) => `p:${press}`.slice(0, 64);

export function rendered(view: View): Rendered {
  return renderView(view, pressId);
}

export function onPhone(view: View): string {
  const { parts, documents } = rendered(view);
  const files = documents.map(({ name, bytes }) => `[file ${name}, ${bytes.length} bytes]`);
  // What keeps words from being tapped shows nothing.
  return [...parts.map(screenOf), ...files].join('\n- - -\n').replaceAll('\u2060', '');
}

function screenOf({ html, keyboard, isSilent }: Part): string {
  const { text, entities } = parseHtml(html);
  const marks = entities.flatMap(({ type, offset, length }) => (type === 'bold' ? [offset, offset + length] : []));
  const bold = [...marks].sort((a, b) => b - a).reduce((out, at) => `${out.slice(0, at)}**${out.slice(at)}`, text);
  const code = entities
    .filter((one) => one.type === 'pre')
    .map((one) => text.slice(one.offset, one.offset + one.length));
  const lines = bold
    .split('\n')
    .flatMap((line) => (code.some((one) => one.split('\n').includes(line)) ? [`│ ${line}`] : wrap(line, columns)));
  const rows = keyboard.map((row) => row.map(({ text: label }) => `[ ${label} ]`).join(' '));
  return [isSilent ? '(silent)' : '(rings)', ...lines, ...rows].join('\n');
}
