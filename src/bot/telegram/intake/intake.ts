// What comes in from Telegram: written down before it is confirmed, worked on after, in the order in which it came. The
// only calls that it makes are those that receive, the answers of presses, and signs that something was seen.
import { type Api, GrammyError } from 'grammy';
import {
  BosunError,
  type Config,
  type InboxRow,
  type KnockAnswer,
  type Store,
  type Stranger,
} from '../../../dispatch/index.js';
import { isToBeFetched } from '../../desk/came-in.js';
import type { FrontDoor } from '../../front-door.js';
import { signalOf, whyOf } from '../client.js';
import { type KeptHash, keepMenus } from './commands.js';
import type { Download } from './download.js';
import { Albums, fetched } from './fetching.js';
import { Lately } from './lately.js';
import { pause } from './pause.js';
import { inboxSource } from './place.js';
import { type Clock, type Health, Poller } from './poller.js';
import { Rate } from './rate.js';
import { type Reading, readUpdate } from './reader.js';
import { type Receipt, Receiver, type WebhookAddress } from './receiver.js';
import { type Me, updateSchema } from './update.js';

export interface IntakeParts {
  /** A client for polls, with a time limit above theirs (`pollLimitS`); asked for again when one has gone deaf. */
  readonly openApi: () => Api;
  /** A client for the few other calls. */
  readonly api: Api;
  /** null: the platform is asked, as soon as it can be reached. */
  readonly me: Me | null;
  /** Where the platform posts what is new; without it, it is asked. */
  readonly webhook?: WebhookAddress | null;
  readonly door: FrontDoor;
  readonly config: () => Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  /** Which of Bosun's messages the platform shows there under this number. */
  readonly messageAt: (thread: string, platformId: number) => string | null;
  /** A sign that the message was seen and will be acted on. */
  readonly react?: (thread: string, platformId: number) => void;
  /** Ends the waiting of the one who pressed, and never waits for anything itself; without it, one call is made. */
  readonly answerPress?: (press: string, text: string) => Promise<unknown>;
  /** A group goes on under another id. */
  readonly moved?: (from: string, to: string) => void;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
  readonly download: Download;
  readonly keptMenus: KeptHash;
  /** From 0 to 1. */
  readonly random?: () => number;
}

export interface TelegramIntake {
  start(): void;
  /** Ends the poll and waits for what is being decided. */
  close(): Promise<void>;
  /** What the platform posted: `taken` once it is written down; throws where that fails. */
  receive(update: unknown): Receipt;
  readonly health: Health;
}

interface Taken {
  readonly row: InboxRow;
  /** The names of the message that it is. */
  readonly keys: readonly string[];
}

/** Rows that are being decided; more are not asked for. */
const maxUnderWay = 200;

const retriesAfterMs = [1_000, 10_000, 60_000];

function isOfDisk(error: unknown): boolean {
  return error instanceof BosunError && (error.code === 'disk' || error.code === 'bad_database');
}

export function telegramIntake(parts: IntakeParts): TelegramIntake {
  return new Intake(parts);
}

