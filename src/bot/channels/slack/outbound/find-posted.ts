// Hidden metadata or a file id tells if an unanswered post arrived.

import type { WebClient } from '@slack/web-api';
import type { OutgoingMessage, PostResult } from '../../../delivery/index.js';
import { readPlace, type ShownPart } from '../../../delivery/message-steps.js';
import { answerTo } from './carrier-answer.js';

export const metadataType = 'bosun_message';

export interface PostMark {
  readonly m: string;
  readonly h: string;
  readonly t: string;
  readonly mark: string;
}

export type FoundPost =
  | { readonly type: 'found'; readonly ts: string; readonly mark: string }
  | { readonly type: 'opened'; readonly ts: string }
  | { readonly type: 'absent' }
  /** Denied, or too far back. */
  | { readonly type: 'unknown' }
  | { readonly type: 'failed'; readonly posted: PostResult };

export interface PostQuery {
  readonly slack: WebClient;
  readonly parcel: OutgoingMessage;
  readonly where: Where;
  /** Null: the message itself. */
  readonly upload: ShownPart | null;
  /** Other apps may carry equal marks. */
  readonly botId: string;
  readonly home: string;
}

/** A post in flight at a crash is recent. */
const pageSize = 200;
const maxPages = 5;
/** Enough to find whether another message opened the thread. */
const pagesForOpening = 1;

export async function look(sought: PostQuery): Promise<FoundPost> {
  try {
    let cursor: string | undefined;
    const pages = sought.parcel.isRepeat ? maxPages : pagesForOpening;
    for (let page = 0; page < pages; page += 1) {
      const answer = await pageOf(sought, cursor);
      const found = (answer.messages ?? []).map((one) => judge(one, sought)).filter((one) => one !== null);
      // The message itself beats another of its thread.
      const best = found.find(({ type }) => type === 'found') ?? found[0];
      if (best !== undefined) return best;
      cursor = answer.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === '') return { type: 'absent' };
    }
    return { type: 'unknown' };
  } catch (error) {
    return failed(answerTo(error, 'other'));
  }
}

/** Denied: send anyway; a missing thread is reported. */
function failed(posted: PostResult): FoundPost {
  const isUnable = posted.kind === 'refused' && posted.of !== 'thread';
  return isUnable ? { type: 'unknown' } : { type: 'failed', posted };
}

function pageOf({ slack, parcel, where }: PostQuery, cursor: string | undefined) {
  const asked = { channel: parcel.lane, limit: pageSize, include_all_metadata: true, ...(cursor && { cursor }) };
  return where.type === 'thread'
    ? slack.conversations.replies({ ...asked, ts: where.ts })
    : slack.conversations.history(asked);
}

interface Seen {
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly bot_id?: string;
  readonly files?: readonly { readonly id?: string }[];
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: object };
}

function judge(seen: Seen, { parcel, where, upload, botId, home }: PostQuery): FoundPost | null {
  const { ts } = seen;
  if (ts === undefined) return null;
  if (upload !== null)
    return (seen.files ?? []).some(({ id }) => id === upload.id) ? { type: 'found', ts, mark: upload.mark } : null;
  const unseen = seen.bot_id === botId ? unseenOf(seen) : null;
  if (unseen?.h !== home) return null;
  if (unseen.m === parcel.message) return { type: 'found', ts, mark: unseen.mark };
  const isTop = seen.thread_ts === undefined || seen.thread_ts === ts;
  return where.type === 'opening' && isTop && unseen.t === parcel.thread.id ? { type: 'opened', ts } : null;
}

function unseenOf({ metadata }: Seen): PostMark | null {
  if (metadata?.event_type !== metadataType) return null;
  const { m, h, t, mark }: Partial<Record<string, unknown>> = { ...metadata.event_payload };
  if (typeof m !== 'string' || typeof h !== 'string' || typeof t !== 'string' || typeof mark !== 'string') return null;
  return { m, h, t, mark: /^[\w-]{1,32}$/.test(mark) ? mark : '-' };
}

export type Where =
  | { readonly type: 'top' }
  | { readonly type: 'thread'; readonly ts: string }
  /** The message opens the thread. */
  | { readonly type: 'opening' }
  | { readonly type: 'only'; readonly user: string }
  | { readonly type: 'unknown' };

export function whereOf({ thread: { address }, root, place }: OutgoingMessage): Where {
  const { ts, opened, only } = address;
  if (only !== undefined) return { type: 'only', user: only };
  if (ts !== undefined) return { type: 'thread', ts };
  if (opened === undefined) return { type: 'top' };
  if (root !== null) return { type: 'thread', ts: root };
  return readPlace(place).length === 0 ? { type: 'opening' } : { type: 'unknown' };
}
