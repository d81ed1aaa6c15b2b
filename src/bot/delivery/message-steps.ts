// The next call towards the wanted state.
import { createHash } from 'node:crypto';

export interface TextPiece {
  readonly kind: 'text';
  readonly mark: string;
}

export interface FilePiece {
  readonly kind: 'file';
  readonly mark: string;
}

export type DeliveryStep<T extends TextPiece, F extends FilePiece> =
  | { readonly type: 'send'; readonly piece: T | F }
  | { readonly type: 'edit'; readonly piece: T; readonly at: ShownPart }
  | { readonly type: 'delete'; readonly at: ShownPart };

/** Deletes surplus parts from the end, edits changed ones, sends missing ones; null: done. */
export function nextStep<T extends TextPiece, F extends FilePiece>(
  pieces: readonly (T | F)[],
  place: MessagePlace,
): DeliveryStep<T, F> | null {
  const last = place.at(-1);
  const isStray = place.some((at, index) => !fits(pieces[index], at));
  if (isStray && last !== undefined) return { type: 'delete', at: last };
  for (const [index, piece] of pieces.entries()) {
    const at = place[index];
    if (at === undefined) return { type: 'send', piece };
    if (isText<T, F>(piece) && piece.mark !== at.mark) return { type: 'edit', piece, at };
  }
  return null;
}

function isText<T extends TextPiece, F extends FilePiece>(piece: T | F): piece is T {
  return piece.kind === 'text';
}

/** A changed file is deleted and sent anew. */
function fits(piece: TextPiece | FilePiece | undefined, at: ShownPart): boolean {
  return piece?.kind === at.kind && (piece.kind === 'text' || piece.mark === at.mark);
}

export function afterStep(place: MessagePlace, step: DeliveryStep<TextPiece, FilePiece>, id: string): MessagePlace {
  switch (step.type) {
    case 'send':
      return [...place, { id, kind: step.piece.kind, mark: step.piece.mark }];
    case 'edit':
      return place.map((at) => (at.id === step.at.id ? { ...at, mark: step.piece.mark } : at));
    case 'delete':
      return place.filter(({ id: one }) => one !== step.at.id);
  }
}

const unknownMark = '-';

/** The step may or may not take effect. */
export function duringStep(place: MessagePlace, step: DeliveryStep<TextPiece, FilePiece>): MessagePlace {
  if (step.type !== 'edit') return place;
  return place.map((at) => (at.id === step.at.id ? { ...at, mark: unknownMark } : at));
}

/** Platform id and content hash. A place lists parts in order. */
export interface ShownPart {
  readonly id: string;
  readonly kind: 'text' | 'file' | 'upload';
  readonly mark: string;
}

export type MessagePlace = readonly ShownPart[];

const maxParts = 20;

const entry = /^([A-Z0-9.]{1,40})([tfu])([\w-]{1,32})$/;

const kinds = { t: 'text', f: 'file', u: 'upload' } as const;

/** `["12tAbC…","13fXyZ…"]`. An unreadable place is dropped, and the message is sent anew. */
export function readPlace(text: string | null): MessagePlace {
  if (text === null) return [];
  const given: unknown = JSON.parse(text);
  if (!Array.isArray(given)) return [];
  const found = given.slice(0, maxParts).map((one: unknown) => entry.exec(String(one)));
  return found.flatMap((one) => {
    if (one === null) return [];
    const [, id = '', kind = '', mark = ''] = one;
    return [{ id, kind: kind === 't' || kind === 'f' ? kinds[kind] : kinds.u, mark }];
  });
}

export function placeText(place: MessagePlace): string {
  return JSON.stringify(place.map(({ id, kind, mark }) => `${id}${kind.slice(0, 1)}${mark}`));
}

export function markOf(...what: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url').slice(0, 16);
}
