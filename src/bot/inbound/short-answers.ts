import { spellCommands } from '../../base/index.js';
import type { KnockAnswer } from '../../config/index.js';
import { clock } from '../views/view.js';

/** `until`: when Bosun reads this person again. */
export function tooFast(until: number): string {
  return `Too fast: I read 20 messages a minute. I'll read yours again at ${nextMinute(until)}; "stop" always works.`;
}

export function pressedTooFast(until: number): string {
  return `Too fast: nothing was done. Press again at ${nextMinute(until)}.`;
}

function nextMinute(at: number): string {
  return clock(Math.ceil(at / 60_000) * 60_000);
}

export const editedText = "I don't act on edited messages. Send it again as a new one.";
export const strangerText = "I don't know you yet.";

export function cannotFollow(media: string): string {
  return `I can't follow ${media}. Please write.`;
}

export function codeText({ code, isLast, isInvited }: KnockAnswer): string {
  if (isInvited) {
    return spellCommands(
      `Code accepted. One step left: on the computer that runs Bosun, confirm that this account is yours, or run\nbosun pair ${code}\nUntil then I do nothing here.`,
    );
  }
  return [
    spellCommands(`Hi. I only work with people whom the owner let in. Ask the owner to run:\nbosun pair ${code}`),
    'on the computer that runs Bosun, within an hour.',
    ...(isLast ? ["Until then I won't answer."] : []),
  ].join('\n');
}
