import { createHash } from 'node:crypto';
import type { DeliveryRows } from '../../../../../store/index.js';
import { type DirectRows, directThread, slackThreads } from '../../thread-ids.js';
import type { InboundSlackMessage, SlackPress } from './payload.js';

export const inboxSource = 'slack';

export function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

interface Spot {
  readonly channel: string;
  readonly user: string;
  readonly ts: string;
  readonly root: string | undefined;
}

export interface ThreadRows extends DirectRows {
  readonly deliveries: Pick<DeliveryRows, 'moves' | 'threadAt' | 'messageAt'>;
}

/** In a direct chat only replies belong to a thread. */
export function threadOf({ channel, user, ts, root }: Spot, rows: ThreadRows): string {
  const begin = root ?? ts;
  if (isDirect(channel) && begin === ts) return directThread(rows, user, channel);
  return rows.deliveries.threadAt(channel, begin) ?? `sl:${channel}:${begin}`;
}

export function onlyFor(channel: string, user: string, rows: DirectRows): string {
  return isDirect(channel) ? directThread(rows, user, channel) : `sl:${channel}:@${user}`;
}

/** For a request outside any thread. */
export function openedFor(channel: string, key: string): string {
  return `sl:${channel}:c${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

export function isOnly(thread: string): boolean {
  return slackThreads.decode(thread)?.['only'] !== undefined;
}

export function isOpened(thread: string): boolean {
  return slackThreads.decode(thread)?.['opened'] !== undefined;
}

/** A direct chat has two ids: its own and the person's. */
export function lanesOf(channel: string, user: string): readonly string[] {
  return isDirect(channel) ? [channel, user] : [channel];
}

export function messageAt(
  { deliveries }: Pick<ThreadRows, 'deliveries'>,
  lanes: readonly string[],
  ts: string,
): string | null {
  for (const lane of lanes) {
    const found = deliveries.messageAt(lane, ts);
    if (found !== null) return found;
  }
  return null;
}

/** `message` and `app_mention` events share it. */
export function messageKey(channel: string, { ts }: Pick<InboundSlackMessage, 'ts'>): string {
  return `m:${channel}:${ts}`;
}

export function editKey(channel: string, { ts, edited }: InboundSlackMessage): string {
  return `e:${channel}:${ts}:${edited?.ts ?? ''}`;
}

export function pressKey({ user, container, actions: [first] }: SlackPress): string {
  const where = container.message_ts ?? container.view_id ?? '';
  return `p:${container.channel_id ?? ''}:${where}:${user.id}:${first?.action_id ?? ''}:${first?.action_ts ?? ''}`;
}

export function submissionKey(view: string): string {
  return `v:${view}`;
}

export function slashKey(trigger: string): string {
  return `s:${trigger}`;
}

export function onceKey(what: string, whom: string): string {
  return `once:${what}:${whom}`;
}
