// Bolt's app, with Bosun at its door: what comes is on disk before it is acknowledged, and is acknowledged before
// anything is done. Bolt by itself acknowledges events before anybody has seen them.
import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { silent, whyOf } from '../../client.js';

/** `busy`: it is to come again. */
export type Acknowledged =
  | { readonly kind: 'taken'; readonly answer: Readonly<Record<string, unknown>> | null }
  | { readonly kind: 'busy' };

/** Throws where it cannot be written down. */
export type TakePayload = (body: unknown) => Promise<Acknowledged>;

export interface DoorwayParts {
  readonly receiver: Receiver;
  readonly take: TakePayload;
  readonly log: (message: string) => void;
}

export class BoltApp extends App {
  readonly #take: TakePayload;
  readonly #log: (message: string) => void;

  constructor({ receiver, take, log }: DoorwayParts) {
    // Who may speak is asked at the door itself, so that no token is needed behind it.
    super({ receiver, authorize: () => Promise.resolve({}), logger: silent, ignoreSelf: false, convoStore: false });
    this.#take = take;
    this.#log = log;
  }

  /** Whatever is not acknowledged comes again. */
  override async processEvent({ body, ack }: ReceiverEvent): Promise<void> {
    try {
      const taken = await this.#take(body);
      if (taken.kind === 'taken') await ack(taken.answer ?? undefined);
    } catch (error) {
      this.#log(`slack: something was not acknowledged and will come again: ${whyOf(error)}`);
    }
  }
}
