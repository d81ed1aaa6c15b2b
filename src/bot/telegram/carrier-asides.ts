// Calls beside the line: worth something now or not at all, and never made where the platform said to wait.
import type { Courier } from '../../dispatch/delivery/index.js';
import type { Emoji, TelegramCarrier } from './carrier.js';

export interface Asides {
  /** The sign by which people see that their message was heard; null takes it away. False: it was not shown. */
  react(at: { readonly chat: string; readonly message: number }, emoji: Emoji | null): Promise<boolean>;
  /** Ends the waiting of the one who pressed; empty: nothing is shown. One that comes too late is nobody's fault. */
  answerPress(id: string, text: string): Promise<boolean>;
}

/** The platform counts these by no chat. */
const pressLane = 'answerCallbackQuery';

export function telegramAsides(courier: Courier, carrier: TelegramCarrier): Asides {
  return {
    react: ({ chat, message }, emoji) =>
      courier.aside(chat, (lane, signal) => carrier.react({ chat: lane, message }, emoji, signal)),
    answerPress: (id, text) => courier.aside(pressLane, (_lane, signal) => carrier.answerPress(id, text, signal)),
  };
}
