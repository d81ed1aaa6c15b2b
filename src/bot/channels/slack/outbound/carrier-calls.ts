import type { WebClient } from '@slack/web-api';
import type { OutgoingMessage } from '../../../delivery/index.js';
import type { PictureReader } from '../../../render/picture-file.js';
import type { AttachedDocument } from '../../../render/whole.js';
import { AnswerLacks, upload } from '../client.js';
import type { Block } from '../render/index.js';
import type { SlackText } from './carrier-steps.js';
import { metadataType, type PostMark, type Where } from './find-posted.js';

const repeatMark = '(perhaps a repeat)';
const filesElsewhere = 'The rest is too long to show here: ask me in a direct message.';

export interface Saying {
  readonly slack: WebClient;
  readonly home: string;
  readonly pictures: PictureReader;
  readonly parcel: OutgoingMessage;
  readonly where: Where;
  /** An earlier call may have posted it. */
  readonly isRepeat: boolean;
}

export async function say({ slack, home, parcel, where, isRepeat }: Saying, piece: SlackText, lacksFiles: boolean) {
  const { lane } = parcel;
  const notes = [...(lacksFiles ? [filesElsewhere] : []), ...(isRepeat ? [repeatMark] : [])];
  const words = wordsOf(parcel, piece, notes);
  if (where.type === 'only') {
    const answer = await slack.chat.postEphemeral({ channel: lane, user: where.user, ...updateOptions, ...words });
    return needed(answer.message_ts);
  }
  const thread = where.type === 'thread' ? { thread_ts: where.ts } : {};
  // Notification texts need markup for mentions; the rest is escaped.
  const mrkdwn = !parcel.isPlain && (parcel.view.mentions ?? []).length > 0;
  const sent = { channel: lane, ...thread, ...postOptions, mrkdwn, ...words, metadata: unseen(home, parcel, piece) };
  return needed((await slack.chat.postMessage(sent)).ts);
}

export async function edit({ slack, home, parcel }: Saying, piece: SlackText, ts: string): Promise<string> {
  const { blocks = [], text } = wordsOf(parcel, piece, []);
  const metadata = unseen(home, parcel, piece);
  await slack.chat.update({ channel: parcel.lane, ts, text, blocks, ...updateOptions, metadata });
  return ts;
}

export async function remove(slack: WebClient, lane: string, id: string, kind: 'text' | 'file'): Promise<string> {
  if (kind === 'file') await slack.files.delete({ file: id });
  else await slack.chat.delete({ channel: lane, ts: id });
  return id;
}

export async function handOver(slack: WebClient, part: AttachedDocument, signal: AbortSignal): Promise<string> {
  // Slack rejects empty files.
  const bytes = part.bytes.length > 0 ? part.bytes : Buffer.from('\n');
  const answer = await slack.files.getUploadURLExternal({ filename: part.name, length: bytes.length });
  const id = needed(answer.file_id);
  await upload(needed(answer.upload_url), bytes, signal);
  return id;
}

export async function share({ slack, parcel, where, isRepeat }: Saying, title: string, id: string) {
  const comment = isRepeat ? { initial_comment: repeatMark } : {};
  const files: [{ id: string; title: string }] = [{ id, title }];
  if (where.type === 'thread')
    await slack.files.completeUploadExternal({ files, channel_id: parcel.lane, thread_ts: where.ts, ...comment });
  else await slack.files.completeUploadExternal({ files, channel_id: parcel.lane, ...comment });
  return id;
}

function wordsOf(
  { isPlain }: OutgoingMessage,
  { part }: SlackText,
  notes: readonly string[],
): { text: string; blocks?: Block[] } {
  const text = [isPlain ? withinBytes(part.plain) : part.text, ...notes].join('\n');
  return isPlain ? { text } : { text, blocks: [...part.blocks, ...notes.map(noteBlock)] };
}

/** chat.update's limit, below that of posting. */
const maxPlainBytes = 3_500;

/** Never cuts within an escape. */
function withinBytes(text: string): string {
  if (Buffer.byteLength(text) <= maxPlainBytes) return text;
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, maxPlainBytes));
  return `${cut.replace(/(?:&[a-z]{0,3}|\ufffd)$/, '')}…`;
}

function noteBlock(text: string): Block {
  return { type: 'context', elements: [{ type: 'plain_text', text }] };
}

function unseen(home: string, { message, thread }: OutgoingMessage, { mark }: SlackText) {
  return { event_type: metadataType, event_payload: { m: message, h: home, t: thread.id, mark } satisfies PostMark };
}

function needed(id: string | undefined): string {
  if (id === undefined || !/^\S{1,2000}$/.test(id)) throw new AnswerLacks('an id');
  return id;
}

/** No parsing of text. chat.update takes only these options. */
export const updateOptions = { parse: 'none', link_names: false } as const;

export const postOptions = { ...updateOptions, mrkdwn: false, unfurl_links: false, unfurl_media: false } as const;
