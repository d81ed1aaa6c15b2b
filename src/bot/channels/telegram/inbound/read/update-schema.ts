import { z } from 'zod';

const id = z.number().int().refine(Number.isSafeInteger);
const maxTextChars = 50_000;
const text = z.string().max(maxTextChars);
const label = z.string().max(1_000);

const user = z.object({ id, is_bot: z.boolean(), first_name: label, username: label.optional() });
const chat = z.object({ id, type: z.enum(['private', 'group', 'supergroup', 'channel']), title: label.optional() });
const entities = z
  .array(z.object({ type: label, offset: z.number().int().min(0), length: z.number().int().min(0) }))
  .max(1_000);
const file = z.object({ file_id: label, file_unique_id: label, file_size: z.number().min(0).optional() });
const document = file.extend({ file_name: label.optional() });

const message = z.object({
  message_id: id,
  from: user.optional(),
  sender_chat: chat.optional(),
  chat,
  date: z.number().int(),
  edit_date: z.number().int().optional(),
  message_thread_id: id.optional(),
  is_topic_message: z.boolean().optional(),
  text: text.optional(),
  entities: entities.optional(),
  caption: text.optional(),
  caption_entities: entities.optional(),
  forward_origin: z.object({}).optional(),
  via_bot: user.optional(),
  reply_to_message: z.object({ message_id: id, from: user.optional() }).optional(),
  document: document.optional(),
  photo: z.array(file).max(50).optional(),
  voice: file.optional(),
  video_note: file.optional(),
  audio: file.optional(),
  video: file.optional(),
  media_group_id: label.optional(),
  migrate_to_chat_id: id.optional(),
});

const press = z.object({
  id: label,
  from: user,
  message: z
    .object({
      message_id: id,
      chat,
      message_thread_id: id.optional(),
      is_topic_message: z.boolean().optional(),
    })
    .optional(),
  data: label.optional(),
});

const standing = z.object({ status: label });
const place = z.object({ chat, from: user, old_chat_member: standing, new_chat_member: standing });

export const updateSchema = z.object({
  update_id: id,
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: press.optional(),
  my_chat_member: place.optional(),
});

export const allowedUpdates = ['message', 'edited_message', 'callback_query', 'my_chat_member'] as const;

export type Update = z.output<typeof updateSchema>;
export type TelegramMessage = z.output<typeof message>;
export type TelegramPress = z.output<typeof press>;
export type TelegramStanding = z.output<typeof place>;
export type TelegramUser = z.output<typeof user>;
export type TelegramChat = z.output<typeof chat>;

export interface TelegramBot {
  readonly id: number;
  readonly username: string;
}
