// Messages that the app posts, edits, deletes and reacts to.
import { type Api, channelOf, type Methods, postableOf, type Request } from '../api.js';
import { change, post, remove, seenBy, tell } from '../happen.js';
import { flagOf, neededText, textOf } from '../params.js';
import { refuse } from '../refusal.js';
import { messageJson, repliesOf } from '../wire.js';
import type { Channel, Message } from '../world.js';
import { readContent } from './content.js';

/** What an edit takes is less than what posting takes. */
const maxEditBytes = 4_000;

export const messageMethods: Methods = {
  'chat.postMessage'(request) {
    const { api, params } = request;
    const channel = postableOf(request);
    const threadTs = threadOf(channel, textOf(params, 'thread_ts'));
    const { text, blocks, metadata } = readContent(request);
    const unfurls = flagOf(params, 'unfurl_links', false) || flagOf(params, 'unfurl_media', true);
    const isBroadcast = flagOf(params, 'reply_broadcast');
    const given = { text, blocks: blocks ?? [], metadata, threadTs, unfurls, isBroadcast };
    const { message } = post(api, { channel, user: api.world.bot.id, isApps: true, ...given });
    return { channel: channel.id, ts: message.ts, message: messageJson(seenBy(api), message) };
  },

  'chat.postEphemeral'(request) {
    const { api, params } = request;
    const channel = postableOf(request);
    const user = api.world.user(neededText(params, 'user')).id;
    if (!channel.members.has(user)) throw refuse('user_not_in_channel');
    const threadTs = threadOf(channel, textOf(params, 'thread_ts'));
    const { text, blocks } = readContent(request);
    const given = { text, blocks: blocks ?? [], threadTs, ephemeralTo: user };
    const { message } = post(api, { channel, user: api.world.bot.id, isApps: true, ...given });
    return { message_ts: message.ts };
  },

  'chat.update'(request) {
    const { api, params } = request;
    const message = own(request, 'cant_update_message');
    if (api.editWindowMs !== null && api.clock.now() - message.postedAt > api.editWindowMs) {
      throw refuse('edit_window_closed');
    }
    if (message.isStreaming) throw refuse('streaming_state_conflict');
    const { text, blocks, metadata } = readContent(request);
    if (Buffer.byteLength(text) > maxEditBytes) throw refuse('msg_too_long');
    change(api, message, {
      text: text === '' && params['text'] === undefined ? message.text : text,
      // Left out they stay as they are; only an empty list takes them away.
      blocks: blocks ?? message.blocks,
      metadata: metadata ?? message.metadata,
      editedTs: api.world.nextTs(),
    });
    return {
      channel: message.channel.id,
      ts: message.ts,
      text: message.text,
      message: messageJson(seenBy(api), message),
    };
  },

  'chat.delete'(request) {
    const message = own(request, 'cant_delete_message');
    remove(request.api, message);
    return { channel: message.channel.id, ts: message.ts };
  },

  'chat.getPermalink'(request) {
    const { world } = request.api;
    const message = found(channelOf(request), textOf(request.params, 'message_ts'));
    const { ts, threadTs, channel } = message;
    const thread = threadTs === null ? '' : `?thread_ts=${threadTs}&cid=${channel.id}`;
    const permalink = `https://${world.team.domain}.slack.com/archives/${channel.id}/p${ts.replace('.', '')}${thread}`;
    return { channel: channel.id, permalink };
  },

  'reactions.add'(request) {
    const { message, name, bot } = reactionOf(request);
    const users = message.reactions.get(name) ?? new Set<string>();
    if (users.has(bot)) throw refuse('already_reacted');
    message.reactions.set(name, users.add(bot));
    tellReaction(request.api, message, { type: 'reaction_added', name, user: bot });
    return {};
  },

  'reactions.remove'(request) {
    const { message, name, bot } = reactionOf(request);
    const users = message.reactions.get(name);
    if (!users?.delete(bot)) throw refuse('no_reaction');
    if (users.size === 0) message.reactions.delete(name);
    tellReaction(request.api, message, { type: 'reaction_removed', name, user: bot });
    return {};
  },
};

export function tellReaction(
  api: Api,
  message: Message,
  { type, name, user }: { readonly type: string; readonly name: string; readonly user: string },
) {
  const item = { type: 'message', channel: message.channel.id, ts: message.ts };
  return tell(api, { type, user, reaction: name, item, item_user: message.user, event_ts: api.world.nextTs() });
}

function reactionOf(request: Request) {
  const { params, api } = request;
  const name = textOf(params, 'name').replaceAll(':', '');
  if (!/^[a-z0-9_+'-]{1,100}$/.test(name)) throw refuse('invalid_name');
  const channel = channelOf(request);
  if (textOf(params, 'timestamp') === '') throw refuse('no_item_specified');
  if (!channel.members.has(api.world.bot.id)) throw refuse('not_in_channel');
  if (channel.isArchived) throw refuse('is_archived');
  return { message: found(channel, textOf(params, 'timestamp')), name, bot: api.world.bot.id };
}

/** The first message of a thread that is there; a reply is none. */
export function threadOf(channel: Channel, ts: string): string | null {
  if (ts === '') return null;
  const root = channel.messages.get(ts);
  const isThere = root && root.threadTs === null && root.ephemeralTo === null;
  if (!isThere || (root.isDeleted && repliesOf(root).length === 0)) throw refuse('thread_not_found');
  return ts;
}

export function found(channel: Channel, ts: string): Message {
  const message = channel.messages.get(ts);
  if (!message || message.isDeleted || message.ephemeralTo !== null) throw refuse('message_not_found');
  return message;
}

function own(request: Request, error: string): Message {
  const channel = channelOf(request);
  if (channel.isArchived) throw refuse('is_archived');
  const message = found(channel, textOf(request.params, 'ts'));
  if (message.user !== request.api.world.bot.id) throw refuse(error);
  return message;
}
