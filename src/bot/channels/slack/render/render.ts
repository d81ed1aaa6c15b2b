// A view as Slack shows it: one message of blocks, with its words for where blocks are not shown, and files.

import type { Button, View } from '../../../../store/index.js';
import {
  type AttachedDocument,
  askingKinds,
  cutUnits,
  documentOf,
  fitBars,
  graphemesFit,
  headOf,
  inert,
  isVisible,
  runsOf,
  shortLabel,
  textOf,
  tidy,
} from '../../../render/index.js';
import { joinedLines } from '../../../views/view.js';
import type { Block } from './blocks.js';
import { actionsOf } from './buttons.js';
import { layoutOf } from './layout.js';

export interface RenderedSlackMessage {
  readonly kind: 'message';
  /** What a banner shows; goes with the blocks. Escaped. */
  readonly text: string;
  /** The same as the blocks without any, for where those are refused. Escaped. */
  readonly plain: string;
  readonly blocks: Block[];
}

export interface RenderedSlackFile extends AttachedDocument {
  readonly kind: 'file';
  readonly title: string;
}

export type SlackPart = RenderedSlackMessage | RenderedSlackFile;

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
  const message = (shown: string): RenderedSlackMessage => ({
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

function fileOf(document: AttachedDocument): RenderedSlackFile {
  return { kind: 'file', ...document, title: document.name };
}

// The words of a phone's banner: what it is about, and the first of what is asked or told.
const maxUnits = 150;

/** Of what is looked at: enough to fill a banner with what is no space. */
const maxLookedAt = 1_000;

export function bannerOf(view: View, text: string): string {
  const lines = text.split('\n', 40).filter((line) => isVisible(line) && !line.startsWith('```'));
  const count = view.rings || askingKinds.has(view.kind) ? 2 : 1;
  const joined = joinedLines(lines.slice(0, count).join('\n').slice(0, maxLookedAt), maxLookedAt);
  return isVisible(joined) ? cutUnits(joined, maxUnits) : view.kind;
}

// Text where the platform reads markup: the words beside blocks, and those that stand in for them.
/** Nothing of it calls anybody or leads anywhere, whatever the message is sent with. */
export function escapeText(text: string): string {
  return inert(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What fits once it is escaped, cut between characters. */
export function escapedWithin(text: string, maxUnits: number): string {
  const whole = escapeText(text);
  if (whole.length <= maxUnits) return whole;
  // Each turn takes less of it.
  for (let units = maxUnits - 1; units > 0; units = Math.floor(units * 0.8)) {
    const escaped = escapeText(text.slice(0, graphemesFit(text, units)).trimEnd());
    if (escaped.length < maxUnits) return `${escaped}…`;
  }
  return '…';
}
