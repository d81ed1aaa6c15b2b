import type { PictureRef } from '../../../../store/index.js';
import type { OutgoingMessage } from '../../../delivery/index.js';
import {
  duringStep,
  type MessagePlace,
  markOf,
  nextStep,
  readPlace,
  type ShownPart,
} from '../../../delivery/message-steps.js';
import { pressOf } from '../../../views/view.js';
import { type RenderedSlackFile, type RenderedSlackMessage, renderView } from '../render/index.js';

export interface SlackText {
  readonly kind: 'text';
  readonly mark: string;
  readonly part: RenderedSlackMessage;
}

export interface SlackDocument {
  readonly kind: 'file';
  readonly mark: string;
  readonly part: RenderedSlackFile;
}

export interface SlackPicture {
  readonly kind: 'file';
  readonly mark: string;
  readonly picture: PictureRef;
}

export type SlackFile = SlackDocument | SlackPicture;
export type SlackPiece = SlackText | SlackFile;

export type SlackStep =
  | { readonly type: 'say'; readonly piece: SlackText }
  | { readonly type: 'upload'; readonly piece: SlackFile }
  | { readonly type: 'share'; readonly piece: SlackFile; readonly upload: ShownPart }
  | { readonly type: 'edit'; readonly piece: SlackText; readonly at: ShownPart }
  | { readonly type: 'delete'; readonly at: ShownPart };

export function piecesOf({ n, view }: OutgoingMessage): readonly SlackPiece[] {
  const parts = renderView(view, ({ press }) => pressOf(`m${n}`, press)).map(
    (part): SlackPiece =>
      part.kind === 'message'
        ? { kind: 'text', mark: markOf(part.text, part.plain, part.blocks), part }
        : { kind: 'file', mark: markOf(part.name, part.bytes.toString('base64')), part },
  );
  const pictures = (view.pictures ?? []).map((picture) => ({
    kind: 'file' as const,
    mark: markOf(picture.file),
    picture,
  }));
  return [...parts, ...pictures];
}

export function shownOf(text: string | null): { readonly place: MessagePlace; readonly upload: ShownPart | null } {
  const all = readPlace(text);
  const upload = all.findLast(({ kind }) => kind === 'upload') ?? null;
  return { place: all.filter(({ kind }) => kind !== 'upload'), upload };
}

export function nextSlackStep(
  pieces: readonly SlackPiece[],
  place: MessagePlace,
  upload: ShownPart | null,
): SlackStep | null {
  const step = nextStep<SlackText, SlackFile>(pieces, place);
  if (step?.type !== 'send') return step;
  const { piece } = step;
  if (piece.kind === 'text') return { type: 'say', piece };
  return upload?.mark === piece.mark ? { type: 'share', piece, upload } : { type: 'upload', piece };
}

/** Stored before the step, so that a crash leaves no stale edit target. */
export function duringSlackStep(place: MessagePlace, upload: ShownPart | null, step: SlackStep): MessagePlace {
  const during = step.type === 'edit' ? duringStep(place, step) : place;
  return upload === null ? during : [...during, upload];
}
