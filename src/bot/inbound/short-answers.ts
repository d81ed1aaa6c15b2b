import { spellCommands } from '../../base/index.js';
import type { KnockAnswer } from '../../config/index.js';

export const tooFast = 'Too fast: I read 20 messages a minute. Write again in a minute; "stop" always works.';
export const pressedTooFast = 'Too fast: nothing was done. Press again in a minute.';

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
