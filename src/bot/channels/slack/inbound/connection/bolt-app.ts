// A Bolt app that stores each payload before acknowledging it. Bolt itself acknowledges events before they are
// processed.
import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { silent, whyOf } from '../../client.js';

/** `busy`: Slack must send it again. */
export type Acknowledged =
  | { readonly kind: 'taken'; readonly answer: Readonly<Record<string, unknown>> | null }
  | { readonly kind: 'busy' };

/** Throws if the payload cannot be stored. */
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
    // Reading the payload authorizes it, so Bolt needs no token.
    super({ receiver, authorize: () => Promise.resolve({}), logger: silent, ignoreSelf: false, convoStore: false });
    this.#take = take;
    this.#log = log;
  }

  /** Slack sends again what is not acknowledged. */
  override async processEvent({ body, ack }: ReceiverEvent): Promise<void> {
    try {
      const taken = await this.#take(body);
      if (taken.kind === 'taken') await ack(taken.answer ?? undefined);
    } catch (error) {
      this.#log(`slack: something was not acknowledged and will come again: ${whyOf(error)}`);
    }
  }
}
