// From what a chat shows of a message to what it should show, one call at a time.
import type { Parcel } from '../../dispatch/delivery/index.js';
import { pressOf } from '../presses.js';
import { markOf, type Place, type Shown } from './carrier-place.js';
import { type Document, type Part, renderView } from './render/index.js';

export type Piece =
  | { readonly kind: 'text'; readonly mark: string; readonly part: Part }
  | { readonly kind: 'file'; readonly mark: string; readonly document: Document };

export type Step =
  | { readonly type: 'send'; readonly piece: Piece }
  | { readonly type: 'edit'; readonly piece: Extract<Piece, { kind: 'text' }>; readonly at: Shown }
  | { readonly type: 'delete'; readonly at: Shown };

export function piecesOf({ n, view }: Parcel): readonly Piece[] {
  const { parts, documents } = renderView(view, ({ press }) => pressOf(`m${n}`, press));
  return [
    ...parts.map((part) => ({ kind: 'text' as const, mark: markOf(part.html, part.keyboard), part })),
    ...documents.map((document) => ({
      kind: 'file' as const,
      mark: markOf(document.name, document.bytes.toString('base64')),
      document,
    })),
  ];
}

/** What is there is edited, what is too much goes, from its end, and what is missing comes; null: all is as it should be. */
export function nextStep(pieces: readonly Piece[], place: Place): Step | null {
  const last = place.at(-1);
  const isStray = place.some((at, index) => !fits(pieces[index], at));
  if (isStray && last !== undefined) return { type: 'delete', at: last };
  for (const [index, piece] of pieces.entries()) {
    const at = place[index];
    if (at === undefined) return { type: 'send', piece };
    if (piece.kind === 'text' && piece.mark !== at.mark) return { type: 'edit', piece, at };
  }
  return null;
}

/** A file is never edited: another one is sent in its stead. */
function fits(piece: Piece | undefined, at: Shown): boolean {
  return piece?.kind === at.kind && (piece.kind === 'text' || piece.mark === at.mark);
}

/** `id`: of the message that was sent. */
export function afterStep(place: Place, step: Step, id: number): Place {
  switch (step.type) {
    case 'send':
      return [...place, { id, kind: step.piece.kind, mark: step.piece.mark }];
    case 'edit':
      return place.map((at) => (at.id === step.at.id ? { ...at, mark: step.piece.mark } : at));
    case 'delete':
      return place.filter(({ id: one }) => one !== step.at.id);
  }
}

/** No mark of anything. */
const unknownMark = '-';

/** An edit that is under way may show already, or not. */
export function duringStep(place: Place, step: Step): Place {
  if (step.type !== 'edit') return place;
  return place.map((at) => (at.id === step.at.id ? { ...at, mark: unknownMark } : at));
}
