// One call at a time per chat, most urgent first. Calls are recorded before they start: an unanswered one repeats after
// a crash (at least once).
import type { OpenDelivery, Thread } from '../../store/index.js';
import { type Call, Calls } from './calls.js';
import type { CourierParts } from './carrier.js';
import type { OutgoingMessage, PostResult } from './outgoing-message.js';
import { Access } from './platform-access.js';
import type { QueuedCall } from './queued-calls.js';
import { backOffMs, placed, ResultRecorder } from './record-result.js';
import { Refill } from './refill.js';
import type { ChatRoute } from './route.js';
import { ChatRoutes, nextRoute, wakeAt } from './routes.js';

const errandWaitMs = 60_000;

type What = OutgoingMessage | QueuedCall | Thread | { readonly probe: Call };

export class Courier {
  readonly #parts: CourierParts;
  readonly #routes: ChatRoutes;
  readonly #active = new Set<ChatRoute>();
  readonly #filling: Refill;
  readonly #calls: Calls;
  readonly #settling: ResultRecorder;
  readonly #access: Access;
  #wake: (() => void) | null = null;
  #isClosed = false;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#calls = new Calls(parts);
    this.#routes = new ChatRoutes(parts);
    this.#filling = new Refill({ ...parts, routes: this.#routes, active: this.#active });
    this.#access = new Access(parts.random);
    this.#settling = new ResultRecorder({
      ...parts,
      access: this.#access,
      bar: (why) => this.#bar(why),
      putBack: (route, parcel) => this.#filling.overtake(route.lane.putBack(parcel)),
      refuse: (route, ms, kind) => this.#routes.refuse(route, ms, kind),
      move: (from, to) => this.move(from, to),
    });
  }

  start(): void {
    this.#filling.start();
    this.#pump();
  }

  take(messages: readonly Omit<OpenDelivery, 'wasUnderWay'>[]): void {
    for (const { message, thread } of messages) {
      if (thread.channel !== this.#parts.carrier.channel) continue;
      this.#filling.guarded(this.#routes.of(thread), () => {
        if (this.#parts.rows.isOpen(Number(message.id.slice(1))))
          this.#filling.put({ message, thread, wasUnderWay: false });
      });
    }
    this.#pump();
  }

  /** Dropped if anything else is due. */
  typing(thread: Thread): void {
    const route = this.#routes.of(thread);
    if (route.isDead(thread.id, this.#parts.clock.now())) return;
    route.typing = thread;
    this.#active.add(route);
    this.#pump();
  }

  /**
   * Now or never: skipped during a backoff or in a busy lane. `isCounted` false: only its own lane's refusals hold it.
   */
  async aside(lane: string, call: QueuedCall['call'], isCounted = true): Promise<boolean> {
    const route = this.#routes.named(lane);
    route.isOfNoChat ||= !isCounted;
    const now = this.#parts.clock.now();
    if (this.#isQuiet || Math.max(route.pace.blockedUntil, this.#routes.all.blockedUntil) > now) return false;
    if (isCounted) {
      if (!route.pace.mayAside(now) || !this.#routes.all.mayAside(now)) return false;
      route.pace.noteAside(now);
      this.#routes.all.noteAside(now);
    }
    const posted = await this.#calls.aside((signal) => call(route.name, signal));
    this.#heed(route, posted);
    if (isCounted) this.#noteContact(posted);
    return posted.kind === 'posted' || posted.kind === 'unchanged';
  }

  /**
   * Waits up to `waitMs`; repeats only if the call had no effect. `wait`: not made. `isCosmetic`: after every message.
   */
  errand(lane: string, call: QueuedCall['call'], waitMs = errandWaitMs, isCosmetic = false): Promise<PostResult> {
    if (this.#isQuiet) return Promise.resolve({ kind: 'wait', ms: waitMs });
    const route = this.#routes.named(lane);
    const ended = route.errands.add({ call, waitMs, isCosmetic, clock: this.#parts.clock });
    this.#active.add(route);
    this.#pump();
    return ended;
  }

  get problem(): string | null {
    return this.#access.problem;
  }

  /** False: the move would form a cycle. */
  move(from: string, to: string): boolean {
    const after = this.#routes.move(from, to);
    if (after === null) return false;
    this.#active.add(after);
    this.#pump();
    return true;
  }

  /** The platform lives: from now on losses count against the message, and a dead chat may live again. */
  alive(lane: string | null): void {
    this.#settling.heardAt = this.#parts.clock.now();
    if (lane !== null) this.#routes.named(lane).revive();
  }

  /** Calls in flight get a moment. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#settling.isClosed = true;
    this.#wake?.();
    this.#routes.endErrands();
    await this.#calls.close();
  }

  get waiting(): ReadonlyMap<string, number> {
    return this.#routes.sizes();
  }

  #pump(): void {
    this.#wake?.();
    this.#wake = null;
    if (this.#isQuiet) return;
    const { clock } = this.#parts;
    for (const route of this.#active) this.#filling.refill(route);
    for (let route = this.#next(clock.now()); route !== null; route = this.#next(clock.now())) this.#go(route);
    // The end of the call in flight resumes the pump.
    if (this.#isAsking) return;
    const now = clock.now();
    const at = wakeAt(this.#active, now, this.#routes.all.nextAt(now));
    for (const route of this.#active) if (route.isIdle && !route.isShort) this.#active.delete(route);
    if (at === Number.POSITIVE_INFINITY) return;
    this.#wake = clock.after(at - now, () => {
      this.#wake = null;
      this.#pump();
    });
  }

  #next(now: number): ChatRoute | null {
    return this.#isAsking ? null : nextRoute(this.#active, now, this.#routes.all.nextAt(now));
  }

  get #isQuiet(): boolean {
    return this.#isClosed || !this.#parts.isActive();
  }

  get #isAsking(): boolean {
    return this.#access.isBarred && this.#calls.size > 0;
  }

  #go(route: ChatRoute): void {
    const { clock } = this.#parts;
    const { probe } = this.#parts.carrier;
    if (route.isProbing && probe !== undefined) {
      this.#begin(route, { probe: (signal) => probe(signal) });
      return;
    }
    const errand = route.isErrandNext(clock.now()) ? route.errands.take() : null;
    const parcel = errand === null ? this.#due(route) : null;
    const { typing } = route;
    route.typing = null;
    const what = errand ?? parcel ?? typing;
    if (what !== null) this.#begin(route, what);
  }

  #begin(route: ChatRoute, what: What): void {
    route.isCalling = true;
    this.#count(route, what, this.#parts.clock.now());
    const end = () => {
      route.isCalling = false;
      this.#pump();
    };
    this.#calls.begin((make) => this.#call(route, what, make), end);
  }

  #count(route: ChatRoute, what: What, now: number): void {
    route.lastCallAt = now;
    for (const pace of [route.pace, this.#routes.all]) {
      if (isAside(what)) pace.noteAside(now);
      else pace.note(now);
    }
    if ('view' in what) this.#routes.paceOf(what.kind)?.note(now);
  }

  async #call(route: ChatRoute, what: What, make: (call: Call) => Promise<PostResult>): Promise<void> {
    const { carrier, clock } = this.#parts;
    const made = async (call: Call) => {
      const posted = await make(call);
      // The platform may have counted the call at any time up to now.
      if (!isAside(what)) route.pace.noteEnd(clock.now());
      return posted;
    };
    if ('view' in what) {
      await this.#settling.post(route, what, () => made((signal) => carrier.post(what, signal)));
    } else if ('call' in what) {
      this.#returned(route, what, await made((signal) => what.call(route.name, signal)));
    } else if ('probe' in what) {
      const posted = await made(what.probe);
      this.#settling.probed(route, posted);
      this.#heed(route, posted);
    } else {
      this.#heed(route, await made((signal) => carrier.typing(what, route.name, signal)));
    }
  }

  /** Requeued if the platform's wait ends before the deadline. */
  #returned(route: ChatRoute, errand: QueuedCall, posted: PostResult): void {
    this.#heed(route, posted);
    this.#noteContact(posted);
    const next = this.#routes.named(route.name);
    const isAgain = posted.kind === 'wait' || posted.kind === 'barred' || posted.kind === 'moved';
    const at = Math.max(this.#parts.clock.now(), next.pace.blockedUntil, this.#routes.all.blockedUntil);
    if (!isAgain || this.#isClosed || at >= errand.until) {
      errand.end(posted);
      return;
    }
    next.errands.putBack(errand);
    this.#active.add(next);
  }

  #heed(route: ChatRoute, posted: PostResult): void {
    if (posted.kind === 'barred') this.#bar(posted.why);
    if (posted.kind === 'wait') this.#filling.guarded(route, () => this.#routes.refuse(route, posted.ms));
    if (posted.kind === 'moved') this.#filling.guarded(route, () => this.move(route.name, posted.to));
  }

  /** Typing proves nothing: without support it succeeds without a call. */
  #noteContact(posted: PostResult): void {
    if (posted.kind === 'lost' || posted.kind === 'barred') return;
    this.#access.grant();
    if (posted.kind === 'posted' || posted.kind === 'unchanged') this.#settling.heardAt = this.#parts.clock.now();
  }

  /** Pauses all lanes and fails no message, because the whole bot is refused. */
  #bar(why: string): void {
    const { clock } = this.#parts;
    this.#routes.all.hold(clock.now() + this.#access.refuse(why));
  }

  #due(route: ChatRoute): OutgoingMessage | null {
    const now = this.#parts.clock.now();
    for (let taken = route.lane.take(now); taken !== null; taken = route.lane.take(now)) {
      try {
        const parcel = placed(route, taken, this.#parts);
        if (parcel === null) {
          route.lane.done(taken);
          continue;
        }
        const kind = this.#routes.kindOf(parcel);
        const notBefore = this.#routes.paceOf(kind)?.nextAt(now) ?? now;
        if (notBefore <= now) return { ...parcel, kind };
        // Others pass: new messages do not wait for the budget of edits.
        route.lane.putBack({ ...parcel, notBefore });
      } catch (error) {
        this.#parts.onError(error, taken);
        route.lost += 1;
        route.pace.hold(this.#parts.clock.now() + backOffMs(route.lost, this.#parts.random));
        route.lane.put(taken);
        return null;
      }
    }
    return null;
  }
}

/** No gap follows a cosmetic call. */
function isAside(what: What): boolean {
  return 'call' in what && what.isCosmetic;
}
