import type { types } from '@slack/bolt';
import type { HomeReader } from '../../../../store/index.js';
import { cutUnits, wellFormed, withoutCodes } from '../../../render/index.js';
import { clean, joinedLines } from '../../../views/view.js';
import { plainText } from './blocks.js';

export const textCallback = 'bosun:text';
export const textBlock = 'bosun:words';
export const textAction = 'bosun:said';

export interface TextModal {
  /** Kept as `press` in `private_metadata`. */
  readonly press: string;
  /** Kept beside it: the place of the pressed button. */
  readonly place?: Readonly<Record<string, string>>;
  readonly title: string;
  readonly label: string;
  /** '': no hint. */
  readonly hint: string;
  readonly initial?: string;
  readonly maxChars: number;
}

const maxTitleUnits = 24;
const maxLabelUnits = 300;
const maxHintUnits = 1_000;
const maxFieldUnits = 3_000;
const maxMetadataUnits = 3_000;

export function textModal(asked: TextModal): types.ModalView {
  const hint = line(asked.hint);
  return {
    type: 'modal',
    callback_id: textCallback,
    private_metadata: metadataOf(asked),
    title: plainText(line(asked.title), maxTitleUnits),
    submit: plainText('Send', maxTitleUnits),
    close: plainText('Cancel', maxTitleUnits),
    blocks: [
      {
        type: 'input',
        block_id: textBlock,
        label: plainText(line(asked.label), maxLabelUnits),
        ...(hint === '' ? {} : { hint: plainText(hint, maxHintUnits) }),
        element: fieldOf(asked),
      },
    ],
  };
}

function fieldOf({ initial = '', maxChars }: TextModal): types.PlainTextInput {
  const most = Math.min(maxFieldUnits, Math.max(1, Math.floor(maxChars)));
  return {
    type: 'plain_text_input',
    action_id: textAction,
    multiline: true,
    max_length: most,
    focus_on_load: true,
    ...(initial === '' ? {} : { initial_value: cutUnits(wellFormed(clean(initial)), most) }),
  };
}

function metadataOf({ press, place = {} }: TextModal): string {
  const text = JSON.stringify({ press, place });
  if (text.length > maxMetadataUnits)
    throw new Error(`a window's metadata of ${text.length} characters: must be at most ${maxMetadataUnits}`);
  return text;
}

function line(text: string): string {
  return wellFormed(clean(text)).replace(/\s+/gu, ' ').trim();
}

export interface ModalRequest {
  readonly press: string;
  /** For the press and its result. */
  readonly thread: string;
}

const maxChars = 3_000;

const maxHintChars = 300;

const labels: Readonly<Record<string, string>> = {
  changes: 'What should be different?',
  answer: 'Your answer',
};

export function windowFor({ press, thread }: ModalRequest, reader: Pick<HomeReader, 'interaction'>): types.ModalView {
  const [id = '', ...rest] = press.split('.');
  const option = rest.join('.');
  const interaction = reader.interaction(id)?.interaction;
  const label = interaction?.options.find((one) => one.id === option)?.label ?? option;
  const hint = interaction === undefined ? '' : `${id}: ${joinedLines(withoutCodes(interaction.text), maxHintChars)}`;
  return textModal({ press, place: { thread }, title: label, label: labels[option] ?? label, hint, maxChars });
}
