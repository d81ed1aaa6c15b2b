// Carries what is committed to one platform: one call at a time in each lane, at the pace that the platform allows, most
// urgent first. What is under way is written down before each call, so that a crash leaves no doubt but one: whether
// a call that was never answered had arrived. Such a message goes again and says so.
import type { OpenDelivery, Thread } from '../store/index.js';
import { backOffMs } from './back-off.js';
import type { CourierParts } from './carrier.js';
import type { Overtaken } from './lane.js';
import { lookOf, type Parcel, type Posted, parcelOf, urgency } from './parcel.js';
import type { Route } from './route.js';
import { Routes } from './routes.js';
import { Settling } from './settling.js';
import { limited } from './time-limit.js';

const closeLimitMs = 2_000;
const defaultMaxWaiting = 500;
const pageSize = 200;
/** When what is on disk could not be read, it is tried again. */
const rereadMs = 5_000;

export class Courier {
  readonly #parts: CourierParts;
  readonly #routes: Routes;
  readonly #active = new Set<Route>();
  readonly #calls = new Map<Promise<void>, AbortController>();
  readonly #settling: Settling;
  #wake: (() => void) | null = null;
  #isClosed = false;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#routes = new Routes(parts);
    this.#settling = new Settling({
      ...parts,
      putBack: (route, parcel) => this.#overtake(route.lane.putBack(parcel)),
      refuse: (route, ms) => this.#routes.refuse(route, ms),
      move: (from, to) => this.move(from, to),
    });
  }

  /** Takes up what an earlier process left. */
  start(): void {
    this.#eachOpen((delivery) => this.#put(delivery));
    this.#pump();
  }

  /** Messages of this channel's threads, just committed; one that was carried before is left alone. */
  take(messages: readonly Omit<OpenDelivery, 'wasUnderWay'>[]): void {
    for (const { message, thread } of messages) {
      if (thread.channel !== this.#parts.carrier.channel) continue;
      this.#guarded(this.#routes.of(thread), () => {
        if (this.#parts.rows.isOpen(Number(message.id.slice(1)))) this.#put({ message, thread, wasUnderWay: false });
      });
    }
    this.#pump();
  }

  /** That something is being worked on; dropped where anything else is due. */
  typing(thread: Thread): void {
    const route = this.#routes.of(thread);
    if (route.isDead(thread.id, this.#parts.clock.now())) return;
    route.typing = thread;
    this.#active.add(route);
    this.#pump();
  }

  /**
   * A call beside the line that is worth nothing later, such as a sign that a message was seen: made at once, or not at
   * all where the platform said to wait. `lane`: a chat, or whatever else the platform counts it for.
   */
  async aside(lane: string, call: (lane: string, signal: AbortSignal) => Promise<Posted>): Promise<boolean> {
    const route = this.#routes.named(lane);
    const now = this.#parts.clock.now();
    if (this.#isClosed || Math.max(route.pace.blockedUntil, this.#routes.all.blockedUntil) > now) return false;
    const posted = await this.#limited((signal) => call(route.name, signal), new AbortController());
    if (posted.kind === 'wait') this.#guarded(route, () => this.#routes.refuse(route, posted.ms));
    return posted.kind === 'posted' || posted.kind === 'unchanged';
  }

  /** A chat got another id: what waits for it goes there. False where that leads nowhere. */
  move(from: string, to: string): boolean {
    const after = this.#routes.move(from, to);
    if (after === null) return false;
    this.#active.add(after);
    this.#pump();
    return true;
  }

  /** The platform was heard of otherwise: what is lost now is lost alone, and a chat that was dead may live. */
  alive(lane: string | null): void {
    this.#settling.heardAt = this.#parts.clock.now();
    if (lane !== null) this.#routes.named(lane).revive();
  }

  /** Lets calls that are under way end for a while, and makes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#settling.isClosed = true;
    this.#wake?.();
    const calls = Promise.all(this.#calls.keys());
    const stop = this.#parts.clock.after(closeLimitMs, () => {
      for (const controller of this.#calls.values()) controller.abort();
    });
    await calls;
    stop();
  }

  /** What waits in memory, by lane. */
  get waiting(): ReadonlyMap<string, number> {
    return this.#routes.sizes();
  }

  #eachOpen(act: (delivery: OpenDelivery) => void): void {
    const { rows, carrier } = this.#parts;
    let after = 0;
    for (;;) {
      const page = rows.open(carrier.channel, after, pageSize);
      page.forEach(act);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      after = Number(last.message.id.slice(1));
    }
  }

  #put({ message, thread, wasUnderWay }: OpenDelivery): void {
    const route = this.#routes.of(thread);
    const parcel = { ...parcelOf(message, thread, route.name), isRepeat: wasUnderWay };
    if (!this.#hasRoom(route, parcel)) return;
    this.#overtake(route.lane.put(parcel));
    this.#active.add(route);
  }

  /** What merely tells gives way; the rest waits where it is written down. */
  #hasRoom(route: Route, parcel: Parcel): boolean {
    const { rows, maxWaiting = defaultMaxWaiting } = this.#parts;
    if (route.lane.has(parcel.message)) return true;
    if (!route.isShort && route.lane.size < maxWaiting) return true;
    if (parcel.urgency === urgency.progress && !parcel.isRepeat) {
      rows.end(parcel.n, 'superseded', null);
      return false;
    }
    const shed = route.isShort ? null : route.lane.shed();
    if (shed !== null) rows.end(shed.n, 'superseded', null);
    else route.isShort = true;
    return shed !== null;
  }

  /** Room again: what waits on disk follows. */
  #refill(route: Route): void {
    const { maxWaiting = defaultMaxWaiting } = this.#parts;
    if (!route.isShort || route.isCalling || route.lane.size > maxWaiting / 2) return;
    route.isShort = false;
    this.#guarded(route, () =>
      this.#eachOpen((delivery) => {
        if (this.#routes.of(delivery.thread) === route) this.#put(delivery);
      }),
    );
  }

  /** What fails here leaves the rows as they were: they are read again. */
  #guarded(route: Route, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#parts.onError(error);
      route.isShort = true;
      this.#active.add(route);
    }
  }

  /** Makes every call that may be made now, and comes back when the next one may. */
  #pump(): void {
    this.#wake?.();
    this.#wake = null;
    if (this.#isClosed) return;
    const { clock } = this.#parts;
    for (const route of this.#active) this.#refill(route);
    // Each turn takes something out of a lane, or holds it.
    for (let route = this.#next(clock.now()); route !== null; route = this.#next(clock.now())) this.#go(route);
    const now = clock.now();
    const allAt = this.#routes.all.nextAt(now);
    let at = Number.POSITIVE_INFINITY;
    for (const route of this.#active) {
      if (route.hasWork) at = Math.min(at, route.dueAt(now, allAt));
      else if (route.isShort && !route.isCalling) at = Math.min(at, now + rereadMs);
      if (route.isIdle && !route.isShort) this.#active.delete(route);
    }
    if (at === Number.POSITIVE_INFINITY) return;
    this.#wake = clock.after(at - now, () => {
      this.#wake = null;
      this.#pump();
    });
  }

  /** Of those that may be called: the most urgent, and then the one that was not called for longest. */
  #next(now: number): Route | null {
    const allAt = this.#routes.all.nextAt(now);
    let best: Route | null = null;
    for (const route of this.#active) {
      if (!route.hasWork || route.dueAt(now, allAt) > now || !route.hasWork) continue;
      const isFirst =
        best === null ||
        route.urgency < best.urgency ||
        (route.urgency === best.urgency && route.lastCallAt < best.lastCallAt);
      if (isFirst) best = route;
    }
    return best;
  }

  #go(route: Route): void {
    const { clock } = this.#parts;
    const parcel = this.#due(route);
    const { typing } = route;
    route.typing = null;
    if (parcel === null && typing === null) return;
    const controller = new AbortController();
    route.isCalling = true;
    route.lastCallAt = clock.now();
    route.pace.note(route.lastCallAt);
    this.#routes.all.note(route.lastCallAt);
    const call = this.#call(route, parcel ?? typing, controller)
      .catch(this.#parts.onError)
      .finally(() => {
        this.#calls.delete(call);
        route.isCalling = false;
        this.#pump();
      });
    this.#calls.set(call, controller);
  }

  async #call(route: Route, what: Parcel | Thread | null, controller: AbortController): Promise<void> {
    const { carrier, clock } = this.#parts;
    const made = async (call: (signal: AbortSignal) => Promise<Posted>) => {
      const posted = await this.#limited(call, controller);
      // The platform counted it at some time until now.
      route.pace.noteEnd(clock.now());
      return posted;
    };
    if (what === null) return;
    if ('view' in what) {
      await this.#settling.post(route, what, () => made((signal) => carrier.post(what, signal)));
      return;
    }
    const posted = await made((signal) => carrier.typing(what, route.name, signal));
    if (posted.kind === 'wait') this.#routes.refuse(route, posted.ms);
    if (posted.kind === 'moved') this.move(route.name, posted.to);
  }

  /** The next parcel that needs a call; those that need none are done. */
  #due(route: Route): Parcel | null {
    for (let taken = route.lane.take(); taken !== null; taken = route.lane.take()) {
      try {
        const parcel = this.#placed(route, taken);
        if (parcel !== null) return parcel;
        route.lane.done(taken);
      } catch (error) {
        this.#parts.onError(error);
        route.lost += 1;
        route.pace.hold(this.#parts.clock.now() + backOffMs(route.lost, this.#parts.random));
        route.lane.put(taken);
        return null;
      }
    }
    return null;
  }

  /** null: newer words are shown, or the same, or nobody is there for what merely tells. */
  #placed(route: Route, taken: Parcel): Parcel | null {
    const { rows, clock } = this.#parts;
    const post = rows.post(taken.message);
    const isThere = post !== null && post.lane === route.name;
    const isShown = isThere && post.shown === lookOf(taken.view);
    const isOld = isThere && post.n > taken.n;
    const isVain = taken.urgency === urgency.progress && route.isDead(taken.thread.id, clock.now());
    if (!isOld && !isShown && !isVain) return { ...taken, place: isThere ? post.place : null };
    rows.end(taken.n, isShown ? 'sent' : 'superseded', null);
    return null;
  }

  #limited(call: (signal: AbortSignal) => Promise<Posted>, controller: AbortController): Promise<Posted> {
    const { clock, onError } = this.#parts;
    return limited(call, { clock, onError, controller });
  }

  /** That an earlier call may have arrived is on disk before the row that says so is closed. */
  #overtake(overtaken: Overtaken | null): void {
    if (overtaken === null) return;
    const { parcel, by } = overtaken;
    const { rows } = this.#parts;
    if (by.isRepeat) rows.begin(by.n, by.message, null);
    rows.end(parcel.n, 'superseded', null);
  }
}
