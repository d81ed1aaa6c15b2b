// What steps write down for others: for those after them in the story, and for all stories of the run.
import type { DecisionDraft } from './draft.js';

/** The newest of it; a story that needs more than this has a file for it. */
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
