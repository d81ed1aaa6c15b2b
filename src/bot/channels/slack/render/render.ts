// A view as Slack shows it: one message of blocks, with its words for where blocks are not shown, and files.
import type { Button, View } from '../../../../store/index.js';
import {
  askingKinds,
  type Document,
  documentOf,
  fitBars,
  headOf,
  runsOf,
  shortLabel,
  textOf,
  tidy,
} from '../../../render/index.js';
import { bannerOf } from './banner.js';
import type { Block } from './blocks.js';
import { actionsOf } from './buttons.js';
import { escapedWithin, escapeText } from './escape.js';
import { layoutOf } from './layout.js';

export interface SlackMessage {
  readonly kind: 'message';
  /** What a banner shows; goes with the blocks. Escaped. */
  readonly text: string;
  /** The same as the blocks without any, for where those are refused. Escaped. */
  readonly plain: string;
  readonly blocks: Block[];
}

export interface SlackFile extends Document {
  readonly kind: 'file';
  readonly title: string;
}

export type SlackPart = SlackMessage | SlackFile;

/** What is longer could not be edited any more. */
const maxTextUnits = 3_600;
const maxPlainUnits = 3_400;
/** The platform takes about 13,000, and says so nowhere. */
const maxBlocksBytes = 12_000;
/** What is shown of a text that goes as a file; the last where it has to stand beside many long buttons. */
const headsUnits: readonly number[] = [1_500, 300];

/** The first part is a message; files follow it. `idOf`: what the press of a button brings back, at most 64 bytes. */
export function renderView(view: View, idOf: (button: Button) => string): readonly SlackPart[] {
  const text = view.kind === 'progress' ? fitBars(tidy(view.text)) : tidy(view.text);
  const actions = actionsOf(view.buttons, idOf);
  const message = (shown: string): SlackMessage => ({
    kind: 'message',
    text: escapeText(bannerOf(view, text)),
    plain: plainOf(view, shown),
    blocks: [...layoutOf(view, shown), ...actions],
  });
  const files = view.file === null ? [] : [fileOf(documentOf(view.file.name, view.file.text))];
  const whole = message(text);
  if (text.length <= maxTextUnits && weightOf(whole.blocks) <= maxBlocksBytes) return [whole, ...files];
  const heads = headsUnits.map((units) => message(text.length <= units ? text : headOf(text, units)));
  const head = heads.find(({ blocks }) => weightOf(blocks) <= maxBlocksBytes) ?? heads.at(-1) ?? whole;
  return [head, fileOf(documentOf(`${view.kind}.txt`, textOf(runsOf(text, false)))), ...files];
}

function plainOf(view: View, shown: string): string {
  const labels = askingKinds.has(view.kind) ? view.buttons.map(({ label }) => shortLabel(label, labelLimits)) : [];
  const ways = labels.length === 0 ? '' : escapeText(`\nAnswer with one of: ${labels.slice(0, 10).join(' · ')}`);
  return `${escapedWithin(textOf(runsOf(shown, false)), maxPlainUnits - ways.length)}${ways}`;
}

const labelLimits = { chars: 40, units: 40 };

/** As it travels and as the platform keeps it: escaped, and with what holds the texts. */
function weightOf(blocks: readonly Block[]): number {
  return Buffer.byteLength(JSON.stringify(blocks).replaceAll(/[&<>]/g, '&amp;'));
}

function fileOf(document: Document): SlackFile {
  return { kind: 'file', ...document, title: document.name };
}
