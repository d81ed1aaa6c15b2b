// The world as Slack words it in answers and events.
import type { Channel, Json, Message, StoredFile, User, View, World } from './world.js';

export interface Seen {
  readonly world: World;
  readonly root: string;
  readonly appId: string;
  readonly botId: string;
}

export function messageJson(seen: Seen, message: Message): Json {
  const { world, appId, botId } = seen;
  const replies = repliesOf(message);
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    text: message.text,
    team: world.users.get(message.user)?.teamId ?? world.team.id,
    ...(message.isApps ? { bot_id: botId, app_id: appId } : { client_msg_id: `msg-${message.ts}` }),
    ...(message.blocks.length > 0 ? { blocks: message.blocks } : {}),
    ...(message.files.length > 0 ? { files: message.files.map((one) => fileJson(seen, one)) } : {}),
    ...(message.threadTs === null ? {} : { thread_ts: message.threadTs, parent_user_id: rootOf(message)?.user }),
    ...(replies.length > 0 ? { thread_ts: message.ts, reply_count: replies.length } : {}),
    ...(message.editedTs === null ? {} : { edited: { user: message.user, ts: message.editedTs } }),
    ...(message.reactions.size > 0 ? { reactions: reactionsJson(message) } : {}),
    ...(message.metadata === null ? {} : { metadata: message.metadata }),
  };
}

export function repliesOf({ channel, ts }: Message): readonly Message[] {
  return [...channel.messages.values()].filter(
    (one) => one.threadTs === ts && !one.isDeleted && one.ephemeralTo === null,
  );
}

function rootOf({ channel, threadTs }: Message): Message | undefined {
  return threadTs === null ? undefined : channel.messages.get(threadTs);
}

function reactionsJson({ reactions }: Message): readonly Json[] {
  return [...reactions].map(([name, users]) => ({ name, users: [...users], count: users.size }));
}

export function channelJson(channel: Channel, botId: string): Json {
  const { id, kind, isArchived, isExtShared } = channel;
  if (kind === 'im')
    return { id, is_im: true, is_org_shared: false, user: channel.user, is_user_deleted: false, created: 1 };
  return {
    id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: kind === 'channel',
    is_group: kind === 'group',
    is_im: false,
    is_private: kind === 'group',
    is_archived: isArchived,
    is_member: channel.members.has(botId),
    is_ext_shared: isExtShared,
    is_shared: isExtShared,
    is_org_shared: false,
    num_members: channel.members.size,
    created: 1,
  };
}

export function userJson(user: User, home: string): Json {
  return {
    id: user.id,
    team_id: user.teamId,
    name: user.name,
    real_name: user.realName,
    deleted: user.isDeleted,
    profile: { real_name: user.realName, display_name: user.name },
    is_bot: user.isBot,
    is_restricted: user.isRestricted,
    is_ultra_restricted: user.isUltraRestricted,
    is_stranger: user.teamId !== home,
    is_app_user: false,
  };
}

export function fileJson({ root }: Pick<Seen, 'root'>, file: StoredFile): Json {
  const url = `${root}/files-pri/${file.id}/${encodeURIComponent(file.name)}`;
  const filetype = /\.(\w+)$/.exec(file.name)?.[1] ?? 'text';
  const mimetype = filetype === 'text' || filetype === 'txt' ? 'text/plain' : 'application/octet-stream';
  const common = { id: file.id, name: file.name, title: file.title, user: file.user, size: file.bytes.length };
  return { ...common, filetype, mimetype, mode: 'hosted', url_private: url, url_private_download: url };
}

export function viewJson({ world, appId, botId }: Seen, view: View, state: Json = {}): Json {
  const { json } = view;
  return {
    id: view.id,
    team_id: world.team.id,
    type: view.type,
    blocks: json['blocks'],
    private_metadata: json['private_metadata'] ?? '',
    callback_id: json['callback_id'] ?? '',
    external_id: json['external_id'] ?? '',
    state: { values: state },
    hash: view.hash,
    title: json['title'] ?? null,
    submit: json['submit'] ?? null,
    close: json['close'] ?? null,
    clear_on_close: json['clear_on_close'] ?? false,
    notify_on_close: json['notify_on_close'] ?? false,
    previous_view_id: view.previousId,
    root_view_id: view.rootId,
    app_id: appId,
    bot_id: botId,
  };
}
