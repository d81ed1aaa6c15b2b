// Splits a message into Telegram's pieces: texts with markup, and files.
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

export type TelegramPiece = TelegramText | TelegramDocument;
export type TelegramStep = DeliveryStep<TelegramText, TelegramDocument>;

export function piecesOf({ n, view }: OutgoingMessage): readonly TelegramPiece[] {
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
