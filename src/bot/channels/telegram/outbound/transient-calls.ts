import type { Courier } from '../../../delivery/index.js';
import type { Emoji, TelegramCarrier } from './carrier.js';

export interface Asides {
  /** Null removes it. False: not done. */
  react(at: { readonly chat: string; readonly message: number }, emoji: Emoji | null): Promise<boolean>;
  /** '' shows nothing. Late is no error. */
  answerPress(id: string, text: string): Promise<boolean>;
}

/** These calls count for no chat. */
const pressLane = 'answerCallbackQuery';
/** After this the reaction stays. */
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
