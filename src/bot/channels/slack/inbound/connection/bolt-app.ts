// Stores each payload before it is acknowledged; Bolt alone would acknowledge first.
import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { silent, whyOf } from '../../client.js';

/** `busy`: Slack must send again. */
export type Acknowledged =
  | { readonly kind: 'taken'; readonly answer: Readonly<Record<string, unknown>> | null }
  | { readonly kind: 'busy' };

export type TakePayload = (body: unknown) => Promise<Acknowledged>;

export interface BoltAppParts {
  readonly receiver: Receiver;
  readonly take: TakePayload;
  readonly log: (message: string) => void;
}

export class BoltApp extends App {
  readonly #take: TakePayload;
  readonly #log: (message: string) => void;

  constructor({ receiver, take, log }: BoltAppParts) {
    // Authorized by then, so Bolt needs no token.
    super({ receiver, authorize: () => Promise.resolve({}), logger: silent, ignoreSelf: false, convoStore: false });
    this.#take = take;
    this.#log = log;
  }

  /** Not acknowledged, so Slack sends it again. */
  override async processEvent({ body, ack }: ReceiverEvent): Promise<void> {
    try {
      const taken = await this.#take(body);
      if (taken.kind === 'taken') await ack(taken.answer ?? undefined);
    } catch (error) {
      this.#log(`slack: something was not acknowledged and will come again: ${whyOf(error)}`);
    }
  }
}
