// Tells if words have reached the step. Edited in place.
import type { Notice, State } from '../../../engine/index.js';
import { oneLine, stepName } from '../view.js';

export function wordsLine({ node, text, state: said }: Extract<Notice, { type: 'words' }>, state: State): string {
  const found = state.chain.nodes.find(({ id }) => id === node);
  const name = found === undefined ? node : stepName(found);
  const step = state.chain.key === '' ? name : `${state.chain.key} ${name}`;
  const what = {
    sending: `sending to ${step}`,
    sent: `sent to ${step}`,
    late: `${step} did not hear it any more; it goes with the next prompt`,
    next: `goes with the next prompt of ${step}`,
  }[said];
  return `${state.run.project}: ${what}: “${oneLine(text, 200)}”`;
}
