// Whether what may have arrived did: each message carries the name that it has here, unseen, and a file has its id.

import type { WebClient } from '@slack/web-api';
import type { OutgoingMessage, PostResult } from '../../../delivery/index.js';
import { readPlace, type ShownPart } from '../../../delivery/message-steps.js';
import { answerTo } from './carrier-answer.js';

/** What is unseen in a message. */
export const metadataType = 'bosun_message';

export interface PostMark {
  /** The message. */
  readonly m: string;
  /** The Bosun that says it. */
  readonly h: string;
  /** Its thread. */
  readonly t: string;
  /** What it shows. */
  readonly mark: string;
}

export type FoundPost =
  | { readonly type: 'found'; readonly ts: string; readonly mark: string }
  /** Another message opened its thread meanwhile. */
  | { readonly type: 'opened'; readonly ts: string }
  | { readonly type: 'absent' }
  /** It may not be looked up, or is too long ago. */
  | { readonly type: 'unknown' }
  | { readonly type: 'failed'; readonly posted: PostResult };

export interface PostQuery {
  readonly slack: WebClient;
  readonly parcel: OutgoingMessage;
  readonly where: Where;
  /** Of the file that is looked for; null: it is the message itself. */
  readonly upload: ShownPart | null;
  /** Of this app; others may name their messages alike. */
  readonly botId: string;
  readonly home: string;
}

/** Of messages, and pages of them: what was under way when a process ended is not far. */
const pageSize = 200;
const maxPages = 5;
/** Where nothing of it can have arrived, only whether another message has opened its thread. */
const pagesForOpening = 1;

export async function look(sought: PostQuery): Promise<FoundPost> {
  try {
    let cursor: string | undefined;
    const pages = sought.parcel.isRepeat ? maxPages : pagesForOpening;
    for (let page = 0; page < pages; page += 1) {
      const answer = await pageOf(sought, cursor);
      const found = (answer.messages ?? []).map((one) => judge(one, sought)).filter((one) => one !== null);
      // The message itself tells more than one that came before it.
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

/** Where it may not be looked up, it is sent all the same; a thread that is gone is gone for that as well. */
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

// Where a message goes. A thread whose beginning should be known and is not gets nothing: never is it said to the whole
// channel instead.
export type Where =
  | { readonly type: 'top' }
  | { readonly type: 'thread'; readonly ts: string }
  /** It is what the thread begins with. */
  | { readonly type: 'opening' }
  /** Only this person sees it. */
  | { readonly type: 'only'; readonly user: string }
  /** In a thread, and nobody knows which. */
  | { readonly type: 'unknown' };

export function whereOf({ thread: { address }, root, place }: OutgoingMessage): Where {
  const { ts, opened, only } = address;
  if (only !== undefined) return { type: 'only', user: only };
  if (ts !== undefined) return { type: 'thread', ts };
  if (opened === undefined) return { type: 'top' };
  if (root !== null) return { type: 'thread', ts: root };
  return readPlace(place).length === 0 ? { type: 'opening' } : { type: 'unknown' };
}
