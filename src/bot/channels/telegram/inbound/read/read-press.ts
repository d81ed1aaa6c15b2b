// Reads a button press: a toast at once, then an inbox row like any other message.
import { isStoppingPress } from '../../../../commands/message-buttons.js';
import { isPress, toastOf } from './press-reply.js';
import {
  saidBy,
  saidNothing,
  silence,
  type TelegramReadContext,
  type TelegramReadResult,
  type UpdateReader,
  whoIs,
} from './read-result.js';
import { inboxSource, pressKey, threadOf } from './update-keys.js';
import type { TelegramPress } from './update-schema.js';

export function readPress(press: TelegramPress, read: UpdateReader): TelegramReadResult {
  const { id, from, message, data } = press;
  const toast = (text: string): TelegramReadResult => ({ ...silence, toast: { press: id, text } });
  if (from.is_bot) return silence;
  if (read.inbox.isKnown(inboxSource, pressKey(id))) return readKnownPress(press, read);
  const who = whoIs(from.id, read);
  if (who === null) return toast('I do not know you.');
  if (message === undefined) return toast('That message is too old: write to me instead.');
  if (!isPress(data)) return toast('That button is no longer understood.');
  const { by, read: mine } = who;
  const { config, grammar } = mine;
  const thread = threadOf(message);
  // A press has no timestamp of its own.
  const isTooFast = read.rate.note(by, read.now()) !== 'fine' && !isStoppingPress(data, mine);
  if (isTooFast) return { ...toast(pressedTooFast), said: saidNothing({ ...mine, by }, thread, keysOfRefused(id)) };
  const said = {
    ...saidBy({ ...mine, by }, thread, [pressKey(id)]),
    body: { type: 'press', press: data, text: null },
  } as const;
  return { ...toast(toastOf(mine, data, { config, grammar, by, thread })), said };
}

/** Repeats the toast of a refused press, because the first may not have arrived. */
export function readKnownPress({ id }: TelegramPress, { inbox }: TelegramReadContext): TelegramReadResult {
  const wasRefused = keysOfRefused(id).every((key) => inbox.isKnown(inboxSource, key));
  return wasRefused ? { ...silence, toast: { press: id, text: pressedTooFast } } : silence;
}

function keysOfRefused(id: string): readonly string[] {
  return [pressKey(id), `${pressKey(id)}:fast`];
}

const pressedTooFast = 'Too fast: nothing was done. Wait a minute.';
