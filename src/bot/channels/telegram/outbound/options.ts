// What goes with a part when it is sent or edited.
import type { Keyboard } from '../render/keyboard.js';
import type { Part } from '../render/render.js';

export interface EditOptions {
  readonly link_preview_options: { readonly is_disabled: true };
  readonly reply_markup: { readonly inline_keyboard: Keyboard };
  readonly parse_mode?: 'HTML';
}

export interface SendOptions extends Omit<EditOptions, 'reply_markup'> {
  readonly disable_notification: boolean;
  readonly reply_markup?:
    | { readonly inline_keyboard: Keyboard }
    /** In a group only the one who is replied to is asked. */
    | { readonly force_reply: true; readonly selective: true };
}

/** An edit without a keyboard takes the one away that is there. */
export function editOptions({ keyboard }: Part, as: 'html' | 'plain'): EditOptions {
  return {
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: keyboard },
    ...(as === 'html' ? { parse_mode: 'HTML' } : {}),
  };
}

/** `asksForWords`: the phone opens a reply to it at once; such a message has no buttons. */
export function sendOptions(part: Part, as: 'html' | 'plain', asksForWords = false): SendOptions {
  const { reply_markup, ...rest } = editOptions(part, as);
  const common = { ...rest, disable_notification: part.isSilent };
  if (part.keyboard.length > 0) return { ...common, reply_markup };
  return asksForWords ? { ...common, reply_markup: { force_reply: true, selective: true } } : common;
}
