// Stores each update before confirming it, then works in order. Calls Telegram only to receive, answer presses and
// react.
import { type Api, GrammyError } from 'grammy';
import type { Clock } from '../../../../base/index.js';
import type { Config, KnockAnswer, Stranger } from '../../../../config/index.js';
import type { DeliveryRows, InboxRows, MessageReader, RunReader, ThreadReader } from '../../../../store/index.js';
import type { InboundMessage, InboxService } from '../../../inbound/inbox-service.js';
import { type Download, InboundLine, isOfDisk, RateLimit } from '../../../inbound/index.js';
import { whyOf } from '../client.js';
import { type KeptHash, keepMenus } from './command-menus.js';
import { Poller, type PollerHealth } from './poller.js';
import type { TelegramReadResult, Toast } from './read/read-result.js';
import { readUpdate } from './read/read-update.js';
import { inboxSource } from './read/update-keys.js';
import { type TelegramBot, updateSchema } from './read/update-schema.js';
import { type Receipt, Receiver, type WebhookAddress } from './webhook-registration.js';

export type ReceiptReaction = '👀';

export interface TelegramInboundParts {
  /** Called again after a dead connection. */
  readonly openApi: () => Api;
  readonly api: Api;
  readonly me: TelegramBot | null;
  /** Null: polls. */
  readonly webhook: WebhookAddress | null;
  readonly door: InboxService;
  readonly config: () => Config;
  readonly freshConfig: () => Config;
  readonly reader: RunReader & MessageReader & ThreadReader;
  readonly inbox: Pick<InboxRows, 'isKnown' | 'pendingInbox'>;
  readonly deliveries: Pick<DeliveryRows, 'moves'>;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  readonly messageAt: (thread: string, platformId: number) => string | null;
  readonly react: (thread: string, platformId: number, reaction: ReceiptReaction | null) => Promise<unknown>;
  readonly answerPress: (press: string, text: string) => Promise<unknown>;
  readonly moved: (from: string, to: string) => void;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
  readonly download: Download;
  readonly keptMenus: KeptHash;
  readonly random: () => number;
}

export interface TelegramIntake {
  start(): void;
  close(): Promise<void>;
  /** Returns `taken` once stored; throws if that fails. */
  receive(update: unknown): Receipt;
  readonly health: PollerHealth;
}

export function telegramIntake(parts: TelegramInboundParts): TelegramIntake {
  return new Intake(parts);
}

class Intake implements TelegramIntake {
  readonly #parts: TelegramInboundParts;
  readonly #source: Poller | Receiver;
  readonly #rate = new RateLimit();
  readonly #line: InboundLine;
  readonly #answers = new Set<Promise<unknown>>();
  readonly #end = new AbortController();
  #menu: Promise<void> = Promise.resolve();

