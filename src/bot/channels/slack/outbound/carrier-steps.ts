// What a message takes on this platform: a text of blocks and files, where a file is handed over before it is shown.
import type { Parcel } from '../../../delivery/index.js';
import { duringStep, markOf, nextStep, type Place, readPlace, type Shown } from '../../../delivery/message-steps.js';
import { pressOf } from '../../../views/button-press.js';
import { renderView, type SlackFile, type SlackMessage } from '../render/index.js';

export interface Words {
  readonly kind: 'text';
  readonly mark: string;
  readonly part: SlackMessage;
}

export interface Document {
  readonly kind: 'file';
  readonly mark: string;
  readonly part: SlackFile;
}

export type Piece = Words | Document;

/**
 * A file takes two steps. What the first one brings is seen by nobody, and its id is on disk before the second: that one
 * shows just this file, so that it can be looked up whether it did.
 */
export type SlackStep =
  | { readonly type: 'say'; readonly piece: Words }
  | { readonly type: 'upload'; readonly piece: Document }
  | { readonly type: 'share'; readonly piece: Document; readonly upload: Shown }
  | { readonly type: 'edit'; readonly piece: Words; readonly at: Shown }
  | { readonly type: 'delete'; readonly at: Shown };

export function piecesOf({ n, view }: Parcel): readonly Piece[] {
  return renderView(view, ({ press }) => pressOf(`m${n}`, press)).map((part) =>
    part.kind === 'message'
      ? { kind: 'text', mark: markOf(part.text, part.plain, part.blocks), part }
      : { kind: 'file', mark: markOf(part.name, part.bytes.toString('base64')), part },
  );
}

/** What people see, and what is with the platform without being seen. */
export function shownOf(text: string | null): { readonly place: Place; readonly upload: Shown | null } {
  const all = readPlace(text);
  const upload = all.findLast(({ kind }) => kind === 'upload') ?? null;
  return { place: all.filter(({ kind }) => kind !== 'upload'), upload };
}

export function nextSlackStep(pieces: readonly Piece[], place: Place, upload: Shown | null): SlackStep | null {
  const step = nextStep<Words, Document>(pieces, place);
  if (step?.type !== 'send') return step;
  const { piece } = step;
  if (piece.kind === 'text') return { type: 'say', piece };
  return upload?.mark === piece.mark ? { type: 'share', piece, upload } : { type: 'upload', piece };
}

/** What can be relied upon while the step is under way; the upload is kept, so that it can be looked up. */
export function duringSlackStep(place: Place, upload: Shown | null, step: SlackStep): Place {
  const during = step.type === 'edit' ? duringStep(place, step) : place;
  return upload === null ? during : [...during, upload];
}
