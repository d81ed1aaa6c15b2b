import type { PictureRef } from '../../../../store/index.js';
import type { OutgoingMessage } from '../../../delivery/index.js';
import { type DeliveryStep, markOf } from '../../../delivery/message-steps.js';
import type { AttachedDocument as Attached } from '../../../render/whole.js';
import { pressOf } from '../../../views/view.js';
import { type Part, renderView } from '../render/index.js';

export interface TelegramText {
  readonly kind: 'text';
  readonly mark: string;
  readonly part: Part;
}

export interface TelegramDocument {
  readonly kind: 'file';
  readonly mark: string;
  readonly document: Attached;
}

export interface TelegramPicture {
  readonly kind: 'file';
  readonly mark: string;
  readonly picture: PictureRef;
}

export type TelegramFile = TelegramDocument | TelegramPicture;
export type TelegramPiece = TelegramText | TelegramFile;
export type TelegramStep = DeliveryStep<TelegramText, TelegramFile>;

/** None for an answered prompt: it is deleted. */
export function piecesOf({ n, view }: OutgoingMessage): readonly TelegramPiece[] {
  if (view.isSpent === true) return [];
  const { parts, documents } = renderView(view, ({ press }) => pressOf(`m${n}`, press));
  return [
    ...parts.map((part) => ({ kind: 'text' as const, mark: markOf(part.html, part.keyboard), part })),
    ...documents.map((document) => ({
      kind: 'file' as const,
      mark: markOf(document.name, document.bytes.toString('base64')),
      document,
    })),
    ...(view.pictures ?? []).map((picture) => ({ kind: 'file' as const, mark: markOf(picture.file), picture })),
  ];
}
