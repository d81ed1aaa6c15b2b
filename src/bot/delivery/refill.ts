// Moves undelivered messages from disk into the bounded lanes.
import type { OpenDelivery } from '../../store/index.js';
import type { CourierParts } from './carrier.js';
import type { Overtaken } from './chat-lane.js';
import { type OutgoingMessage, outgoingMessageOf, urgency } from './outgoing-message.js';
import type { ChatRoute } from './route.js';
import type { ChatRoutes } from './routes.js';

export interface RefillParts extends Pick<CourierParts, 'rows' | 'carrier' | 'maxWaiting' | 'onError'> {
  readonly routes: ChatRoutes;
  readonly active: Set<ChatRoute>;
}

const pageSize = 200;

export class Refill {
  readonly #parts: RefillParts;

  constructor(parts: RefillParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#eachOpen((delivery) => {
      this.put(delivery);
      return true;
    });
  }

  put({ message, thread, wasUnderWay }: OpenDelivery): void {
    const { routes, active } = this.#parts;
    const route = routes.of(thread);
    const parcel = { ...outgoingMessageOf(message, thread, route.name), isRepeat: wasUnderWay };
    if (!this.#hasRoom(route, parcel)) return;
    this.overtake(route.lane.put(parcel));
    active.add(route);
  }

  /** Waits until the lane is half empty. */
  refill(route: ChatRoute): void {
    if (!route.isShort || route.isCalling || route.lane.size > this.#parts.maxWaiting / 2) return;
    route.isShort = false;
    this.guarded(route, () =>
      this.#eachOpen((delivery) => {
        if (this.#parts.routes.of(delivery.thread) === route) this.put(delivery);
        // Later rows wait too, to keep the order.
        return !route.isShort;
      }),
    );
  }

  /** On failure the route is unchanged and read again. */
  guarded(route: ChatRoute, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#parts.onError(error);
      route.isShort = true;
      this.#parts.active.add(route);
    }
  }

  /** The newer row inherits the doubt about an earlier call before the older one closes. */
  overtake(overtaken: Overtaken | null): void {
    if (overtaken === null) return;
    const { parcel, by } = overtaken;
    const { rows } = this.#parts;
    if (by.isRepeat) rows.begin(by.n, by.message, null);
    rows.end(parcel.n, 'superseded', null);
  }

  /** Drops progress for room; others wait on disk. */
  #hasRoom(route: ChatRoute, parcel: OutgoingMessage): boolean {
    const { rows } = this.#parts;
    if (route.lane.has(parcel.message)) return true;
    if (!route.isShort && route.lane.size < this.#parts.maxWaiting) return true;
    if (parcel.urgency === urgency.progress && !parcel.isRepeat) {
      rows.end(parcel.n, 'superseded', null);
      return false;
    }
    const shed = route.isShort ? null : route.lane.shed();
    if (shed !== null) rows.end(shed.n, 'superseded', null);
    else route.isShort = true;
    return shed !== null;
  }

  #eachOpen(act: (delivery: OpenDelivery) => boolean): void {
    const { rows, carrier } = this.#parts;
    let after = 0;
    for (;;) {
      const page = rows.open(carrier.channel, after, pageSize);
      if (!page.every(act)) return;
      const last = page.at(-1);
      if (last === undefined) return;
      after = Number(last.message.id.slice(1));
    }
  }
}
