// The window that asks for the words that an option needs: "Request changes", "Answer".
import type { types } from '@slack/bolt';
import type { Store } from '../../../../store/index.js';
import { joinedLines } from '../../../views/view.js';
import { textModal } from './index.js';

export interface Wanted {
  readonly press: string;
  /** Where it was pressed, and where it is told what came of it. */
  readonly thread: string;
}

const maxChars = 3_000;
const maxHintChars = 300;

const labels: Readonly<Record<string, string>> = {
  changes: 'What should be different?',
  answer: 'Your answer',
};

export function windowFor({ press, thread }: Wanted, store: Pick<Store, 'interaction'>): types.ModalView {
  const [id = '', ...rest] = press.split('.');
  const option = rest.join('.');
  const interaction = store.interaction(id)?.interaction;
  const label = interaction?.options.find((one) => one.id === option)?.label ?? option;
  const hint = interaction === undefined ? '' : `${id}: ${joinedLines(interaction.text, maxHintChars)}`;
  return textModal({ press, place: { thread }, title: label, label: labels[option] ?? label, hint, maxChars });
}
