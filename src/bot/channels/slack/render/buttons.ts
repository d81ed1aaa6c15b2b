import type { types } from '@slack/bolt';
import type { Button, View } from '../../../../store/index.js';
import { shortLabel } from '../../../render/index.js';
import { isAbort } from '../../../views/view.js';
import { type Block, context, plainText } from './blocks.js';

/** Prefix of action_ids; only the value has meaning. */
const pressAction = 'press:';

const maxButtons = 25;
const maxInRow = 5;
const maxInMenu = 5;
/** Slack refuses longer ones. */
const maxLabel = { chars: 75, units: 75 };
const maxValueBytes = 64;
const approving = new Set(['approve', 'start', 'once', 'go', 'continue']);
const ending = new Set(['reject', 'abort', 'deny', 'end', 'yes', 'discard']);

interface SecondTap {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly no: string;
}

const secondTaps: Readonly<Record<string, SecondTap>> = {
  abort: {
    ...{ title: 'Abort this task?', text: 'The work ends. You decide next about the changes that it leaves.' },
    ...{ yes: 'Abort', no: 'Keep going' },
  },
  reject: {
    ...{ title: 'Reject this work?', text: 'You choose next where the work goes back to, or end it.' },
    ...{ yes: 'Reject', no: 'Keep it' },
  },
  discard: {
    ...{ title: 'Discard these changes?', text: 'The folder loses them; a diff file keeps them.' },
    ...{ yes: 'Discard', no: 'Keep them' },
  },
};

/** `firstIndex` keeps action_ids unique. */
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

/** Minor buttons, behind the last row's three dots. */
export function withMenu(rows: readonly Block[], menu: readonly Button[], idOf: (button: Button) => string): Block[] {
  if (menu.length === 0) return [...rows];
  const options = menu.slice(0, maxInMenu).map((button) => ({
    text: plainText(shortLabel(button.label, maxLabel), maxLabel.units),
    value: pressValue(idOf(button)),
  }));
  return withElement(rows, { type: 'overflow', action_id: `${pressAction}menu`, options });
}

/** A link has no value, so it sends no press. */
export function withLink(rows: readonly Block[], link: View['link']): Block[] {
  if (link === undefined) return [...rows];
  const text = plainText(shortLabel(`${link.label} ↗`, maxLabel), maxLabel.units);
  return withElement(rows, { type: 'button', text, action_id: `${pressAction}page`, url: link.url });
}

function withElement(rows: readonly Block[], element: types.Button | types.Overflow): Block[] {
  const last = rows.at(-1);
  const hasRoom = last?.type === 'actions' && last.elements.length < maxInRow;
  return hasRoom
    ? [...rows.slice(0, -1), { ...last, elements: [...last.elements, element] }]
    : [...rows, { type: 'actions', elements: [element] }];
}

export function buttonOf(button: Button, id: string, index: number, isFirst: boolean): types.Button {
  const style = isFirst ? 'primary' : ending.has(optionOf(button.press)) ? 'danger' : null;
  return {
    type: 'button',
    text: plainText(shortLabel(button.label, maxLabel), maxLabel.units),
    action_id: `${pressAction}${index}`,
    value: pressValue(id),
    ...(style === null ? {} : { style }),
    ...confirmed(button),
  };
}

function confirmed(button: Button): Pick<types.Button, 'confirm'> {
  const option = optionOf(button.press);
  const tap = secondTaps[option];
  if (tap === undefined || (option === 'abort' && !isAbort(button))) return {};
  const plain = (text: string) => plainText(text, maxLabel.units);
  return {
    confirm: {
      ...{ title: plain(tap.title), text: plain(tap.text), confirm: plain(tap.yes), deny: plain(tap.no) },
      style: 'danger',
    },
  };
}

/** '' for a message's own offer. */
function optionOf(press: string): string {
  return /^i[\w-]*\.(.+)$/.exec(press)?.[1] ?? '';
}

/** 3+3 looks better than 5+1. */
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
