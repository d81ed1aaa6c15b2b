// What may be used for a time, or so often: triggers of modals and addresses to answer at.
import type { Clock } from '../../fixture/clock.js';
import { refuse } from './refusal.js';
import type { Channel, Message } from './world.js';

const triggerLastsMs = 3_000;
const addressLastsMs = 30 * 60_000;
const maxUses = 5;

interface Trigger {
  readonly user: string;
  readonly at: number;
  isUsed: boolean;
}

/** Where what is sent to a response_url goes. */
export interface Place {
  readonly channel: Channel;
  readonly user: string;
  readonly threadTs: string | null;
  /** The one that was pressed; null for a command. */
  readonly message: Message | null;
}

interface Address {
  readonly place: Place;
  readonly at: number;
  uses: number;
}

export class Tickets {
  readonly #clock: Clock;
  readonly #triggers = new Map<string, Trigger>();
  readonly #addresses = new Map<string, Address>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  trigger(user: string): string {
    const id = `${1_000 + this.#triggers.size}.${Math.floor(this.#clock.now())}.trigger`;
    this.#triggers.set(id, { user, at: this.#clock.now(), isUsed: false });
    return id;
  }

  /** Whose it is; it is used up by that. */
  take(id: string): string {
    const trigger = this.#triggers.get(id);
    if (!trigger) throw refuse('invalid_trigger_id');
    if (trigger.isUsed) throw refuse('exchanged_trigger_id');
    if (this.#clock.now() - trigger.at > triggerLastsMs) throw refuse('expired_trigger_id');
    trigger.isUsed = true;
    return trigger.user;
  }

  address(place: Place): string {
    const path = `/actions/${this.#addresses.size + 1}`;
    this.#addresses.set(path, { place, at: this.#clock.now(), uses: 0 });
    return path;
  }

  /** Without using it up. */
  placeOf(path: string): Place {
    const address = this.#addresses.get(path);
    if (!address) throw refuse('expired_url');
    return address.place;
  }

  /** A refusal where it is not known, too old or used up. */
  use(path: string): Place {
    const address = this.#addresses.get(path);
    if (!address || this.#clock.now() - address.at > addressLastsMs) throw refuse('expired_url');
    if (address.uses >= maxUses) throw refuse('used_url');
    address.uses += 1;
    return address.place;
  }
}
