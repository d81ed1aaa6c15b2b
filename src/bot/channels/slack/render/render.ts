import type { Button, View } from '../../../../store/index.js';
import {
  type AttachedDocument,
  askingKinds,
  cutUnits,
  documentOf,
  fitBars,
  graphemesFit,
  hasProgress,
  headOf,
  inert,
  isVisible,
  runsOf,
  shortLabel,
  textOf,
  tidy,
} from '../../../render/index.js';
import { joinedLines } from '../../../views/view.js';
import { type Block, mentionText } from './blocks.js';
import { actionsOf, withLink, withMenu } from './buttons.js';
import { layoutOf } from './layout.js';

export interface RenderedSlackMessage {
  readonly kind: 'message';
  readonly text: string;
  /** For the case that Slack refuses the blocks; escaped. */
  readonly plain: string;
  readonly blocks: Block[];
}

export interface RenderedSlackFile extends AttachedDocument {
  readonly kind: 'file';
  readonly title: string;
}

export type SlackPart = RenderedSlackMessage | RenderedSlackFile;

/** A longer text could not be edited. */
const maxTextUnits = 3_600;
const maxPlainUnits = 3_400;
/** Slack's undocumented limit is about 13,000. */
const maxBlocksBytes = 12_000;
/** Head of a text that goes as a file; the smaller one leaves room for buttons. */
const headsUnits: readonly number[] = [1_500, 300];

export function renderView(view: View, idOf: (button: Button) => string): readonly SlackPart[] {
  const text = hasProgress(view) ? fitBars(tidy(view.text)) : tidy(view.text);
  const actions = withMenu(withLink(actionsOf(view.buttons, idOf), view.link), view.menu ?? [], idOf);
  const message = (shown: string): RenderedSlackMessage => ({
    kind: 'message',
    text: bannerText(view, text),
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

/** As Slack counts: escaped JSON. */
function weightOf(blocks: readonly Block[]): number {
  return Buffer.byteLength(JSON.stringify(blocks).replaceAll(/[&<>]/g, '&amp;'));
}

function fileOf(document: AttachedDocument): RenderedSlackFile {
  return { kind: 'file', ...document, title: document.name };
}

/** The length of a phone notification. */
const maxUnits = 150;

const maxLookedAt = 1_000;

export function bannerOf(view: View, text: string): string {
  const lines = text.split('\n', 40).filter((line) => isVisible(line) && !line.startsWith('```'));
  const count = view.rings || askingKinds.has(view.kind) ? 2 : 1;
  const joined = joinedLines(lines.slice(0, count).join('\n').slice(0, maxLookedAt), maxLookedAt);
  return isVisible(joined) ? cutUnits(joined, maxUnits) : view.kind;
}

/** Mentions the awaited people first; other words are escaped. */
function bannerText(view: View, text: string): string {
  const people = (view.mentions ?? [])
    .map(({ account }) => account)
    .filter((account) => /^[UWS][A-Z0-9]{1,40}$/.test(account));
  return [...people.map(mentionText), escapeText(bannerOf(view, text))].join(' ');
}

/** Prevents mentions and links under all options. */
export function escapeText(text: string): string {
  return inert(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function escapedWithin(text: string, maxUnits: number): string {
  const whole = escapeText(text);
  if (whole.length <= maxUnits) return whole;
  for (let units = maxUnits - 1; units > 0; units = Math.floor(units * 0.8)) {
    const escaped = escapeText(text.slice(0, graphemesFit(text, units)).trimEnd());
    if (escaped.length < maxUnits) return `${escaped}…`;
  }
  return '…';
}
