// Conversations, and who is in the workspace.
import { channelOf, type Methods, type Request } from '../api.js';
import { seenBy } from '../happen.js';
import { flagOf, neededText, numberOf, textOf } from '../params.js';
import { refuse } from '../refusal.js';
import { channelJson, messageJson, userJson } from '../wire.js';
import type { Json, Message, UserGroup } from '../world.js';

export const placeMethods: Methods = {
  'conversations.info': (request) => ({ channel: channelJson(channelOf(request), request.api.world.bot.id) }),

  'conversations.open'({ api, params }) {
    const [id = '', ...more] = neededText(params, 'users').split(',');
    if (more.length > 0) throw refuse('method_not_supported_for_channel_type');
    const user = api.world.user(id);
    if (user.isDeleted) throw refuse('user_disabled');
    return { channel: { id: api.world.im(id).id }, no_op: true };
  },

  'conversations.list'(request) {
    const { world } = request.api;
    const types = (textOf(request.params, 'types') || 'public_channel').split(',');
    const names = { channel: 'public_channel', group: 'private_channel', im: 'im' } as const;
    const isHidden = flagOf(request.params, 'exclude_archived');
    const all = [...world.channels.values()].filter(
      (one) =>
        types.includes(names[one.kind]) &&
        (one.kind === 'channel' || one.members.has(world.bot.id)) &&
        !(isHidden && one.isArchived),
    );
    const { items, more } = page(request, all);
    return { channels: items.map((one) => channelJson(one, world.bot.id)), ...more };
  },

  'conversations.members'(request) {
    const { items, more } = page(request, [...channelOf(request).members]);
    return { members: items, ...more };
  },

  'conversations.history'(request) {
    const channel = readable(request);
    const all = request.api.world.messages(channel, null).filter((one) => one.ephemeralTo === null);
    const { items, more } = page(request, within(request, all).reverse());
    return { messages: items.map((one) => told(request, one)), ...more };
  },

  'conversations.replies'(request) {
    const channel = readable(request);
    const ts = neededText(request.params, 'ts');
    if (!channel.messages.has(ts)) throw refuse('thread_not_found');
    const all = request.api.world.messages(channel, ts).filter((one) => one.ephemeralTo === null);
    if (all.length === 0) throw refuse('thread_not_found');
    const { items, more } = page(request, within(request, all));
    return { messages: items.map((one) => told(request, one)), ...more };
  },

  'users.info'({ api, params }) {
    return { user: userJson(api.world.user(textOf(params, 'user')), api.world.team.id) };
  },

  'users.list'(request) {
    const { world } = request.api;
    const { items, more } = page(request, [...world.users.values()]);
    return { members: items.map((one) => userJson(one, world.team.id)), ...more };
  },

  'usergroups.list': ({ api }) => ({ usergroups: [...api.world.groups.values()].map((one) => groupJson(one)) }),

  'usergroups.users.list'({ api, params }) {
    const group = api.world.groups.get(neededText(params, 'usergroup'));
    if (!group) throw refuse('no_such_subteam');
    return { users: [...group.users] };
  },

  'team.info': ({ api }) => ({ team: { ...api.world.team, email_domain: '' } }),

  'bots.info'({ api, params }) {
    if (textOf(params, 'bot') !== api.botId) throw refuse('bot_not_found');
    const { bot } = api.world;
    return { bot: { id: api.botId, deleted: false, name: bot.name, app_id: api.appId, user_id: bot.id } };
  },
};

const groupJson = ({ id, handle, name, users }: UserGroup): Json => ({
  id,
  handle,
  name,
  is_usergroup: true,
  user_count: users.size,
});

function readable(request: Request) {
  const channel = channelOf(request);
  if (!channel.members.has(request.api.world.bot.id)) throw refuse('not_in_channel');
  return channel;
}

function told(request: Request, message: Message): Json {
  const { metadata, ...json } = messageJson(seenBy(request.api), message);
  return flagOf(request.params, 'include_all_metadata') && metadata !== undefined ? { ...json, metadata } : json;
}

function within({ params }: Request, all: readonly Message[]): Message[] {
  const oldest = textOf(params, 'oldest') || '0';
  const latest = textOf(params, 'latest') || '9999999999.999999';
  const edge = flagOf(params, 'inclusive') ? 0 : 0.0000001;
  return all.filter(({ ts }) => Number(ts) >= Number(oldest) + edge && Number(ts) <= Number(latest) - edge);
}

function page<T>({ params }: Request, all: readonly T[]) {
  const limit = numberOf(params, 'limit', 100);
  const cursor = textOf(params, 'cursor');
  const from = cursor === '' ? 0 : Number(/^from:(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(from)) throw refuse('invalid_cursor');
  const next = from + limit < all.length ? `from:${from + limit}` : '';
  const more = { has_more: next !== '', response_metadata: { next_cursor: next } };
  return { items: all.slice(from, from + limit), more };
}
