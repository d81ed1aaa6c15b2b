// Turns one payload into inbox rows and side effects, as data. Identifies the sender first for every kind of payload.
import { livesAt } from '../../../../commands/which-project.js';
import { toldAs } from './inbound-rows.js';
import type { BotJoined, SlackAction, SlackPayload } from './payload.js';
import { type SlackReadContext, type SlackReadResult, silence } from './read-context.js';
import { readMessage } from './read-message.js';
import { readPress, readSubmission } from './read-press.js';
import { readSlash } from './read-slash.js';
import { speakerOf } from './speaker.js';

export function readBody(body: SlackAction, around: SlackReadContext): SlackReadResult {
  switch (body.kind) {
    case 'message':
      return readMessage(body.message, body.isEdit, body.told, around);
    case 'slash':
      return readSlash(body.slash, around);
    case 'press':
      return readPress(body.press, around);
    case 'submission':
      return readSubmission(body.submission, around);
    case 'home':
      return readHome(body.user, around);
    case 'joined':
      return readJoined(body.joined, body.told, around);
  }
}

function readHome(user: string, around: SlackReadContext): SlackReadResult {
  const speaker = speakerOf({ user, team: null, channel: null, isShared: null }, around);
  if (speaker.kind === 'unknown') return { ...silence, asks: speaker.asks };
  return speaker.kind === 'nobody' ? silence : { ...silence, home: user };
}

/** The bot was added to a channel. */
function readJoined(
  { user, channel, inviter }: BotJoined,
  { key, isShared }: SlackPayload,
  around: SlackReadContext,
): SlackReadResult {
  if (user !== around.me.user || inviter === undefined || around.inbox.isKnown('slack', key)) return silence;
  const speaker = speakerOf({ user: inviter, team: null, channel, isShared }, around);
  if (speaker.kind === 'unknown') return { ...silence, asks: speaker.asks };
  const log = `slack: the bot was brought into ${channel}`;
  if (speaker.kind !== 'member') return { ...silence, log };
  const thread = `sl:${channel}`;
  const says = livesAt(around.config, thread).length > 0 ? [] : [toldAs({ key, thread, by: null }, hello(channel))];
  return { ...silence, says, log };
}

function hello(channel: string): string {
  return `I am here. To make this the channel of a project, add to it in config.yaml:\nchats: [{ slack: ${channel} }]\nUntil then I hear what is said to me by name.`;
}
