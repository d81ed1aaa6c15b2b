// What steps write down for others: for those after them in the story, and for all stories of the run.
import type { DecisionDraft } from './draft.js';

/** The newest of it; a story that needs more than this has a file for it. */
const maxChars = 16_000;

export function noteForStory(step: DecisionDraft, text: string): void {
  step.setChain({ scratch: joined(step.chain.scratch, text) });
}

export function noteForAll(step: DecisionDraft, text: string): void {
  step.setRun({ scratch: joined(step.run.scratch, text) });
}

function joined(before: string, text: string): string {
  const added = text.trim();
  if (added === '') return before;
  return `${before === '' ? '' : `${before}\n`}${added}`.slice(-maxChars);
}
