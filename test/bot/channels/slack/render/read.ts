// What blocks say, and whether the platform would take any of it for more than letters.
import type { Block } from '../../../../../src/bot/channels/slack/render/index.js';

export interface Said {
  readonly text: string;
  readonly of: string;
  readonly markup: 'none' | 'emoji' | 'mrkdwn' | 'mention';
}

/** Every text of every block, wherever it stands. */
export function textsOf(blocks: readonly Block[]): readonly Said[] {
  return blocks.flatMap((block) => within(block, block.type));
}

function within(value: unknown, of: string): readonly Said[] {
  if (Array.isArray(value)) return value.flatMap((one) => within(one, of));
  if (typeof value !== 'object' || value === null) return [];
  const { type, text, emoji, fallback } = value as Readonly<Record<string, unknown>>;
  if (typeof text === 'string') return [{ text, of, markup: markupOf(String(type), emoji) }];
  if (type === 'date') return [{ text: String(fallback), of, markup: 'none' }];
  if (['user', 'usergroup', 'broadcast', 'channel', 'team', 'link', 'emoji'].includes(String(type)))
    return [{ text: '', of, markup: 'mention' }];
  return Object.values(value).flatMap((one) => within(one, typeof type === 'string' ? type : of));
}

function markupOf(type: string, emoji: unknown): Said['markup'] {
  if (type === 'plain_text') return emoji === false ? 'none' : 'emoji';
  // An element of rich text is letters alone; a link with words is none of those.
  return type === 'text' ? 'none' : 'mrkdwn';
}
