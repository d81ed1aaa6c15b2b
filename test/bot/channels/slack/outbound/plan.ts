// What is said while processes are killed: finals, cards that change, and what takes a file, in every kind of place.
import type { NewMessage } from '../../../../../src/store/index.js';

const lines = (name: string) =>
  Array.from({ length: 110 }, (_, at) => `${name} line ${at} ${'x'.repeat(40)}`).join('\n');

/** A channel, the thread that Bosun opens in another one, and a person. */
export const threads = ['sl:C01GEN', 'sl:C02TEAM:r12', 'sl:U01ADA'] as const;

export const plan: readonly NewMessage[] = threads
  .flatMap((thread) => [
    said(thread, 'first', { rings: true }),
    said(thread, 'card one', { card: `c${thread}`, kind: 'progress' }),
    said(thread, 'second', { rings: true }),
    said(thread, lines('long'), {}),
    said(thread, 'card two', { card: `c${thread}`, kind: 'progress' }),
    said(thread, 'see the file', { file: { name: 'out.log', text: 'all of it' } }),
    said(thread, 'third', { rings: true }),
    said(thread, 'card three', { card: `c${thread}`, kind: 'progress' }),
  ])
  .map((message, index) => ({ ...message, at: index + 1 }));

type More = Partial<NewMessage['view']> & { readonly card?: string };

function said(thread: string, text: string, { card, ...more }: More): NewMessage {
  const view = { kind: 'report', text, buttons: [], offers: [], rings: false, file: null, ...more };
  return { thread, run: null, interaction: null, card: card ?? null, at: 0, view };
}
