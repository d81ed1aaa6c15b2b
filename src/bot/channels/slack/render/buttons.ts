// Buttons below a message: a few in a row, the one that lets work go on in green, those that end it in red.
import type { types } from '@slack/bolt';
import type { Button } from '../../../../store/index.js';
import { shortLabel } from '../../../render/index.js';
import { type Block, context, plainText } from './blocks.js';

/** How the action_id of every button begins; what it means is its value alone. */
const pressAction = 'press:';

const maxButtons = 25;
const maxInRow = 5;
/** Phones cut what is longer. */
const maxLabel = { chars: 40, units: 60 };
const maxValueBytes = 64;
const approving = new Set(['approve', 'start', 'once', 'go', 'continue']);
const ending = new Set(['reject', 'abort', 'deny', 'end', 'yes']);

/** `firstIndex`: of its action_id, which stands but once in a message or a view. */
export function actionsOf(
  buttons: readonly Button[],
  idOf: (button: Button) => string,
  firstIndex = 0,
  max = maxButtons,
): Block[] {
  const shown = buttons.slice(0, max);
  const first = shown.find(({ press }) => approving.has(optionOf(press)));
  const elements = shown.map((one, index) => buttonOf(one, idOf(one), firstIndex + index, one === first));
  const left = buttons.length - shown.length;
  return [
    ...rowsOf(elements).map((row): Block => ({ type: 'actions', elements: row })),
    ...(left > 0 ? [context(`… and ${left} more: say it in words`)] : []),
  ];
}

export function buttonOf(button: Button, id: string, index: number, isFirst: boolean): types.Button {
  const style = isFirst ? 'primary' : ending.has(optionOf(button.press)) ? 'danger' : null;
  return {
    type: 'button',
    text: plainText(shortLabel(button.label, maxLabel), maxLabel.units),
    action_id: `${pressAction}${index}`,
    value: pressValue(id),
    ...(style === null ? {} : { style }),
  };
}

/** Of an interaction's button; what a message offers by itself has none. */
function optionOf(press: string): string {
  return /^i[\w-]*\.(.+)$/.exec(press)?.[1] ?? '';
}

/** Three and three look better than five and one. */
function rowsOf<T>(all: readonly T[]): T[][] {
  const rows = Math.ceil(all.length / maxInRow);
  const inRow = Math.ceil(all.length / Math.max(1, rows));
  return Array.from({ length: rows }, (_, row) => all.slice(row * inRow, (row + 1) * inRow));
}

function pressValue(id: string): string {
  const bytes = Buffer.byteLength(id);
  if (bytes < 1 || bytes > maxValueBytes)
    throw new Error(`a press id of ${bytes} bytes: must be 1 to ${maxValueBytes}`);
  return id;
}
