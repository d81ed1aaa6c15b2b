// What a message takes on this platform: texts with their markup, and files.
import type { Parcel } from '../../../delivery/index.js';
import { markOf, type Step } from '../../../delivery/message-steps.js';
import type { Document as Attached } from '../../../render/whole.js';
import { pressOf } from '../../../views/button-press.js';
import { type Part, renderView } from '../render/index.js';

export interface Words {
  readonly kind: 'text';
  readonly mark: string;
  readonly part: Part;
}

export interface Document {
  readonly kind: 'file';
  readonly mark: string;
  readonly document: Attached;
}

export type Piece = Words | Document;
export type TelegramStep = Step<Words, Document>;

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