class Intake implements TelegramIntake {
  readonly #parts: IntakeParts;
  readonly #source: Poller | Receiver;
  readonly #rate = new Rate();
  readonly #lately = new Lately();
  readonly #albums = new Albums();
  readonly #underWay = new Set<Promise<void>>();
  readonly #end = new AbortController();
  readonly #threads = new Map<string, Promise<void>>();
  #taken: Taken[] = [];
  #files: Promise<void> = Promise.resolve();
  #menu: Promise<void> = Promise.resolve();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    const { openApi, api, me, webhook = null, clock, log, random = Math.random } = parts;
    const take = (update: unknown, bot: Me) => this.#take(update, bot);
    const shared = { me, clock, log, random, take, onMe: (bot: Me) => this.#menus(bot) };
    this.#source =
      webhook === null
        ? new Poller({ ...shared, openApi, taken: () => this.#work() })
        : new Receiver({ ...shared, ...{ api, webhook }, taken: () => this.#begin(), hasRoom: () => this.#hasRoom() });
  }

  start(): void {
    const { me, store } = this.#parts;
    for (const row of store.pendingInbox()) {
      if (row.source === inboxSource && isToBeFetched(row)) this.#fetch({ row, keys: [] });
    }
    if (me !== null) this.#menus(me);
    this.#source.start();
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#source.close();
    await Promise.all([...this.#underWay, this.#files, this.#menu]);
  }

  receive(update: unknown): Receipt {
    return this.#source instanceof Receiver ? this.#source.receive(update) : 'busy';
  }

  get health(): Health {
    return this.#source.health;
  }

  #take(update: unknown, me: Me): void {
    const reading = this.#read(update, me);
    if (reading === null) return;
    const { toast, said, receipt, log, moved } = reading;
    if (toast !== null) this.#answer(toast.press, toast.text);
    if (log !== null) this.#parts.log(log);
    if (said === null) return;
    const row = this.#parts.door.note(said);
    if (row === null) return;
    if (moved !== null) this.#parts.moved?.(moved.from, moved.to);
    this.#taken.push({ row, keys: said.aliases ?? [] });
    if (receipt !== null) this.#parts.react?.(receipt.thread, receipt.message);
  }

  /** What cannot be understood is passed over: it would stand in the way for ever. What fails on the disk is tried again. */
  #read(update: unknown, me: Me): Reading | null {
    const { config, store, messageAt, clock, log } = this.#parts;
    const parsed = updateSchema.safeParse(update);
    if (!parsed.success) {
      const where = parsed.error.issues[0]?.path.join('.') ?? '';
      log(`telegram: an update is not understood and passed over (${where})`);
      return null;
    }
    try {
      const shared = { rate: this.#rate, lately: this.#lately, now: () => clock.now() };
      const knock = (stranger: Stranger) => this.#knock(stranger);
      return readUpdate(parsed.data, { me, config: config(), store, messageAt, knock, ...shared });
    } catch (error) {
      if (isOfDisk(error)) throw error;
      log(`telegram: update ${parsed.data.update_id} is passed over: ${whyOf(error)}`);
      return null;
    }
  }

  /** Nobody else is kept waiting because of a stranger. */
  #knock(stranger: Stranger): KnockAnswer | null {
    try {
      return this.#parts.knock(stranger);
    } catch (error) {
      this.#parts.log(`telegram: a stranger is not answered: ${whyOf(error)}`);
      return null;
    }
  }

  async #work(): Promise<void> {
    this.#begin();
    while (!this.#hasRoom()) await Promise.race(this.#underWay);
  }

  #hasRoom(): boolean {
    return this.#underWay.size <= maxUnderWay;
  }

  #begin(): void {
    const taken = this.#taken;
    this.#taken = [];
    for (const one of taken) {
      if (isToBeFetched(one.row)) this.#fetch(one);
      else void this.#inTurn(one);
    }
  }

  /** One after the other in a thread: what is said there rests on what was said before. */
  #inTurn(taken: Taken): Promise<void> {
    const { thread } = taken.row;
    const before = this.#threads.get(thread);
    const mine = before === undefined ? this.#handle(taken) : before.then(() => this.#handle(taken));
    const ended = mine.finally(() => {
      if (this.#threads.get(thread) === ended) this.#threads.delete(thread);
    });
    this.#threads.set(thread, ended);
    this.#track(ended);
    return ended;
  }

  /** A disk may get well again. What fails in the end stays written down, and the next start takes it up. */
  async #handle({ row, keys }: Taken): Promise<void> {
    const { door, log, clock } = this.#parts;
    for (const waitMs of [...retriesAfterMs, null]) {
      try {
        const { exit } = await door.handle(row);
        for (const key of keys) this.#lately.settled(key, exit === 2);
        return;
      } catch (error) {
        log(`telegram: message ${row.id} of the inbox hit an error: ${whyOf(error)}`);
        if (waitMs === null || !isOfDisk(error) || this.#end.signal.aborted) return;
        await pause(waitMs, clock, this.#end.signal);
      }
    }
  }

  #fetch({ row, keys }: Taken): void {
    const { config, store, download, clock } = this.#parts;
    this.#files = this.#files.then(async () => {
      if (this.#end.signal.aborted) return;
      try {
        const parts = { config, store, download, albums: this.#albums, now: () => clock.now() };
        await this.#inTurn({ row: await fetched(row, parts, this.#end.signal), keys });
      } catch (error) {
        this.#parts.log(`telegram: a file waits for the next start: ${whyOf(error)}`);
      }
    });
  }

  /** A press that is never answered looks broken, and one that is answered late is no harm. */
  #answer(press: string, text: string): void {
    const { api, answerPress } = this.#parts;
    const ownCall = () => api.answerCallbackQuery(press, { text }, signalOf(this.#end));
    const answered = (answerPress?.(press, text) ?? ownCall()).catch((error: unknown) => {
      const isLate = error instanceof GrammyError && /query is too old/i.test(error.description);
      if (!isLate && !this.#end.signal.aborted) this.#parts.log(`telegram: a press was not answered: ${whyOf(error)}`);
    });
    this.#track(answered.then(() => undefined));
  }

  #menus({ id: bot }: Me): void {
    const { api, keptMenus: kept, clock, log } = this.#parts;
    // Not among what is under way: it may wait for an hour.
    this.#menu = keepMenus({ api, bot, kept, clock, log, end: this.#end }).catch((error: unknown) =>
      log(`telegram: the menu of commands is not set: ${whyOf(error)}`),
    );
  }

  #track(promise: Promise<void>): void {
    const tracked = promise.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }
}