  constructor(parts: TelegramInboundParts) {
    this.#parts = parts;
    const { openApi, api, me, webhook, door, reader, inbox, config, download, clock, log, random } = parts;
    this.#line = new InboundLine({ source: inboxSource, door, reader, inbox, config, download, clock, log });
    const take = (update: unknown, bot: TelegramBot) => this.#take(update, bot);
    const shared = { me, clock, log, random, take, onMe: (bot: TelegramBot) => this.#menus(bot) };
    this.#source =
      webhook === null
        ? new Poller({ ...shared, openApi, taken: () => this.#work() })
        : new Receiver({
            ...shared,
            ...{ api, webhook },
            taken: () => this.#line.begin(),
            hasRoom: () => this.#line.hasRoom,
          });
  }

  start(): void {
    const { me } = this.#parts;
    this.#line.start();
    if (me !== null) this.#menus(me);
    this.#source.start();
  }

  async close(): Promise<void> {
    this.#end.abort();
    // Ends pauses first, as the source may wait for room.
    const ended = this.#line.close();
    await this.#source.close();
    // Again, for the last messages.
    await Promise.all([ended, this.#line.close(), ...this.#answers, this.#menu]);
  }

  receive(update: unknown): Receipt {
    return this.#source instanceof Receiver ? this.#source.receive(update) : 'busy';
  }

  get health(): PollerHealth {
    return this.#source.health;
  }

  #take(update: unknown, me: TelegramBot): void {
    const reading = this.#read(update, me);
    if (reading === null) return;
    const { toast, said, receipt, log, moved } = reading;
    if (toast !== null) this.#answer(toast);
    if (log !== null) this.#parts.log(log);
    if (said === null) return;
    let shown: Promise<unknown> = Promise.resolve(false);
    let isMoved = moved === null;
    const onHandled = () => {
      if (!isMoved) this.#move(moved);
      if (receipt !== null) void shown.then((isShown) => isShown === true && this.#react(receipt, null));
    };
    if (!this.#line.note(said, onHandled)) return;
    isMoved ||= this.#move(moved);
    if (receipt !== null) shown = this.#react(receipt, '👀');
  }

  /** False: try again later. A failure must not keep the row from being handled. */
  #move(moved: TelegramReadResult['moved']): boolean {
    if (moved === null) return true;
    try {
      this.#parts.moved(moved.from, moved.to);
      return true;
    } catch (error) {
      this.#parts.log(`telegram: what waits for ${moved.from} is not carried to ${moved.to} yet: ${whyOf(error)}`);
      return false;
    }
  }

  async #react(
    { thread, message }: NonNullable<TelegramReadResult['receipt']>,
    reaction: ReceiptReaction | null,
  ): Promise<unknown> {
    try {
      return await this.#parts.react(thread, message, reaction);
    } catch (error) {
      this.#parts.log(`telegram: a sign was not shown: ${whyOf(error)}`);
      return false;
    }
  }

  /** Drops an unparsable update, which would block the queue. Disk errors throw, for a retry. */
  #read(update: unknown, me: TelegramBot): TelegramReadResult | null {
    const { config, freshConfig, reader, inbox, deliveries, messageAt, clock, log, door } = this.#parts;
    const parsed = updateSchema.safeParse(update);
    if (!parsed.success) {
      const where = parsed.error.issues[0]?.path.join('.') ?? '';
      log(`telegram: an update is not understood and passed over (${where})`);
      return null;
    }
    try {
      const shared = { rate: this.#rate, lately: this.#line.lately, now: () => clock.now() };
      const knock = (stranger: Stranger) => this.#knock(stranger);
      const { grammar } = door.verbs;
      return readUpdate(parsed.data, {
        me,
        config: config(),
        freshConfig,
        reader,
        inbox,
        deliveries,
        grammar,
        messageAt,
        knock,
        ...shared,
      });
    } catch (error) {
      if (isOfDisk(error)) throw error;
      log(`telegram: update ${parsed.data.update_id} is passed over: ${whyOf(error)}`);
      return null;
    }
  }

  #knock(stranger: Stranger): KnockAnswer | null {
    try {
      return this.#parts.knock(stranger);
    } catch (error) {
      this.#parts.log(`telegram: a stranger is not answered: ${whyOf(error)}`);
      return null;
    }
  }

  async #work(): Promise<void> {
    this.#line.begin();
    await this.#line.room();
  }

  /** An unanswered press looks broken; a late answer is harmless. */
  #answer({ press, text, instead }: Toast): void {
    const answered = this.#parts.answerPress(press, text).catch((error: unknown) => {
      if (this.#end.signal.aborted) return;
      const isLate = error instanceof GrammyError && /query is too old/i.test(error.description);
      if (!isLate) this.#parts.log(`telegram: a press was not answered: ${whyOf(error)}`);
      else if (instead !== undefined) this.#sayInstead(instead);
    });
    const tracked = answered.finally(() => this.#answers.delete(tracked));
    this.#answers.add(tracked);
  }

  #sayInstead(said: InboundMessage): void {
    try {
      if (this.#line.note(said)) this.#line.begin();
    } catch (error) {
      this.#parts.log(`telegram: a late press is not answered: ${whyOf(error)}`);
    }
  }

  #menus({ id: bot }: TelegramBot): void {
    const { api, keptMenus: kept, clock, log, door } = this.#parts;
    this.#menu = keepMenus({ ...door.verbs, api, bot, kept, clock, log, end: this.#end }).catch((error: unknown) =>
      log(`telegram: the menu of commands is not set: ${whyOf(error)}`),
    );
  }
}
