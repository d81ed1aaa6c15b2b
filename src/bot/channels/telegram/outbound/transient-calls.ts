// Reactions and answers to presses: worthless if late, so most are made at once or not at all, and never during a
// backoff.
import type { Courier } from '../../../delivery/index.js';
import type { Emoji, TelegramCarrier } from './carrier.js';

export interface Asides {
  /**
   * Shows that a message was seen, at once or not at all; null removes the reaction when the chat is idle. False: not
   * done.
   */
  react(at: { readonly chat: string; readonly message: number }, emoji: Emoji | null): Promise<boolean>;
  /** Answers a button press; an empty text shows nothing. A late answer is no error. */
  answerPress(id: string, text: string): Promise<boolean>;
}

/** Telegram counts these calls for no chat. */
const pressLane = 'answerCallbackQuery';
/** After this long without a chance to remove a reaction, it stays. */
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
