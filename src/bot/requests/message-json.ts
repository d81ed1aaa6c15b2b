import type { Message } from '../../store/index.js';
import { buttonsOf, menuOf } from '../views/view.js';

export interface MessageJson {
  readonly message: string;
  readonly thread: string;
  readonly edits: string | null;
  readonly kind: string;
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly press: string }[];
  readonly menu?: MessageJson['buttons'];
  readonly file?: { readonly name: string; readonly text: string };
}

export function messageJson(message: Message): MessageJson {
  const { id, thread, edits, view } = message;
  return {
    message: id,
    thread,
    edits,
    kind: view.kind,
    text: view.text,
    buttons: buttonsOf(message),
    ...(view.menu === undefined ? {} : { menu: menuOf(message) }),
    ...(view.file === null ? {} : { file: view.file }),
  };
}
