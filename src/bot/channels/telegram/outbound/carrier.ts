// One call per post: the next step of a message.

import { type Api, GrammyError, InputFile } from 'grammy';
import type { Thread } from '../../../../store/index.js';
import { laneOf } from '../../../../store/index.js';
import type { Carrier, Limits, OutgoingMessage, PostResult } from '../../../delivery/index.js';
import {
  afterStep,
  duringStep,
  type MessagePlace,
  nextStep,
  placeText,
  readPlace,
} from '../../../delivery/message-steps.js';
import type { PictureReader } from '../../../render/picture-file.js';
import { grammySignal, type Signal } from '../client.js';
import type { Keyboard } from '../render/keyboard.js';
import type { Part } from '../render/render.js';
import { answerTo, type TelegramCall } from './carrier-answer.js';
import {
  piecesOf,
  type TelegramFile,
  type TelegramPiece,
  type TelegramStep,
  type TelegramText,
} from './carrier-steps.js';

/** Measured from a call's end, so that latency never brings two too close. */
const privateLimits: Limits = { gapMs: 1_000, perMinute: 60, progressGapMs: 2_500 };
const groupLimits: Limits = { gapMs: 3_000, perMinute: 20, progressGapMs: 6_000 };
const allLimits: Limits = { gapMs: 40, perMinute: 1_500 };
const maxAnswerChars = 200;
const repeatMark = '(perhaps a repeat)';

export interface TelegramCarrier extends Carrier {
  /** "Seen"; null removes it. */
  react(
    at: { readonly chat: string; readonly message: number },
    emoji: Emoji | null,
    signal: AbortSignal,
  ): Promise<PostResult>;
  answerPress(id: string, text: string, signal: AbortSignal): Promise<PostResult>;
}

export type Emoji = Extract<Parameters<Api['setMessageReaction']>[2][number], { type: 'emoji' }>['emoji'];

export function telegramCarrier(api: Api, read: PictureReader): TelegramCarrier {
  const parts: CarrierParts = { api, read, takesMoments: true };
  return {
    channel: 'telegram',
    laneOf,
    limits: allLimits,
    limitsOf: (lane) => (lane.startsWith('-') ? groupLimits : privateLimits),
    placeUnderWay(parcel) {
      if (parcel.place === null) return null;
      const place = readPlace(parcel.place);
      const step = nextStep<TelegramText, TelegramFile>(piecesOf(parcel), place);
      return placeText(step === null ? place : duringStep(place, step));
    },
    post: (parcel, signal) => post(parts, parcel, grammySignal(signal)),
    probe: (signal) => tried('other', () => api.getMe(grammySignal(signal))),
    typing: ({ address }, lane, signal) =>
      tried('other', () => api.sendChatAction(lane, 'typing', topicOf(address), grammySignal(signal))),
    react: ({ chat, message }, emoji, signal) =>
      tried('other', () =>
        api.setMessageReaction(
          chat,
          message,
          emoji === null ? [] : [{ type: 'emoji', emoji }],
          {},
          grammySignal(signal),
        ),
      ),
    answerPress: (id, text, signal) =>
      tried('other', () =>
        api.answerCallbackQuery(id, text === '' ? {} : { text: shortened(text) }, grammySignal(signal)),
      ),
  };
}

interface CarrierParts {
  readonly api: Api;
  readonly read: PictureReader;
  /** False: this Bot API server is older than the tag for times. */
  takesMoments: boolean;
}

async function post(parts: CarrierParts, parcel: OutgoingMessage, signal: Signal): Promise<PostResult> {
  const pieces = piecesOf(parcel);
  const place = readPlace(parcel.place);
  const step = nextStep<TelegramText, TelegramFile>(pieces, place);
  if (step === null) return posted(pieces, place);
  try {
    const id = await takeWithMoments(parts, parcel, step, signal);
    return posted(pieces, afterStep(place, step, id));
  } catch (error) {
    const answer = answerTo(error, step.type);
    if (answer.kind === 'unchanged') return posted(pieces, afterStep(place, step, ''));
    if (answer.kind === 'plainer' && parcel.isPlain)
      return { kind: 'refused', why: String(error).slice(0, 200), of: 'message' };
    return answer;
  }
}

function posted(pieces: readonly TelegramPiece[], place: MessagePlace): PostResult {
  const isWhole = nextStep<TelegramText, TelegramFile>(pieces, place) === null;
  return { kind: 'posted', place: placeText(place), ids: place.map(({ id }) => id), isWhole };
}

async function takeWithMoments(...[parts, parcel, step, signal]: Parameters<typeof take>): Promise<string> {
  try {
    return await take(parts, parcel, step, signal);
  } catch (error) {
    if (!parts.takesMoments || !(error instanceof GrammyError) || !error.description.includes('tg-time')) throw error;
    parts.takesMoments = false;
    return take(parts, parcel, step, signal);
  }
}

