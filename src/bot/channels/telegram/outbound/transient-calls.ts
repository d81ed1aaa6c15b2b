// Calls beside the messages: signs and answers of presses, worth something now or not at all, and never made where the
// platform said to wait.
import type { Courier } from '../../../delivery/index.js';
import type { Emoji, TelegramCarrier } from './carrier.js';

export interface Asides {
  /**
   * The sign by which people see that their message was heard, shown at once or not at all; null takes it away when the
   * chat is at rest. False: nothing was done.
   */
  react(at: { readonly chat: string; readonly message: number }, emoji: Emoji | null): Promise<boolean>;
  /** Ends the waiting of the one who pressed; empty: nothing is shown. One that comes too late is nobody's fault. */
  answerPress(id: string, text: string): Promise<boolean>;
}

/** The platform counts these by no chat. */
const pressLane = 'answerCallbackQuery';
/** A sign that could not be taken away for so long stays. */
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
