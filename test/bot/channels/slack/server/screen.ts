// A channel or a thread as a person sees it in the end.
import { buttonsOf, textIn } from './interact.js';
import { isRecord } from './params.js';
import { repliesOf } from './wire.js';
import type { Channel, Json, Message, View, World } from './world.js';

export interface Shown {
  readonly ts: string;
  readonly by: string;
  readonly threadTs: string | null;
  /** Of the blocks where there are any: then nobody sees the text. */
  readonly text: string;
  /** What a notification reads. */
  readonly fallback: string;
  readonly buttons: readonly string[];
  readonly files: readonly string[];
  /** By the emoji's names. */
  readonly reactions: readonly string[];
  readonly replies: number;
  readonly isEdited: boolean;
  /** Only this person sees it. */
  readonly ephemeralTo: string | null;
  readonly unfurls: boolean;
}

export function shown(world: World, channel: Channel, threadTs?: string | null): readonly Shown[] {
  return world.messages(channel, threadTs).map((one) => ({
    ts: one.ts,
    by: world.users.get(one.user)?.realName ?? one.user,
    threadTs: one.threadTs,
    text: withoutJoiners(one.blocks.length > 0 ? textOfBlocks(world, one.blocks) : readable(world, one.text)),
    fallback: withoutJoiners(readable(world, one.text)),
    buttons: buttonsOf(one.blocks).map(({ label }) => label),
    files: one.files.map(({ name }) => name),
    reactions: [...one.reactions.keys()],
    replies: repliesOf(one).length,
    isEdited: one.editedTs !== null,
    ephemeralTo: one.ephemeralTo,
    unfurls: one.unfurls,
  }));
}

/** One text: a paragraph for each message, its buttons in brackets below. */
export function screenText(world: World, channel: Channel, threadTs?: string | null): string {
  return shown(world, channel, threadTs).map(paragraph).join('\n\n');
}

export function viewText(world: World, view: View): string {
  const title = textIn(view.json['title']);
  const buttons = buttonsOf(view.json['blocks']).map(({ label }) => `[${label}]`);
  const submit = textIn(view.json['submit']);
  const below = submit === '' ? buttons : [...buttons, `[${submit}]`];
  return [title, textOfBlocks(world, view.json['blocks']), below.join(' ')].filter((one) => one !== '').join('\n');
}

function paragraph({ by, text, buttons, files, ephemeralTo, reactions }: Shown): string {
  const head = `${by}${ephemeralTo === null ? '' : ' (only to you)'}: ${text}`;
  const below = [
    ...buttons.map((one) => `[${one}]`),
    ...files.map((one) => `<${one}>`),
    ...reactions.map((one) => `:${one}:`),
  ];
  return below.length === 0 ? head : `${head}\n${below.join(' ')}`;
}

function textOfBlocks(world: World, blocks: unknown): string {
  if (!Array.isArray(blocks)) return '';
  const texts = blocks.filter(isRecord).map((block) => textOfBlock(world, block));
  return texts.filter((one) => one !== '').join('\n');
}

function textOfBlock(world: World, block: Json): string {
  switch (block['type']) {
    case 'divider':
      return '---';
    case 'actions':
      return '';
    case 'input':
      return `${textIn(block['label'])}: ____`;
    case 'context':
      return listOf(block['elements'])
        .map((one) => shownText(world, one))
        .join(' ');
    case 'section': {
      const columns = listOf(block['fields']).map((one) => shownText(world, one));
      const words = isRecord(block['text']) ? [shownText(world, block['text'])] : [];
      return [...words, columns.join(' · ')].filter((one) => one !== '').join('\n');
    }
    case 'rich_text':
      return deepText(block['elements']);
    case 'image':
      return `<${String(block['alt_text'])}>`;
    default:
      return shownText(world, isRecord(block['text']) ? block['text'] : { text: block['text'] });
  }
}

function listOf(given: unknown): readonly Json[] {
  return Array.isArray(given) ? given.filter(isRecord) : [];
}

/** Plain text is shown as it is. */
function shownText(world: World, given: Json): string {
  const text = textIn(given);
  if (given['type'] === 'image') return `<${String(given['alt_text'])}>`;
  return given['type'] === 'plain_text' ? text : readable(world, text);
}

function deepText(given: unknown): string {
  if (Array.isArray(given)) return given.map(deepText).join('');
  if (!isRecord(given)) return '';
  if (typeof given['text'] === 'string') return given['text'];
  if (given['type'] === 'date') return dateText(given);
  return `${deepText(given['elements'])}${given['type'] === 'rich_text_section' ? '\n' : ''}`.replace(/\n$/, '');
}

/** As a person in this machine's zone sees it. */
function dateText({ timestamp, format }: Json): string {
  const at = new Date(Number(timestamp) * 1000);
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const date = at.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
  return String(format).replace('{time}', time).replace('{date_short}', date);
}

/** Marks become what stands for them. */
function readable(world: World, text: string): string {
  return text
    .replace(/<@(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${world.users.get(id)?.realName ?? id}`)
    .replace(/<#(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `#${world.channels.get(id)?.name ?? id}`)
    .replace(/<!(\w+)(?:\^[^>]*)?>/g, '@$1')
    .replace(/<([^>|]+)\|([^>]*)>/g, '$2')
    .replace(/<(https?:[^>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** A word joiner shows nothing. */
function withoutJoiners(text: string): string {
  return text.replaceAll('\u2060', '');
}

export function ofBot(world: World, channel: Channel, threadTs?: string | null): readonly Message[] {
  return world.messages(channel, threadTs).filter((one) => one.user === world.bot.id);
}
