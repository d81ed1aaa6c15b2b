// Text that grows while it is written: started, added to, stopped; given up by Slack after a time.
import { channelOf, type Methods, postableOf, type Request } from '../api.js';
import { change, post, seenBy } from '../happen.js';
import { isRecord, neededText, partOf, textOf } from '../params.js';
import { refuse } from '../refusal.js';
import { messageJson } from '../wire.js';
import type { Message } from '../world.js';
import { readBlocks } from './content.js';
import { found, threadOf } from './messages.js';

const streamLastsMs = 5 * 60_000;
const maxChars = 12_000;

export const streamMethods: Methods = {
  'chat.startStream'(request) {
    const { api, params } = request;
    const channel = postableOf(request);
    const threadTs = threadOf(channel, neededText(params, 'thread_ts'));
    if (channel.kind !== 'im' && textOf(params, 'recipient_team_id') === '') throw refuse('missing_recipient_team_id');
    if (channel.kind !== 'im' && textOf(params, 'recipient_user_id') === '') throw refuse('missing_recipient_user_id');
    const given = { text: added(request), threadTs, isStreaming: true, isApps: true };
    const { message } = post(api, { channel, user: api.world.bot.id, ...given });
    return { channel: channel.id, ts: message.ts };
  },

  'chat.appendStream'(request) {
    const message = streaming(request);
    message.text += added(request);
    return { channel: message.channel.id, ts: message.ts };
  },

  'chat.stopStream'(request) {
    const message = streaming(request);
    const blocks = readBlocks(partOf(request.params, 'blocks', 'invalid_blocks_format')) ?? [];
    change(request.api, message, { text: message.text + added(request), blocks, isStreaming: false });
    return { channel: message.channel.id, ts: message.ts, message: messageJson(seenBy(request.api), message) };
  },
};

function streaming(request: Request): Message {
  const message = found(channelOf(request), textOf(request.params, 'ts'));
  const isOld = request.api.clock.now() - message.postedAt > streamLastsMs;
  if (!message.isStreaming || isOld) throw refuse('message_not_in_streaming_state');
  return message;
}

function added({ params }: Request): string {
  const chunks = partOf(params, 'chunks');
  const texts = (Array.isArray(chunks) ? chunks : []).map((one) =>
    isRecord(one) && one['type'] === 'markdown_text' ? String(one['text'] ?? '') : '',
  );
  const text = [textOf(params, 'markdown_text'), ...texts].join('');
  if (text.length > maxChars) throw refuse('msg_too_long');
  return text;
}
