// Text, keyboards and places of messages that a bot sends, each refused as the platform refuses it.
import { type Request, writableChatOf } from './api.js';
import { type Entity, type Parsed, parseHtml } from './html.js';
import { flagOf, isRecord, numberOf, partOf, textOf } from './params.js';
import { badRequest } from './refusal.js';
import type { Button, Chat } from './world.js';

export const maxTextUnits = 4096;
export const maxCaptionUnits = 1024;
const maxEntities = 100;
const maxEntityBytes = 9_500;
const maxButtons = 100;

export function readText(request: Request, key: 'text' | 'caption'): Parsed {
  const { params } = request;
  const raw = textOf(params, key);
  if (key === 'text' && raw === '') throw badRequest('message text is empty');
  if (/\p{Cs}/u.test(raw)) throw badRequest('strings must be encoded in UTF-8');
  const parsed = trimmed(
    parse(raw, textOf(params, 'parse_mode'), partOf(params, `${key === 'text' ? '' : 'caption_'}entities`)),
  );
  if (key === 'text' && empty.test(parsed.text)) throw badRequest('text must be non-empty');
  if (parsed.text.length > (key === 'text' ? maxTextUnits : maxCaptionUnits)) {
    throw badRequest(key === 'text' ? 'message is too long' : 'message caption is too long');
  }
  if (JSON.stringify(parsed.entities).length > maxEntityBytes) throw badRequest('ENTITIES_TOO_LONG');
  return { text: parsed.text, entities: parsed.entities.slice(0, maxEntities) };
}

/** Nothing to see is nothing. */
const empty = /^[\s\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\ufeff\ufffc]*$/;

function parse(raw: string, mode: string, given: unknown): Parsed {
  if (mode === '') return { text: raw, entities: Array.isArray(given) ? given.filter(isEntity) : [] };
  if (!/^html$/i.test(mode)) throw badRequest('unsupported parse_mode');
  return parseHtml(raw);
}

function isEntity(value: unknown): value is Entity {
  return isRecord(value) && typeof value['offset'] === 'number' && typeof value['length'] === 'number';
}

/** Blank ends go, and so does what could move a cursor. */
function trimmed({ text, entities }: Parsed): Parsed {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
  const clean = text.replace(/[\u0000-\u0009\u000b-\u001f]/g, ' ').trimEnd();
  const first = Math.min(clean.length, ...entities.map((one) => one.offset));
  const lead = Math.min(first, clean.length - clean.trimStart().length);
  const fit = entities.flatMap((one) => {
    const end = Math.min(one.offset + one.length, clean.length) - lead;
    const offset = one.offset - lead;
    return end > offset ? [{ ...one, offset, length: end - offset }] : [];
  });
  return { text: clean.slice(lead), entities: fit };
}

export interface Markup {
  readonly buttons: readonly (readonly Button[])[];
  readonly forcesReply: boolean;
}

export function readMarkup({ params }: Request): Markup {
  const given = partOf(params, 'reply_markup');
  if (given === null) return { buttons: [], forcesReply: false };
  if (!isRecord(given)) throw badRequest('object expected as reply markup');
  const rows = given['inline_keyboard'];
  if (rows === undefined) return { buttons: [], forcesReply: given['force_reply'] === true };
  if (!Array.isArray(rows)) throw badRequest('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array');
  const buttons = rows.map((row: unknown) => {
    if (!Array.isArray(row)) {
      throw badRequest('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays');
    }
    return row.map(readButton);
  });
  if (buttons.flat().length > maxButtons) throw badRequest('reply markup is too long');
  return { buttons: buttons.filter((row) => row.length > 0), forcesReply: false };
}

function readButton(given: unknown): Button {
  const where = "can't parse inline keyboard button";
  if (!isRecord(given)) throw badRequest(`${where}: InlineKeyboardButton must be an Object`);
  const { text, callback_data: data, url } = given;
  if (typeof text !== 'string') throw badRequest(`${where}: Can't find field "text"`);
  if (text.trim() === '') throw badRequest(`${where}: Text must be non-empty`);
  if (/\p{Cs}/u.test(text)) throw badRequest('strings must be encoded in UTF-8');
  if (typeof url === 'string') return { text, url };
  if (typeof data !== 'string') throw badRequest(`${where}: Text buttons are unallowed in the inline keyboard`);
  const bytes = Buffer.byteLength(data);
  if (bytes < 1 || bytes > 64) throw badRequest('BUTTON_DATA_INVALID');
  return { text, callback_data: data };
}

export interface Place {
  readonly chat: Chat;
  readonly topic: number | null;
  readonly replyTo: number | null;
}

/** Where a new message goes: a chat, one of its topics, below another message. */
export function readPlace(request: Request): Place {
  const { params } = request;
  const chat = writableChatOf(request);
  const asked = numberOf(params, 'message_thread_id');
  const replied = repliedOf(request, chat);
  const topic = asked ?? replied?.topic ?? null;
  // The first topic of a forum, General, is known by 1, and yet not when something is sent.
  const known = topic === null ? null : chat.topics.get(topic);
  if (known === undefined) throw badRequest('message thread not found');
  if (known?.isClosed) throw badRequest('TOPIC_CLOSED');
  return { chat, topic, replyTo: replied?.id ?? null };
}

function repliedOf({ params }: Request, chat: Chat): { id: number; topic: number | null } | null {
  const given = partOf(params, 'reply_parameters');
  if (given === null) return null;
  if (!isRecord(given)) throw badRequest('object expected as reply parameters');
  const message = chat.messages.get(Number(given['message_id']));
  if (message && !message.isDeleted) return { id: message.id, topic: message.topic };
  if (given['allow_sending_without_reply'] === true) return null;
  throw badRequest('message to be replied not found');
}

/** Whether the links of a text are shown as pictures below it. */
export function showsPreview({ params }: Request, text: string): boolean {
  const given = partOf(params, 'link_preview_options');
  const isOff = flagOf(params, 'disable_web_page_preview') || (isRecord(given) && given['is_disabled'] === true);
  return !isOff && /https?:\/\/\S/.test(text);
}
