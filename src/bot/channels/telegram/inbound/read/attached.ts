// What hangs on a message besides words.
import type { Incoming } from '../../../../commands/incoming-files.js';
import { maxFileBytes } from '../../../../inbound/index.js';
import type { Message } from './update-schema.js';

/** A document, or the largest of a photo's sizes that can be fetched; null: there is none. */
export function fileOf(message: Message): Incoming | null {
  const { document, photo, caption = '', media_group_id: album = null } = message;
  if (document !== undefined) {
    const { file_id: fileId, file_name: name = 'file', file_size: sizeBytes = null } = document;
    return { fileId, name: name.slice(0, 300), sizeBytes, caption, album };
  }
  const fitting = (photo ?? []).filter((one) => (one.file_size ?? 0) <= maxFileBytes);
  const best = fitting.reduce<(typeof fitting)[number] | null>(
    (largest, one) => ((one.file_size ?? 0) >= (largest?.file_size ?? 0) ? one : largest),
    null,
  );
  if (best === null) return null;
  return {
    fileId: best.file_id,
    name: `photo-${message.message_id}.jpg`,
    sizeBytes: best.file_size ?? null,
    caption,
    album,
  };
}

/** What nobody here can listen to or look at. */
export function unreadable({ voice, video_note: round, audio, video }: Message): string | null {
  if (voice !== undefined) return 'voice messages';
  if (audio !== undefined) return 'audio';
  return round !== undefined || video !== undefined ? 'videos' : null;
}
