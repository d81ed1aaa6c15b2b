// What is said while processes are killed: finals, cards that change, and what takes several parts and a file.
import type { NewMessage } from '../../../../../src/store/index.js';

const lines = (name: string) =>
  Array.from({ length: 110 }, (_, at) => `${name} line ${at} ${'x'.repeat(40)}`).join('\n');

export const plan: readonly NewMessage[] = [7, 8, -5]
  .flatMap((chat) => [
    said(chat, 'first', { rings: true }),
    said(chat, 'card one', { card: `c${chat}`, kind: 'progress' }),
    said(chat, 'second', { rings: true }),
    said(chat, lines('long'), {}),
    said(chat, 'card two', { card: `c${chat}`, kind: 'progress' }),
    said(chat, 'see the file', { file: { name: 'out.log', text: 'all of it' } }),
    said(chat, 'third', { rings: true }),
    said(chat, 'card three', { card: `c${chat}`, kind: 'progress' }),
  ])
  .map((message, index) => ({ ...message, at: index + 1 }));

type More = Partial<NewMessage['view']> & { readonly card?: string };

function said(chat: number, text: string, { card, ...more }: More): NewMessage {
  const view = { kind: 'report', text, buttons: [], offers: [], rings: false, file: null, ...more };
  return { thread: `tg:${chat}`, run: null, interaction: null, card: card ?? null, at: 0, view };
}
