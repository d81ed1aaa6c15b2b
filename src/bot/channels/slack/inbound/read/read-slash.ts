import { codeText, tooFast } from '../../../../inbound/index.js';
import { directThread } from '../../thread-ids.js';
import { saidAs } from './inbound-rows.js';
import { plainOf } from './message-words.js';
import type { SlashCommand } from './payload.js';
import { type SlackReadContext, type SlackReadResult, silence } from './read-context.js';
import { speakerOf } from './speaker.js';
import { isDirect, onlyFor, openedFor, slashKey } from './thread-keys.js';

export function readSlash(slash: SlashCommand, context: SlackReadContext): SlackReadResult {
  const { user_id: user, team_id: team, channel_id: channel, trigger_id: trigger } = slash;
  const key = slashKey(trigger);
  if (context.inbox.isKnown('slack', key)) return silence;
  const speaker = speakerOf({ user, team, channel, isShared: null }, context);
  switch (speaker.kind) {
    case 'unknown':
      return { ...silence, asks: speaker.asks };
    case 'nobody':
      return silence;
    case 'refused':
      return answered(speaker.why);
    case 'stranger': {
      const answer = context.knock({ channel: 'slack', id: user, name: speaker.name, code: codeIn(slash) });
      return answer === null ? silence : answered(codeText(answer));
    }
    case 'member':
      return readMembers(slash, key, speaker.name, context);
  }
}

function readMembers(slash: SlashCommand, key: string, by: string, context: SlackReadContext): SlackReadResult {
  const { config, reader, grammar } = context;
  const { channel_id: channel, user_id: user } = slash;
  const text = plainOf(slash.text ?? '') || 'help';
  const isIn = isDirect(channel) || context.isIn(channel);
  if (isIn === null) return { ...silence, asks: { of: 'channel', id: channel } };
  // The bot could not post here.
  if (!isIn) return answered(notHere);
  const isTooFast = context.rate.note(by, context.now()) !== 'fine';
  const parsed = grammar.understand(text, config.projects);
  const effect = grammar.effectOf(parsed);
  if (isTooFast && effect !== 'stops') return answered(tooFast);
  const body = { type: 'text', text, replyTo: null } as const;
  const read = { parsed, projects: config.projects };
  if (isDirect(channel)) {
    // The bot is absent from chats between two people, so it answers in its own.
    const isOwn = reader.thread(`sl:${channel}`) !== null;
    const thread = directThread(context, user, isOwn ? channel : null);
    return { ...silence, says: [saidAs({ key, thread, by }, body, read)] };
  }
  if (effect === null || effect === 'reads' || effect === 'setting') {
    return { ...silence, says: [saidAs({ key, thread: onlyFor(channel, user, context), by }, body, read)] };
  }
  const thread = openedFor(channel, key);
  return { ...silence, says: [saidAs({ key, thread, by }, { ...body, asked: text }, read)] };
}

const notHere = "I'm not in this channel, so I did nothing. Invite me (/invite @bosun), or write to me privately.";

function codeIn({ text = '' }: SlashCommand): string | undefined {
  return /^\S{1,64}$/.test(text.trim()) ? text.trim() : undefined;
}

function answered(text: string): SlackReadResult {
  return { ...silence, answer: { response_type: 'ephemeral', text } };
}
