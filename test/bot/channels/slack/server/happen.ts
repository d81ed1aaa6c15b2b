// What happens in the workspace and what the app is told of it.
import type { Api } from './api.js';
import type { Delivery } from './outbox.js';
import { messageJson, type Seen } from './wire.js';
import type { Channel, Json, Message, NewMessage } from './world.js';

export interface Happened {
  readonly message: Message;
  /** What the app was told; none where it may not know. */
  readonly deliveries: readonly Delivery[];
}

export function seenBy(api: Api): Seen {
  return { world: api.world, root: api.root, appId: api.appId, botId: api.botId };
}

export function post(api: Api, given: NewMessage): Happened {
  const message = api.world.post(given);
  const { channel, ephemeralTo } = message;
  if (ephemeralTo !== null || !isHeard(api, channel)) return { message, deliveries: [] };
  const json = messageJson(seenBy(api), message);
  const more = { channel: channel.id, event_ts: message.ts };
  const subtype = message.files.length > 0 && !message.isApps ? { subtype: 'file_share' } : {};
  const deliveries = [tell(api, { ...json, ...more, ...subtype, channel_type: channel.kind })];
  // Of one message there are two events; in a chat of two there is only the one.
  if (message.text.includes(`<@${api.world.bot.id}>`) && channel.kind !== 'im' && !message.isApps) {
    deliveries.unshift(tell(api, { ...json, ...more, type: 'app_mention' }));
  }
  return { message, deliveries };
}

export function change(api: Api, message: Message, next: Partial<Message>): Happened {
  const before = messageJson(seenBy(api), message);
  Object.assign(message, next);
  const event = (ts: string) => ({
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: messageJson(seenBy(api), message),
    previous_message: before,
    channel: message.channel.id,
    channel_type: message.channel.kind,
    ts,
    event_ts: ts,
  });
  return { message, deliveries: ofChannel(api, message, event) };
}

export function remove(api: Api, message: Message): Happened {
  const before = messageJson(seenBy(api), message);
  message.isDeleted = true;
  const event = (ts: string) => ({
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    deleted_ts: message.ts,
    previous_message: before,
    channel: message.channel.id,
    channel_type: message.channel.kind,
    ts,
    event_ts: ts,
  });
  return { message, deliveries: ofChannel(api, message, event) };
}

function ofChannel(api: Api, message: Message, event: (ts: string) => Json): readonly Delivery[] {
  if (message.ephemeralTo !== null || !isHeard(api, message.channel)) return [];
  return [tell(api, event(api.world.nextTs()))];
}

function isHeard(api: Api, channel: Channel): boolean {
  return channel.members.has(api.world.bot.id);
}

/** Of whom an event tells, where it is not the workspace or the app itself. */
export interface Envelope {
  readonly team_id?: string;
  readonly api_app_id?: string;
  readonly event_id?: string;
}

export function tell(api: Api, event: Json, more: Envelope = {}): Delivery {
  const { world, appId, clock } = api;
  const channel = world.channels.get(String(event['channel']));
  return api.outbox.push('events_api', {
    token: 'verification',
    team_id: world.team.id,
    context_team_id: world.team.id,
    context_enterprise_id: null,
    api_app_id: appId,
    event,
    type: 'event_callback',
    event_id: world.nextId('Ev'),
    event_time: Math.floor(clock.now() / 1000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: world.team.id,
        user_id: world.bot.id,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: channel?.isExtShared ?? false,
    event_context: '4-eyJldCI6Im1lc3NhZ2UifQ',
    ...more,
  });
}
