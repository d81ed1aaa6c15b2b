import { backoffMs } from '../../base/index.js';
import { askingKinds } from '../render/index.js';
import type { CourierParts } from './carrier.js';
import { lookOf, type OutgoingMessage, type PostResult, urgency } from './outgoing-message.js';
import type { Access } from './platform-access.js';
import type { ChatRoute } from './route.js';

export interface ResultRecorderParts extends CourierParts {
  readonly putBack: (route: ChatRoute, parcel: OutgoingMessage) => void;
  readonly refuse: (route: ChatRoute, ms: number, kind: string | null) => void;
  readonly bar: (why: string) => void;
  readonly access: Access;
  readonly move: (from: string, to: string) => boolean;
}

const maxSteps = 40;
/** After this many losses, while other messages arrive, others pass it; at `maxLostAlone` it fails. */
const passedAfter = 3;
const maxLostAlone = 16;
const probedAfter = 5;
const passedBackoff = { firstMs: 30_000, mostMs: 600_000 };
/** About a day at up to 4 s. The lane waits, because other results could not be stored either. */
const maxNoteTries = 20_000;
const noteBackOffs = 3;

export class ResultRecorder {
  readonly #parts: ResultRecorderParts;
  isClosed = false;
  heardAt = 0;
  probedAt = 0;

  constructor(parts: ResultRecorderParts) {
    this.#parts = parts;
  }

  async post(route: ChatRoute, parcel: OutgoingMessage, call: () => Promise<PostResult>): Promise<void> {
    const { rows, clock, random, onError } = this.#parts;
    try {
      rows.begin(parcel.n, parcel.message, this.#placeUnderWay(parcel));
    } catch (error) {
      onError(error, parcel);
      route.lost += 1;
      route.pace.hold(clock.now() + backOffMs(route.lost, random));
      this.#parts.putBack(route, parcel);
      return;
    }
    const posted = await call();
    await this.#note(route, parcel, posted);
    route.lane.done(parcel);
  }

  #placeUnderWay(parcel: OutgoingMessage): string | null {
    try {
      return this.#parts.carrier.placeUnderWay(parcel);
    } catch {
      return null;
    }
  }

