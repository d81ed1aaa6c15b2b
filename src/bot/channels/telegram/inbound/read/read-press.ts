// A toast at once, then an inbox row.

import { snoozedText } from '../../../../commands/attention/snooze.js';
import { isStoppingPress } from '../../../../commands/message-buttons.js';
import { outcomeOfPress, type PressOutcome, pressPattern } from '../../../../commands/press-outcome.js';
import { pressedTooFast, strangerText } from '../../../../inbound/index.js';
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
  if (who === null) return toast(strangerText);
  if (message === undefined) return toast('That message is too old. Write to me instead.');
  if (data === undefined || !pressPattern.test(data)) return toast('I no longer understand that button.');
  const { by, read: mine } = who;
  const { config, grammar } = mine;
  const thread = threadOf(message);
  // A press has no timestamp of its own.
  const isTooFast = read.rate.note(by, read.now()) !== 'fine' && !isStoppingPress(data, mine);
  if (isTooFast)
    return {
      ...toast(pressedTooFast),
      said: saidNothing({ ...mine, by }, thread, keysOfRefused(id)),
    };
  const said = {
    ...saidBy({ ...mine, by }, thread, [pressKey(id)]),
    body: { type: 'press', press: data, text: null },
  } as const;
  // Before the decision, so it promises nothing.
  const outcome = outcomeOfPress(mine, data, { config, grammar, by, thread });
  return { ...toast(shownOf(outcome, read.now()).slice(0, maxToastChars)), said };
}

function shownOf(outcome: PressOutcome, now: number): string {
  if (outcome.kind !== 'open') return outcome.why;
  const { label, snoozesForMs } = outcome;
  return snoozesForMs === undefined ? `${label}…` : snoozedText(now + snoozesForMs, now, true);
}

/** The first toast may not have arrived. */
export function readKnownPress({ id }: TelegramPress, { inbox }: TelegramReadContext): TelegramReadResult {
  const wasRefused = keysOfRefused(id).every((key) => inbox.isKnown(inboxSource, key));
  return wasRefused ? { ...silence, toast: { press: id, text: pressedTooFast } } : silence;
}

function keysOfRefused(id: string): readonly string[] {
  return [pressKey(id), `${pressKey(id)}:fast`];
}

const maxToastChars = 190;
