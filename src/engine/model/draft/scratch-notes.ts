// Notes for later steps of the story, or for all stories.
import type { DecisionDraft } from './draft.js';

/** Keeps the newest; longer notes belong in a file. */
const maxChars = 16_000;

export function noteForStory(tx: DecisionDraft, text: string): void {
  tx.setChain({ scratch: joined(tx.chain.scratch, text) });
}

export function noteForAll(tx: DecisionDraft, text: string): void {
  tx.setRun({ scratch: joined(tx.run.scratch, text) });
}

function joined(before: string, text: string): string {
  const added = text.trim();
  if (added === '') return before;
  return `${before === '' ? '' : `${before}\n`}${added}`.slice(-maxChars);
}
