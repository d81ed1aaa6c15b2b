// Stores each payload before it is acknowledged, then works in order. Calls Slack only to receive, look up and open
// modals.

import { BosunError, pause } from '../../../../base/index.js';
import type { KnockAnswer, Stranger } from '../../../../config/index.js';
import type { InboxRow } from '../../../../store/index.js';
import type { News } from '../../../commands/plan-report.js';
import { outcomeOfPress } from '../../../commands/press-outcome.js';
import type { InboundMessage } from '../../../inbound/inbox-service.js';
import { InboundLine, isOfDisk, RateLimit } from '../../../inbound/index.js';
import type { WebhookReceiver } from '../../channel.js';
import { whyOf } from '../client.js';
import { slackThreads } from '../thread-ids.js';
import type { Acknowledged } from './connection/bolt-app.js';
import { Sockets } from './connection/sockets.js';
import { slackWebhookReceiver } from './connection/webhook-receiver.js';
import type { SlackInboundHealth, SlackInboundParts, SlackIntake } from './inbound-parts.js';
import { Login } from './login.js';
import { remember, Windows } from './modal-windows.js';
import { type Body, bodyOf, type InboundSlackMessage, type SlackAction } from './read/payload.js';
import { People } from './read/people.js';
import { type SlackBot, type SlackReadContext, type SlackReadResult, silence } from './read/read-context.js';
import { readBody } from './read/read-payload.js';
import { speakerOf } from './read/speaker.js';
import { inboxSource, isDirect, isOnly, onlyFor } from './read/thread-keys.js';

export function slackIntake(parts: SlackInboundParts): SlackIntake {
  return new Intake(parts);
}

/** User, channel, groups, and the read. */
const maxAsks = 4;
const maxOtherTeams = 100;
const maxRecent = 1_000;
const maxRoomMs = 400;
const maxAskingMs = 1_500;

class Intake implements SlackIntake {
  readonly entrance: WebhookReceiver | null;
  readonly #parts: SlackInboundParts;
  readonly #line: InboundLine;
  readonly #people: People;
  readonly #login: Login;
  readonly #sockets: Sockets | null;
  readonly #rate = new RateLimit();
  readonly #calls = new Set<Promise<void>>();
  readonly #end = new AbortController();
  readonly #windows: Windows;
  readonly #otherTeams = new Set<string>();
  readonly #recent = new Set<string>();
  readonly #turns = new Map<string, Promise<unknown>>();
  #state: SlackInboundHealth['state'] = 'starting';
  #problem: string | null = null;
  #gone: string | null = null;
  #lastAt: number | null = null;