  /** A full disk must not lose a result. */
  async #note(route: ChatRoute, parcel: OutgoingMessage, posted: PostResult): Promise<void> {
    const { clock, random, onError } = this.#parts;
    for (let tries = 1; tries <= maxNoteTries && !this.isClosed; tries += 1) {
      try {
        this.#settle(route, parcel, posted);
        return;
      } catch (error) {
        onError(error, parcel);
      }
      await new Promise<void>((resolve) => clock.after(backOffMs(Math.min(tries, noteBackOffs), random), resolve));
    }
    if (this.isClosed) this.#settle(route, parcel, posted);
  }

  /** Rows first, so that a failed write is retried whole. */
  #settle(route: ChatRoute, parcel: OutgoingMessage, posted: PostResult): void {
    const { rows, refuse, putBack } = this.#parts;
    switch (posted.kind) {
      case 'posted':
        this.#arrived(route, parcel, posted);
        break;
      case 'unchanged':
        this.#noteContact(route);
        rows.end(parcel.n, 'sent', null);
        break;
      case 'wait':
        this.#noteContact(route);
        this.#pause(parcel);
        refuse(route, posted.ms, parcel.kind ?? null);
        putBack(route, parcel);
        break;
      case 'lost':
        this.#lost(route, parcel, posted);
        break;
      case 'barred':
        this.#pause(parcel);
        this.#parts.bar(posted.why);
        putBack(route, parcel);
        break;
      case 'plainer':
        this.#noteContact(route);
        this.#pause(parcel);
        putBack(route, { ...parcel, isPlain: true });
        break;
      case 'gone':
        this.#noteContact(route);
        this.#replace(route, parcel);
        break;
      case 'moved':
        this.#moved(route, parcel, posted.to);
        break;
      case 'refused':
        this.#noteContact(route);
        this.#refused(route, parcel, posted);
        break;
    }
  }

  #noteContact(route: ChatRoute): void {
    route.lost = 0;
    this.#parts.access.grant();
  }

  /** Unless an earlier call may have arrived. */
  #pause(parcel: OutgoingMessage): void {
    if (!parcel.isRepeat) this.#parts.rows.pause(parcel.n);
  }

  #arrived(route: ChatRoute, parcel: OutgoingMessage, posted: Extract<PostResult, { kind: 'posted' }>): void {
    const { rows, clock, putBack } = this.#parts;
    const { place, ids, isWhole, root } = posted;
    const opened = root === undefined ? null : { thread: parcel.thread.id, root };
    const post = { lane: route.name, place, ids, n: parcel.n, shown: isWhole ? lookOf(parcel.view) : null };
    if (!isWhole && parcel.steps >= maxSteps) {
      this.#refused(route, parcel, { kind: 'refused', why: `it took more than ${maxSteps} calls`, of: 'message' });
      return;
    }
    if (isWhole) rows.end(parcel.n, 'sent', { root: parcel.message, post, opened });
    else rows.step(parcel.n, parcel.message, post, opened);
    this.#noteContact(route);
    if (parcel.place === null && askingKinds.has(parcel.view.kind)) route.notePosted(parcel.thread.id, parcel.n);
    route.revive();
    this.heardAt = clock.now();
    if (!isWhole) putBack(route, { ...parcel, place, steps: parcel.steps + 1, isRepeat: false });
  }

  #lost(
    route: ChatRoute,
    parcel: OutgoingMessage,
    { mayHaveArrived, why }: Extract<PostResult, { kind: 'lost' }>,
  ): void {
    const { clock, random, putBack } = this.#parts;
    const now = clock.now();
    // Only later traffic proves that the platform works.
    const isAlone = parcel.lostAt !== undefined && this.heardAt > parcel.lostAt;
    const lostAlone = isAlone ? parcel.lostAlone + 1 : parcel.lostAlone;
    const lostTimes = parcel.lostTimes + 1;
    if (lostAlone >= maxLostAlone) {
      this.#refused(route, parcel, { kind: 'refused', why: `given up after many tries: ${why}`, of: 'message' });
      return;
    }
    const isRepeat = parcel.isRepeat || mayHaveArrived;
    if (!isRepeat) this.#parts.rows.pause(parcel.n);
    const lost = { ...parcel, isRepeat, lostAt: now, lostAlone, lostTimes };
    // A probe was answered since, so the message may be the problem.
    const isSuspect = lostTimes > probedAfter && this.probedAt > (parcel.lostAt ?? now);
    if ((isAlone && lostAlone >= passedAfter) || isSuspect) {
      const passedMs = backoffMs(Math.max(1, lostAlone - passedAfter + 1), passedBackoff);
      putBack(route, { ...lost, notBefore: now + passedMs });
      return;
    }
    if (lostTimes >= probedAfter && route.lane.size > 0) route.isProbing = this.#parts.carrier.probe !== undefined;
    route.lost += 1;
    route.pace.hold(now + backOffMs(route.lost, random));
    putBack(route, lost);
  }

  /** Until then nothing else: every result would be in doubt. */
  probed(route: ChatRoute, posted: PostResult): void {
    const { clock, random } = this.#parts;
    const now = clock.now();
    if (posted.kind === 'lost') {
      route.lost += 1;
      route.pace.hold(now + backOffMs(route.lost, random));
      return;
    }
    route.isProbing = false;
    if (posted.kind === 'unchanged') this.probedAt = now;
  }

  #moved(route: ChatRoute, parcel: OutgoingMessage, to: string): void {
    this.#pause(parcel);
    this.#parts.putBack(route, parcel);
    if (this.#parts.move(route.name, to)) return;
    route.lane.drop(parcel.message);
    this.#refused(route, parcel, {
      kind: 'refused',
      why: `the chat is said to be ${to}, which leads back`,
      of: 'lane',
    });
  }

  /** A person deleted it: send anew, unless it is progress. */
  #replace(route: ChatRoute, parcel: OutgoingMessage): void {
    const { rows, putBack } = this.#parts;
    if (parcel.urgency === urgency.progress || parcel.place === null) {
      rows.end(parcel.n, 'superseded', null);
      rows.forget(parcel.message);
      return;
    }
    rows.pause(parcel.n);
    rows.forget(parcel.message);
    putBack(route, { ...parcel, place: null, isRepeat: false });
  }

  #refused(route: ChatRoute, parcel: OutgoingMessage, { why, of }: Extract<PostResult, { kind: 'refused' }>): void {
    const { rows, clock } = this.#parts;
    const now = clock.now();
    const isOvertaken = route.lane.has(parcel.message);
    if (isOvertaken) rows.end(parcel.n, 'superseded', null);
    else rows.fail(parcel.n, why, now, parcel.urgency !== urgency.progress);
    if (of !== 'message') route.bury(of === 'lane' ? null : parcel.thread.id, now);
    if (!isOvertaken && parcel.urgency !== urgency.progress) this.#tell(parcel, why);
  }

  #tell(parcel: OutgoingMessage, why: string): void {
    try {
      this.#parts.onFailed(parcel, why);
    } catch (error) {
      this.#parts.onError(error, parcel);
    }
  }
}

const deliveryBackoff = { firstMs: 1_000, mostMs: 60_000 };

export function backOffMs(times: number, random: () => number): number {
  const ms = backoffMs(times, deliveryBackoff);
  return ms / 2 + (ms / 2) * random();
}

/** Looks just before the call. Null: newer or equal content is shown, or progress for an unreachable chat. */
export function placed(
  route: ChatRoute,
  taken: OutgoingMessage,
  { rows, clock }: Pick<CourierParts, 'rows' | 'clock'>,
): OutgoingMessage | null {
  const post = rows.post(taken.message);
  const isThere = post !== null && post.lane === route.name;
  const isShown = isThere && post.shown === lookOf(taken.view);
  const isOld = isThere && post.n > taken.n;
  const isVain = taken.urgency === urgency.progress && route.isDead(taken.thread.id, clock.now());
  const isLate =
    taken.urgency === urgency.progress && !isThere && !taken.isRepeat && route.isOvertaken(taken.thread.id, taken.n);
  if (!isOld && !isShown && !isVain && !isLate) {
    const replied = taken.view.repliesTo === undefined ? null : rows.post(taken.view.repliesTo);
    return {
      ...taken,
      place: isThere ? post.place : null,
      root: rows.root(taken.thread.id),
      repliesTo: replied?.lane === route.name ? (replied.ids[0] ?? null) : null,
    };
  }
  rows.end(taken.n, isShown ? 'sent' : 'superseded', null);
  return null;
}
