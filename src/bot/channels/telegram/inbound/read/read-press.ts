// A toast at once, then an inbox row.

import { isStoppingPress } from '../../../../commands/message-buttons.js';
import { outcomeOfPress, type PressOutcome, pressPattern } from '../../../../commands/press-outcome.js';
import { pressedTooFast, strangerText } from '../../../../inbound/index.js';
import { relativeTimes, span } from '../../../../views/view.js';
import {
  newsIn,
  type OfMember,
  saidBy,
  saidNothing,
  silence,
  type TelegramReadResult,
  type UpdateReader,
  whoIs,
} from './read-result.js';
import { inboxSource, pressKey, threadOf, updateKey } from './update-keys.js';
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
      said: saidNothing({ ...mine, by }, thread, keysOfRefused(id, 'fast')),
    };
  // The toast precedes the decision, so it promises nothing.
  const outcome = outcomeOfPress(mine, data, { config, grammar, by, thread });
  const shown = shownOf(outcome, read.now()).slice(0, maxToastChars);
  const member = { ...mine, by };
  if (outcome.kind !== 'open') return refusedPress(id, shown, { read: member, thread });
  const body = { type: 'press', press: data, text: null, asksFirst: true } as const;
  return { ...toast(shown), said: { ...saidBy(member, thread, [pressKey(id)]), body } };
}

/** If the press is too old for a toast, a message gives the reason. */
function refusedPress(
  id: string,
  why: string,
  { read, thread }: { readonly read: OfMember; readonly thread: string },
): TelegramReadResult {
  const instead = { ...newsIn(read, thread, why), externalId: `${updateKey(read.me, read.update)}:late` };
  const said = saidNothing(read, thread, keysOfRefused(id, 'refused'));
  return { ...silence, toast: { press: id, text: why, instead }, said };
}

function shownOf(outcome: PressOutcome, now: number): string {
  if (outcome.kind !== 'open') return relativeTimes(outcome.why, now);
  const { label, snoozesForMs } = outcome;
  return snoozesForMs === undefined
    ? `${label}…`
    : `Snoozed for you for ${span(snoozesForMs)}. Others can still answer.`;
}

/** The first toast may not have arrived. */
export function readKnownPress(press: TelegramPress, read: UpdateReader): TelegramReadResult {
  const { inbox } = read;
  const wasAnswered = (why: RefusedFor) => keysOfRefused(press.id, why).every((key) => inbox.isKnown(inboxSource, key));
  const who = whoIs(press.from.id, read);
  if (who !== null && wasAnswered('fast')) return { ...silence, toast: { press: press.id, text: pressedTooFast } };
  if (!wasAnswered('refused')) return silence;
  const { toast } = readPress(press, { ...read, inbox: { isKnown: () => false } });
  return { ...silence, toast: toast && { press: toast.press, text: toast.text } };
}

type RefusedFor = 'fast' | 'refused';

function keysOfRefused(id: string, why: RefusedFor): readonly string[] {
  return [pressKey(id), `${pressKey(id)}:${why}`];
}

const maxToastChars = 190;
