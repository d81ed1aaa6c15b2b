// A chat as a person sees it in the end.
import type { Chat, Message } from './world.js';

export interface Shown {
  readonly id: number;
  readonly by: string;
  readonly topic: number | null;
  readonly text: string;
  readonly buttons: readonly (readonly string[])[];
  readonly file: string | null;
  readonly isEdited: boolean;
  /** It made a phone ring when it came; edits never do. */
  readonly rang: boolean;
  readonly isPinned: boolean;
  readonly reaction: string | null;
  readonly replyTo: number | null;
}

export function shown(chat: Chat, topic?: number | null): readonly Shown[] {
  return messagesOf(chat, topic).map((one) => ({
    id: one.id,
    by: one.senderChat?.title ?? one.from?.first_name ?? '',
    topic: one.topic,
    // A word joiner shows nothing.
    text: one.text.replaceAll('\u2060', ''),
    buttons: one.buttons.map((row) => row.map(({ text }) => text)),
    file: one.file?.name ?? null,
    isEdited: one.editedAt !== null,
    rang: !one.isSilent,
    isPinned: one.isPinned,
    reaction: one.reaction,
    replyTo: one.replyTo,
  }));
}

/** Those that are still there. */
export function messagesOf(chat: Chat, topic?: number | null): readonly Message[] {
  return [...chat.messages.values()].filter(
    (one) => !one.isDeleted && Object.keys(one.service).length === 0 && (topic === undefined || one.topic === topic),
  );
}

export function fromBot(chat: Chat, bot: number, topic?: number | null): readonly Message[] {
  return messagesOf(chat, topic).filter((one) => one.from?.id === bot);
}
