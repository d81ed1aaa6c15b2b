// What every method is given.
import type { Clock } from '../../fixture/clock.js';
import { numberOf, type Params } from './params.js';
import type { Updates } from './updates.js';
import type { Webhook } from './webhook.js';
import type { Chat, World } from './world.js';

/** A button that was pressed and waits for its answer. */
export interface Press {
  readonly id: string;
  readonly at: number;
  /** What the person was shown; null: nothing yet. */
  answer: { readonly text: string; readonly isAlert: boolean } | null;
}

export interface Command {
  readonly command: string;
  readonly description: string;
}

export interface Api {
  readonly world: World;
  readonly updates: Updates;
  readonly clock: Clock;
  readonly webhook: Webhook;
  readonly presses: Map<string, Press>;
  /** By scope and language, as `default`, `chat:5` or `all_private_chats/de`. */
  readonly commands: Map<string, readonly Command[]>;
}

export interface Request {
  readonly api: Api;
  readonly params: Params;
  /** The one who asked has hung up. */
  readonly signal: AbortSignal;
}

export type Method = (request: Request) => unknown;
export type Methods = Readonly<Record<string, Method>>;

export function chatOf({ api, params }: Request): Chat {
  return api.world.chat(numberOf(params, 'chat_id'));
}

export function writableChatOf({ api, params }: Request): Chat {
  return api.world.writable(numberOf(params, 'chat_id'));
}
