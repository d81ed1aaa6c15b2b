// The whole work; on later rounds also the request and the changes since.
import type { Change, Interaction, State } from '../../../engine/index.js';
import type { PictureRef } from '../../../store/index.js';
import { diffLine, factsLine } from '../facts.js';
import { clock, lines, oneLine, personName } from '../view.js';

const maxNamed = 5;

export function reviewFacts({ work }: Interaction, state: State): string {
  const facts = factsLine(state, work?.whole?.stat);
  const sentBack = work?.sentBack;
  if (sentBack === undefined) return facts;
  const { by, at, text } = sentBack;
  const words = text?.trim() ? `: “${oneLine(text, 300)}”` : ' for changes';
  return lines(
    `${personName(by)} asked at ${clock(at)}${words}`,
    work?.since !== undefined && sinceLine(work.since),
    `In all: ${facts}`,
  );
}

export function settledFacts({ work }: Interaction, state: State): string {
  return factsLine(state, work?.whole?.stat);
}

function sinceLine({ from, to, measured }: NonNullable<NonNullable<Interaction['work']>['since']>): string | false {
  if (from === to) return 'Since then: nothing changed';
  if (measured === undefined) return false;
  const counted = diffLine(measured.stat);
  return counted === '' ? 'Since then: nothing changed' : `Since then: ${counted}${named(measured)}`;
}

function named({ files, stat }: Change): string {
  const shown = files.slice(0, maxNamed).map(({ path }) => oneLine(path));
  if (shown.length === 0) return '';
  const more = stat.files - shown.length;
  return ` (${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

/** Null: only the steps' lists are known. */
export function changedFiles({ work }: Interaction): string | null {
  const whole = work?.whole;
  if (whole === undefined || whole.files.length === 0) return null;
  const shown = whole.files.slice(0, maxListed);
  const more = whole.stat.files - shown.length;
  const list = shown.map(({ path, insertions, deletions }) => `${oneLine(path)} +${insertions} −${deletions}`);
  return `Files: ${list.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const maxListed = 12;

const maxPictures = 4;

export function picturesOf({ kind, digests }: Pick<Interaction, 'kind' | 'digests'>): readonly PictureRef[] {
  if (kind !== 'review') return [];
  const all = digests.flatMap(({ pictures = [] }) => pictures);
  const newest = all.filter(({ path }, index) => all.findLastIndex((one) => one.path === path) === index);
  return newest.slice(-maxPictures).map(({ path, file }) => ({ name: path, file }));
}

/** As itself: not to be taken for another. */
export function shownLines(interaction: Interaction): string {
  const previews = [...new Set(interaction.digests.flatMap((one) => one.previews ?? []))];
  const pictures = picturesOf(interaction).map(({ name }) => oneLine(name));
  return lines(
    ...previews.map((address) => `Preview: ${oneLine(address, 500)}`),
    pictures.length > 0 && `Pictures: ${pictures.join(', ')}`,
  );
}

export function leftLine(interaction: Interaction): string {
  return namedChange(interaction, 'Left in the folder, not committed');
}

export function changedSoFar(interaction: Interaction): string {
  return namedChange(interaction, 'Changed so far');
}

function namedChange({ work }: Interaction, head: string): string {
  const whole = work?.whole;
  return whole === undefined ? '' : `${head}: ${diffLine(whole.stat) || 'nothing'}${named(whole)}`;
}