  constructor(parts: SlackInboundParts) {
    this.#parts = parts;
    const { slack, api, door, reader, inbox, deliveries, config, download, clock, log, random } = parts;
    this.#line = new InboundLine({
      ...{ source: inboxSource, reader, inbox, config, download, clock, log },
      door: {
        verbs: door.verbs,
        note: (said) => door.note(said),
        handle: (row, parsed) =>
          door.handle(asideFor(row, { reader, deliveries, grammar: door.verbs.grammar, config: config() }), parsed),
      },
    });
    const note = (said: InboundMessage) => {
      if (this.#line.note(said)) this.#begin();
    };
    this.#windows = new Windows({ api, reader, log, note, signal: this.#end.signal });
    this.#people = new People({ api, config, clock, log });
    const tell = (problem: string | null) => this.#tell(problem);
    this.#login = new Login({ api, clock, random, tell, keptTeam: parts.keptTeam, config });
    const take = (body: unknown) => this.#take(body);
    const { signingSecret, appToken, apiUrl, mode } = slack;
    const isHttp = mode === 'http';
    this.entrance = isHttp && signingSecret !== null ? slackWebhookReceiver({ signingSecret, take, clock, log }) : null;
    const { deafAfterMs, rivalLookMs, aloneLookMs } = parts;
    const limits = { deafAfterMs, rivalLookMs, aloneLookMs };
    this.#sockets =
      isHttp || appToken === null ? null : new Sockets({ ...limits, appToken, apiUrl, take, clock, log, random, tell });
    if (isHttp && signingSecret === null) this.#tell('channels.slack.signing_secret is not set, and mode is http');
    if (!isHttp && appToken === null) this.#tell('channels.slack.app_token is not set, and mode is socket');
  }

  start(): void {
    this.#line.start();
    if (this.entrance === null && this.#sockets === null) return;
    this.#track(
      this.#login.run().then((me) => {
        if (me === null) return;
        this.#people.start(me);
        this.#parts.onMe(me);
        if (this.#sockets === null) this.#tell(null);
        else this.#sockets.start();
      }),
    );
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#end.abort();
    this.#login.close();
    this.#people.close();
    await this.#sockets?.close();
    await Promise.all([this.#line.close(), ...this.#calls]);
  }

  get health(): SlackInboundHealth {
    const { me, lacks } = this.#login;
    const rival = this.#sockets?.rival ?? null;
    const problem = this.#gone ?? this.#problem ?? rival ?? lacks ?? this.#people.problem;
    return { state: this.#state, problem, lastAt: this.#lastAt, me };
  }

  nameOf(user: string): string | null | undefined {
    const { me } = this.#login;
    if (me === null) return undefined;
    const speaker = speakerOf({ user, team: null, channel: null, isShared: null }, this.#readContext(me));
    if (speaker.kind === 'member') return speaker.name;
    if (speaker.kind !== 'unknown') return null;
    this.#track(this.#people.know(speaker.asks));
    return undefined;
  }

  async #take(raw: unknown): Promise<Acknowledged> {
    const { me } = this.#login;
    if (this.#isOver() || me === null || !(await this.#hasRoom())) return { kind: 'busy' };
    const body = bodyOf(raw);
    return await this.#inTurn(body, () => this.#takeNow(body, me));
  }

  /** Waits only briefly: Slack redelivers just three times. */
  async #hasRoom(): Promise<boolean> {
    if (this.#line.hasRoom) return true;
    const stop = new AbortController();
    await Promise.race([this.#line.room(), pause(maxRoomMs, stop.signal, this.#parts.clock)]);
    stop.abort();
    return this.#line.hasRoom;
  }

  async #inTurn<T>(body: Body, act: () => Promise<T>): Promise<T> {
    if (body.kind !== 'message') return act();
    const { channel = '', ts, thread_ts: root = ts } = body.message;
    const place = `${channel}:${isDirect(channel) ? '' : root}`;
    const mine = (this.#turns.get(place) ?? Promise.resolve()).then(act, act);
    this.#turns.set(place, mine);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(place) === mine) this.#turns.delete(place);
    }
  }

  async #takeNow(body: Body, me: SlackBot): Promise<Acknowledged> {
    const reading = await this.#read(body, me);
    if (this.#isOver()) return { kind: 'busy' };
    this.#lastAt = this.#parts.clock.now();
    if (body.kind === 'message') this.#meet(body.message, me);
    this.#act(reading);
    return { kind: 'taken', answer: reading.answer };
  }

  /** Learns a direct chat's own id. */
  #meet({ channel = '', user }: InboundSlackMessage, me: SlackBot): void {
    if (!isDirect(channel) || user === undefined || user === me.user) return;
    try {
      this.#parts.onDirect(user, channel);
    } catch (error) {
      this.#parts.log(`slack: ${whyOf(error)}`);
    }
  }

  #isOver(): boolean {
    return this.#state === 'closed';
  }

  async #read(body: Body, me: SlackBot): Promise<SlackReadResult> {
    switch (body.kind) {
      case 'other':
        return silence;
      case 'unreadable':
        return { ...silence, log: `slack: something is not understood and passed over (${body.where})` };
      case 'changed':
        this.#people.forget(body.what);
        return silence;
      case 'gone':
        this.#gone = body.why;
        return { ...silence, log: `slack: ${body.why}` };
      default:
        if (body.kind === 'joined' && body.joined.user === me.user) this.#people.forget('channels');
        return this.#isOfOther(body, me) ? silence : this.#readKnowing(body, me);
    }
  }

  #isOfOther(body: SlackAction, { team }: SlackBot): boolean {
    const other = 'told' in body ? body.told.team : null;
    if (other === null || other === team) return false;
    if (this.#otherTeams.size < maxOtherTeams && !this.#otherTeams.has(other)) {
      this.#otherTeams.add(other);
      this.#parts.log(`slack: what comes from the workspace ${other} is refused: this one is ${team}`);
    }
    return true;
  }

  async #readKnowing(body: SlackAction, me: SlackBot): Promise<SlackReadResult> {
    const { clock } = this.#parts;
    const begin = clock.now();
    for (let asked = 0; asked < maxAsks && clock.now() - begin <= maxAskingMs; asked += 1) {
      const reading = this.#readNow(body, me);
      if (reading.asks === null) return reading;
      await this.#people.know(reading.asks);
    }
    throw new BosunError('not_now', 'who that is cannot be told yet');
  }

  #readNow(body: SlackAction, me: SlackBot): SlackReadResult {
    try {
      return readBody(body, this.#readContext(me));
    } catch (error) {
      if (isOfDisk(error)) throw error;
      return { ...silence, log: `slack: something is passed over: ${whyOf(error)}` };
    }
  }

  #readContext(me: SlackBot): SlackReadContext {
    const { config, reader, inbox, deliveries, clock, door } = this.#parts;
    const people = this.#people;
    return {
      ...{
        me,
        config: config(),
        reader,
        inbox,
        deliveries,
        grammar: door.verbs.grammar,
        rate: this.#rate,
        lately: this.#line.lately,
        now: () => clock.now(),
      },
      isRecent: (thread) => this.#recent.has(thread),
      standing: (user) => people.standing(user),
      isSharedOutside: (channel) => people.isSharedOutside(channel),
      isIn: (channel) => people.isIn(channel),
      groupOf: (user) => people.groupOf(user),
      knock: (stranger) => this.#knock(stranger),
    };
  }

  /** A stranger must not hold up others. */
  #knock(stranger: Stranger): KnockAnswer | null {
    try {
      return this.#parts.knock(stranger);
    } catch (error) {
      this.#parts.log(`slack: a stranger is not answered: ${whyOf(error)}`);
      return null;
    }
  }

  #act({ says, receipt, window, home, log }: SlackReadResult): void {
    const { react, unreact, onHome } = this.#parts;
    if (log !== null) this.#parts.log(log);
    const done = () => {
      if (receipt !== null) unreact(receipt.thread, receipt.ts, receipt.channel);
    };
    for (const { thread } of says) remember(this.#recent, thread, maxRecent);
    const noted = says.map((said, index) => this.#line.note(said, index === says.length - 1 ? done : undefined));
    if (noted.at(-1) === true && receipt !== null) react(receipt.thread, receipt.ts, receipt.channel);
    // The acknowledgement goes first.
    if (noted.includes(true)) setImmediate(() => this.#begin());
    if (window !== null) this.#track(this.#windows.open(window));
    if (home !== null) onHome(home);
  }

  /** Stored rows wait for the next start. */
  #begin(): void {
    if (!this.#isOver()) this.#line.begin();
  }

  #tell(problem: string | null): void {
    if (this.#isOver()) return;
    this.#state = problem === null ? 'connected' : 'waiting';
    if (problem === null) this.#gone = null;
    if (problem === this.#problem && problem !== null) return;
    if (problem !== null || this.#problem !== null) this.#parts.log(`slack: ${problem ?? 'it goes on'}`);
    this.#problem = problem;
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#parts.log(`slack: ${whyOf(error)}`))
      .finally(() => this.#calls.delete(tracked));
    this.#calls.add(tracked);
  }
}

/** The presser learns of a failure, not the channel. */
export function asideFor(
  row: InboxRow,
  read: Pick<SlackReadContext, 'reader' | 'deliveries' | 'grammar' | 'config'>,
): InboxRow {
  const { by, body, thread } = row;
  const channel = slackThreads.decode(thread)?.['chat'] ?? '';
  const isShownToMany = /^[CG]/.test(channel) && !isOnly(thread);
  if (body.type !== 'press' || by === null || !isShownToMany) return row;
  const account = read.config.people.find(({ name }) => name === by)?.accounts['slack'];
  const user = by.split('/')[1] ?? (account === undefined ? null : String(account));
  const outcome = outcomeOfPress(read, body.press, { ...read, by, thread });
  if (user === null || outcome.kind !== 'refused') return row;
  const aside = onlyFor(channel, user, read);
  if (body.press.startsWith('i')) return { ...row, thread: aside };
  // A message's offer works only in its thread, so the reason is the answer.
  const args: News = { news: outcome.why, threads: [aside], card: null, rings: false };
  return { ...row, thread: aside, body: { type: 'command', name: 'told', args } };
}
