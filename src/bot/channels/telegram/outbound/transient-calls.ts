// Reactions and answers to presses: made at once or not at all, because they are worthless if late.
import type { Courier } from '../../../delivery/index.js';
import type { Emoji, TelegramCarrier } from './carrier.js';

export interface Asides {
  /** The "seen" reaction; null removes it when the chat is idle. False: not done. */
  react(at: { readonly chat: string; readonly message: number }, emoji: Emoji | null): Promise<boolean>;
  /** An empty text shows nothing. A late answer is no error. */
  answerPress(id: string, text: string): Promise<boolean>;
}

/** Telegram counts these calls for no chat. */
const pressLane = 'answerCallbackQuery';
/** A reaction that could not be removed for this long stays. */
const signWaitMs = 60_000;

export function telegramAsides(courier: Courier, carrier: TelegramCarrier): Asides {
  return {
    async react({ chat, message }, emoji) {
      const call = (lane: string, signal: AbortSignal) => carrier.react({ chat: lane, message }, emoji, signal);
      if (emoji !== null) return courier.aside(chat, call);
      const { kind } = await courier.errand(chat, call, signWaitMs, true);
      return kind === 'unchanged';
    },
    answerPress: (id, text) =>
      courier.aside(pressLane, (_lane, signal) => carrier.answerPress(id, text, signal), false),
  };
}
