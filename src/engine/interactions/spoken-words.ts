// A person's words become a note for the next prompt, removed once the running attempt has heard them: a crash repeats
// words, never loses them.
import type { DecisionDraft } from '../model/draft/draft.js';
import { isRunOver } from '../model/draft/transition.js';
import type { Event } from '../model/event.js';
import type { HumanNote } from '../model/model.js';

type WordsSaid = Extract<Event, { type: 'words_said' }>;

export function keepWords(tx: DecisionDraft, { node, attempt, key, text, isSent, by }: WordsSaid): string | null {
  if (isRunOver(tx.run.status)) return tellRefusal(tx, 'the run is over');
  const step = tx.node(node);
  if (!step) return tellRefusal(tx, `no step ${node} here`);
  if (tx.chain.notes.some((note) => note.words?.key === key)) return 'said already';
  // Late words must not reach work that replaced the attempt.
  const isInTime = step.live?.id === attempt && step.state === 'running';
  const words = { key, to: isSent && isInTime ? attempt : null };
  const note: HumanNote = { kind: 'remark', question: null, text, by, node, words };
  tx.setChain({ notes: [...tx.chain.notes, note] });
  tx.notice({ type: 'words', key, node, text, state: words.to === null ? (isSent ? 'late' : 'next') : 'sending' });
  return null;
}

/** `isHeard` false: the turn was over. */
export function hearWords(tx: DecisionDraft, attempt: string, key: string, isHeard: boolean): string | null {
  const note = tx.chain.notes.find(({ words }) => words?.key === key && words.to === attempt);
  if (note === undefined) return 'superseded';
  if (isHeard) tx.setChain({ notes: tx.chain.notes.filter((one) => one !== note) });
  else leaveForNext(tx, note);
  if (isHeard) tellWords(tx, note, 'sent');
  return null;
}

export function leaveUnheardWords(tx: DecisionDraft, attempt: string): void {
  for (const note of tx.chain.notes.filter(({ words }) => words?.to === attempt)) leaveForNext(tx, note);
}

function leaveForNext(tx: DecisionDraft, note: HumanNote): void {
  const waiting = note.words === undefined ? note : { ...note, words: { ...note.words, to: null } };
  tx.setChain({ notes: tx.chain.notes.map((one) => (one === note ? waiting : one)) });
  tellWords(tx, note, 'late');
}

function tellWords(tx: DecisionDraft, { words, node, text }: HumanNote, state: 'sent' | 'late'): void {
  if (words !== undefined && node !== undefined) tx.notice({ type: 'words', key: words.key, node, text, state });
}

function tellRefusal(tx: DecisionDraft, why: string): null {
  tx.reply({ type: 'refused', why });
  return null;
}
