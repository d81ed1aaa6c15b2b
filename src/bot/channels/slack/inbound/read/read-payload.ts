import { livesAt } from '../../../../commands/which-project.js';
import { toldAs } from './inbound-rows.js';
import type { BotJoined, SlackAction, SlackPayload } from './payload.js';
import { type SlackReadContext, type SlackReadResult, silence } from './read-context.js';
import { readMessage } from './read-message.js';
import { readPress, readSubmission } from './read-press.js';
import { readSlash } from './read-slash.js';
import { speakerOf } from './speaker.js';

export function readBody(body: SlackAction, context: SlackReadContext): SlackReadResult {
  switch (body.kind) {
    case 'message':
      return readMessage(body.message, body.isEdit, body.told, context);
    case 'slash':
      return readSlash(body.slash, context);
    case 'press':
      return readPress(body.press, context);
    case 'submission':
      return readSubmission(body.submission, context);
    case 'home':
      return readHome(body.user, context);
    case 'joined':
      return readJoined(body.joined, body.told, context);
  }
}

function readHome(user: string, context: SlackReadContext): SlackReadResult {
  const speaker = speakerOf({ user, team: null, channel: null, isShared: null }, context);
  if (speaker.kind === 'unknown') return { ...silence, asks: speaker.asks };
  return speaker.kind === 'nobody' ? silence : { ...silence, home: user };
}

function readJoined(
  { user, channel, inviter }: BotJoined,
  { key, isShared }: SlackPayload,
  context: SlackReadContext,
): SlackReadResult {
  if (user !== context.me.user || inviter === undefined || context.inbox.isKnown('slack', key)) return silence;
  const speaker = speakerOf({ user: inviter, team: null, channel, isShared }, context);
  if (speaker.kind === 'unknown') return { ...silence, asks: speaker.asks };
  const log = `slack: the bot was brought into ${channel}`;
  if (speaker.kind !== 'member') return { ...silence, log };
  const thread = `sl:${channel}`;
  const says = livesAt(context.config, thread).length > 0 ? [] : [toldAs({ key, thread, by: null }, hello(channel))];
  return { ...silence, says, log };
}

function hello(channel: string): string {
  return `I am here. To make this the channel of a project, add to it in config.yaml:\nchats: [{ slack: ${channel} }]\nUntil then I hear what is said to me by name.`;
}