async function take(parts: CarrierParts, parcel: OutgoingMessage, step: TelegramStep, signal: Signal): Promise<string> {
  const { api } = parts;
  const { lane } = parcel;
  switch (step.type) {
    case 'send':
      return String((await send(parts, parcel, step.piece, signal)).message_id);
    case 'edit': {
      const { text, as } = wordsOf(parts, parcel, { piece: step.piece, isRepeat: false });
      const { reply_markup, ...rest } = editOptions(step.piece.part, as);
      await api.editMessageText(
        lane,
        Number(step.at.id),
        text,
        { ...rest, reply_markup: mutable(reply_markup) },
        signal,
      );
      return step.at.id;
    }
    case 'delete':
      await api.deleteMessage(lane, Number(step.at.id), signal);
      return step.at.id;
  }
}

function send(
  parts: CarrierParts,
  parcel: OutgoingMessage,
  piece: TelegramPiece,
  signal: Signal,
): Promise<{ readonly message_id: number }> {
  const { api, read } = parts;
  const { lane, thread, card, isRepeat } = parcel;
  const topic = topicOf(thread.address);
  if (piece.kind === 'file') {
    const { bytes, name } = 'document' in piece ? piece.document : read(piece.picture);
    const caption = isRepeat ? { caption: repeatMark } : {};
    const how = { ...topic, ...caption, disable_notification: true };
    const file = new InputFile(bytes, name);
    return isPhoto(name) && 'picture' in piece
      ? api.sendPhoto(lane, file, how, signal).catch((error: unknown) => {
          // Too thin, or too many pixels.
          if (!isUnfit(error)) throw error;
          return api.sendDocument(lane, new InputFile(bytes, name), how, signal);
        })
      : api.sendDocument(lane, file, how, signal);
  }
  const { text, as } = wordsOf(parts, parcel, { piece, isRepeat });
  const { reply_markup, ...rest } = sendOptions(piece.part, as, card?.startsWith('text:') === true);
  const markup =
    reply_markup === undefined
      ? {}
      : { reply_markup: 'force_reply' in reply_markup ? reply_markup : mutable(reply_markup) };
  return api.sendMessage(lane, text, { ...topic, ...replyTo(parcel), ...rest, ...markup }, signal);
}

/** A GIF sent as a photo loses its motion. */
function isPhoto(name: string): boolean {
  return /\.(?:png|jpg|webp)$/.test(name);
}

function isUnfit(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 400 && /PHOTO|IMAGE/i.test(error.description);
}

interface Worded {
  readonly piece: TelegramText;
  readonly isRepeat: boolean;
}

function wordsOf({ takesMoments }: CarrierParts, { isPlain }: OutgoingMessage, { piece, isRepeat }: Worded) {
  const { html, plain } = piece.part;
  const words = isPlain ? plain : takesMoments ? html : html.replace(/<\/?tg-time[^>]*>/g, '');
  return { text: isRepeat ? `${words}\n${repeatMark}` : words, as: isPlain ? ('plain' as const) : ('html' as const) };
}

interface Rows<T> {
  readonly inline_keyboard: readonly (readonly T[])[];
}

/** The client wants mutable arrays. */
function mutable<T>({ inline_keyboard: rows }: Rows<T>): { inline_keyboard: T[][] } {
  return { inline_keyboard: rows.map((row) => [...row]) };
}

/** The message may be deleted. */
function replyTo({ repliesTo }: OutgoingMessage) {
  if (repliesTo == null) return {};
  return { reply_parameters: { message_id: Number(repliesTo), allow_sending_without_reply: true } };
}

/** Telegram refuses the General topic's id. */
function topicOf({ topic }: Thread['address']): { message_thread_id?: number } {
  return topic === undefined || topic === '1' ? {} : { message_thread_id: Number(topic) };
}

async function tried(doing: TelegramCall, call: () => Promise<unknown>): Promise<PostResult> {
  try {
    await call();
    return { kind: 'unchanged' };
  } catch (error) {
    return answerTo(error, doing);
  }
}

function shortened(text: string): string {
  const chars = [...text];
  return chars.length <= maxAnswerChars / 2 ? text : `${chars.slice(0, maxAnswerChars / 2 - 1).join('')}…`;
}

export interface EditOptions {
  readonly link_preview_options: { readonly is_disabled: true };
  readonly reply_markup: { readonly inline_keyboard: Keyboard };
  readonly parse_mode?: 'HTML';
}

export interface SendOptions extends Omit<EditOptions, 'reply_markup'> {
  readonly disable_notification: boolean;
  readonly reply_markup?:
    | { readonly inline_keyboard: Keyboard }
    /** Only for the person replied to. */
    | { readonly force_reply: true; readonly selective: true };
}

/** An edit without a keyboard removes it. */
export function editOptions({ keyboard }: Part, as: 'html' | 'plain'): EditOptions {
  return {
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: as === 'html' ? keyboard : withoutLinks(keyboard) },
    ...(as === 'html' ? { parse_mode: 'HTML' } : {}),
  };
}

function withoutLinks(keyboard: Keyboard): Keyboard {
  return keyboard.map((row) => row.filter((one) => !('url' in one))).filter((row) => row.length > 0);
}

/** `asksForWords`: opens a reply, without buttons. */
export function sendOptions(part: Part, as: 'html' | 'plain', asksForWords = false): SendOptions {
  const { reply_markup, ...rest } = editOptions(part, as);
  const common = { ...rest, disable_notification: part.isSilent };
  if (part.keyboard.length > 0) return { ...common, reply_markup };
  return asksForWords ? { ...common, reply_markup: { force_reply: true, selective: true } } : common;
}
