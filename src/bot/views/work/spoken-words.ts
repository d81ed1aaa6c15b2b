// Have they reached the step? Edited in place.
import type { Notice, State } from '../../../engine/index.js';
import { oneLine } from '../view.js';

export function wordsLine({ node, text, state: said }: Extract<Notice, { type: 'words' }>, state: State): string {
  const template = state.chain.nodes.find(({ id }) => id === node)?.template ?? node;
  const step = state.chain.key === '' ? template : `${state.chain.key} ${template}`;
  const what = {
    sending: `sending to ${step}`,
    sent: `sent to ${step}`,
    late: `${step} did not hear it any more; it goes with the next prompt`,
    next: `goes with the next prompt of ${step}`,
  }[said];
  return `${state.run.project}: ${what}: “${oneLine(text, 200)}”`;
}
