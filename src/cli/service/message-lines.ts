// A message of Bosun's on a plain terminal: a mark for its kind, its text, and how each button is pressed.
import type { MessageJson } from '../../bot/index.js';

const marks: Readonly<Record<string, string>> = { ack: '·', progress: '▸', report: '■', error: '✗', answer: '·' };

export function messageLines({ kind, text, buttons, file }: MessageJson): readonly string[] {
  const [first = '', ...rest] = (file?.text ?? text).trimEnd().split('\n');
  const mark = marks[kind] ?? `? ${kind}:`;
  return [
    `${mark} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...buttons.map(({ label, press }) => `  [${label}] bosun press ${press}`),
  ];
}
