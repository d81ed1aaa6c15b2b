// What hangs on a message besides words.
import type { Incoming } from '../../../../commands/incoming-files.js';
import type { SlackFile, SlackMessage } from './payload.js';

/** The words that were said with them stand at the first one. */
export function filesOf(message: SlackMessage, channel: string, caption: string): readonly Incoming[] {
  const files = (message.files ?? []).filter((one) => !isHeard(one));
  const album = files.length > 1 ? `${channel}:${message.ts}` : null;
  return files.map((one, index) => ({
    fileId: one.url_private_download ?? one.id,
    name: (one.name ?? 'file').slice(0, 300),
    sizeBytes: one.size ?? null,
    caption: index === 0 ? caption : '',
    album,
  }));
}

/** What nobody here can listen to or look at. */
export function unreadable({ files = [] }: SlackMessage): string | null {
  const clip = files.find(isHeard);
  if (clip === undefined) return null;
  return clip.mimetype?.startsWith('audio/') === true || clip.subtype === 'slack_audio' ? 'voice messages' : 'videos';
}

function isHeard({ mimetype, subtype }: SlackFile): boolean {
  return /^(?:audio|video)\//.test(mimetype ?? '') || subtype === 'slack_audio' || subtype === 'slack_video';
}
