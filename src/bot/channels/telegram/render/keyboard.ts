import type { Button, View } from '../../../../store/index.js';
import { columnsOf } from '../../../render/columns.js';
import { shortLabel } from '../../../render/index.js';

export type InlineButton =
  | { readonly text: string; readonly callback_data: string }
  | { readonly text: string; readonly url: string };

export type Keyboard = readonly (readonly InlineButton[])[];

const maxButtons = 100;
const maxLabel = { chars: 60, units: 256 };
const maxDataBytes = 64;
/** By the number of buttons in the row. */
const columnsBy: readonly number[] = [0, Number.POSITIVE_INFINITY, 17, 10];

export function keyboardOf(
  { buttons, link, menu = [] }: Pick<View, 'buttons' | 'link' | 'menu'>,
  idOf: (button: Button) => string,
): Keyboard {
  const opens = link === undefined ? [] : [{ text: `${shortLabel(link.label, maxLabel)} ↗`, url: link.url }];
  const pressOf = (button: Button) => ({
    text: shortLabel(button.label, maxLabel),
    callback_data: dataOf(idOf(button)),
  });
  const presses = buttons.slice(0, maxButtons - opens.length - menu.length).map(pressOf);
  return [...rowsOf([...presses, ...opens]), ...rowsOf(menu.map(pressOf))];
}

function rowsOf(buttons: readonly InlineButton[]): Keyboard {
  const rows: InlineButton[][] = [];
  for (const shown of buttons) {
    const row = rows.at(-1);
    if (row && fits([...row, shown])) row.push(shown);
    else rows.push([shown]);
  }
  return evened(rows);
}

/** 2+2 looks better than 3+1. */
function evened(rows: readonly (readonly InlineButton[])[]): Keyboard {
  const [before, last] = rows.slice(-2);
  if (before?.length !== 3 || last?.length !== 1) return rows;
  const pair = [...before.slice(2), ...last];
  return fits(pair) ? [...rows.slice(0, -2), before.slice(0, 2), pair] : rows;
}

function fits(row: readonly InlineButton[]): boolean {
  const most = columnsBy[row.length] ?? 0;
  return row.every((one) => columnsOf(one.text) <= most);
}

function dataOf(id: string): string {
  const bytes = Buffer.byteLength(id);
  if (bytes < 1 || bytes > maxDataBytes) throw new Error(`a press id of ${bytes} bytes: must be 1 to ${maxDataBytes}`);
  return id;
}
