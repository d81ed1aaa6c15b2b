// What every method of the Web API has at hand.
import type { Clock } from '../../fixture/clock.js';
import type { Outbox } from './outbox.js';
import { type Params, textOf } from './params.js';
import { refuse } from './refusal.js';
import type { Tickets } from './tickets.js';
import type { Channel, Json, World } from './world.js';

export interface Api {
  readonly world: World;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly tickets: Tickets;
  readonly appId: string;
  /** Of the bot. */
  readonly botId: string;
  /** `http://127.0.0.1:<port>`, known once it listens. */
  root: string;
  /** After it a message cannot be edited; null: always. */
  editWindowMs: number | null;
  openSocket(): string;
}

export interface Request {
  readonly api: Api;
  readonly params: Params;
}

export type Method = (request: Request) => Json | Promise<Json>;
export type Methods = Readonly<Record<string, Method>>;

export function channelOf({ api, params }: Request, key = 'channel'): Channel {
  return api.world.channel(textOf(params, key));
}

/** By id, by a person's id or by name, as posting takes it. */
export function postableOf({ api, params }: Request): Channel {
  const { world } = api;
  const given = textOf(params, 'channel');
  if (world.users.has(given)) return world.im(given);
  const named = [...world.channels.values()].find((one) => one.name !== '' && one.name === given.replace('#', ''));
  const channel = world.channel(named?.id ?? given);
  if (channel.isArchived) throw refuse('is_archived');
  if (!channel.members.has(world.bot.id)) throw refuse('not_in_channel');
  return channel;
}
