// Finds a platform's routes, follows chats to new ids, stores refusals.

import type { Thread } from '../../store/index.js';
import type { CourierParts } from './carrier.js';
import type { OutgoingMessage } from './outgoing-message.js';
import { Pace } from './pace.js';
import { ChatRoute } from './route.js';

const maxMoves = 8;
const wholeBot = '*';

function laneOfKind(kind: string): string {
  return `${wholeBot}${kind}`;
}

export class ChatRoutes {
  readonly all: Pace;
  readonly #kinds: ReadonlyMap<string, Pace>;
  readonly #parts: CourierParts;
  readonly #routes = new Map<string, ChatRoute>();
  readonly #floods = new FloodDetector();
  readonly #blocks: ReadonlyMap<string, number>;
  readonly #moves: Map<string, string>;

  constructor(parts: CourierParts) {
    const { carrier, rows } = parts;
    this.#parts = parts;
    this.#blocks = new Map(rows.blocks(carrier.channel).map(({ lane, until }) => [lane, until]));
    this.#moves = new Map(rows.moves(carrier.channel));
    this.all = new Pace(carrier.limits);
    this.all.hold(this.#blocks.get(wholeBot) ?? 0);
    this.#kinds = new Map(Object.entries(carrier.kinds ?? {}).map(([kind, limits]) => [kind, new Pace(limits)]));
    for (const [kind, pace] of this.#kinds) pace.hold(this.#blocks.get(laneOfKind(kind)) ?? 0);
  }

  kindOf(parcel: OutgoingMessage): string | null {
    try {
      return this.#parts.carrier.kindOf?.(parcel) ?? null;
    } catch {
      return null;
    }
  }

  paceOf(kind: string | null | undefined): Pace | null {
    return this.#kinds.get(kind ?? '') ?? null;
  }

  of(thread: Thread): ChatRoute {
    return this.named(this.#parts.carrier.laneOf(thread));
  }

  named(lane: string): ChatRoute {
    const name = this.#movedTo(lane);
    const found = this.#routes.get(name);
    if (found) return found;
    const made = new ChatRoute(name, this.#parts.carrier.limitsOf(name));
    made.pace.hold(this.#blocks.get(name) ?? 0);
    this.#routes.set(name, made);
    return made;
  }

  endErrands(): void {
    for (const { errands } of this.#routes.values()) errands.endAll();
  }

  sizes(): ReadonlyMap<string, number> {
    return new Map([...this.#routes].map(([name, { lane }]) => [name, lane.size]));
  }

  /** Null: the move would form a cycle. */
  move(from: string, to: string): ChatRoute | null {
    if (from === to || this.#movedTo(to) === from) return null;
    if (this.#moves.get(from) === to) return this.named(to);
    this.#parts.rows.move(this.#parts.carrier.channel, from, to);
    this.#moves.set(from, to);
    const [before, after] = [this.#routes.get(from), this.named(to)];
    for (const parcel of before?.lane.drain() ?? []) after.lane.put({ ...parcel, lane: after.name });
    before?.errands.moveTo(after.errands);
    after.isShort ||= before?.isShort ?? false;
    return after;
  }

  /** Stored for the next process. A kind with a budget waits alone. */
  refuse(route: ChatRoute, ms: number, kind: string | null = null): void {
    const { clock, rows, carrier } = this.#parts;
    const at = clock.now();
    const until = at + ms;
    const counted = this.paceOf(kind);
    if (counted !== null && kind !== null) {
      counted.refuse(until);
      rows.block(carrier.channel, laneOfKind(kind), until);
      return;
    }
    route.pace.refuse(until);
    const all = route.isOfNoChat ? null : this.#floods.note({ lane: route.name, at, until });
    if (all !== null) this.all.hold(all);
    rows.block(carrier.channel, route.name, until);
    if (all !== null) rows.block(carrier.channel, wholeBot, all);
  }

  #movedTo(lane: string): string {
    let at = lane;
    for (let moves = 0; moves < maxMoves; moves += 1) {
      const next = this.#moves.get(at);
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }
}

/** Refusals in several chats within seconds mean a limit on the whole bot. */
interface Refusal {
  readonly lane: string;
  readonly at: number;
  readonly until: number;
}

const windowMs = 5_000;

const lanesThatMeanAll = 3;

export class FloodDetector {
  #recent: readonly Refusal[] = [];

  /** Null: only this chat is limited. */
  note(refusal: Refusal): number | null {
    const others = this.#recent.filter(({ lane, at }) => lane !== refusal.lane && at > refusal.at - windowMs);
    this.#recent = [...others, refusal];
    // All wait for the shortest; each for its own.
    return this.#recent.length < lanesThatMeanAll ? null : Math.min(...this.#recent.map(({ until }) => until));
  }
}

const rereadMs = 5_000;

/** The most urgent allowed route, then the least recently called. */
export function nextRoute(active: Iterable<ChatRoute>, now: number, allAt: number): ChatRoute | null {
  let best: ChatRoute | null = null;
  let most = 0;
  for (const route of active) {
    // dueAt may drop a typing sign: check again.
    if (!route.hasWork || route.dueAt(now, allAt) > now || !route.hasWork) continue;
    const urgent = route.urgencyAt(now);
    if (best !== null && (urgent > most || (urgent === most && route.lastCallAt >= best.lastCallAt))) continue;
    best = route;
    most = urgent;
  }
  return best;
}

/** Infinity: never. */
export function wakeAt(active: Iterable<ChatRoute>, now: number, allAt: number): number {
  let at = Number.POSITIVE_INFINITY;
  for (const route of active) {
    if (route.hasWork) at = Math.min(at, route.dueAt(now, allAt));
    else if (route.isShort && !route.isCalling) at = Math.min(at, now + rereadMs);
  }
  return at;
}
