// `sl:C01GEN:1712.3` begins with that message, `sl:C01GEN:r12` was opened by Bosun, `sl:C01GEN:@U02BOB` is for one
// person.
import type { KnownChats, ThreadIds } from '../../../config/index.js';
import type { DeliveryRows, ThreadReader } from '../../../store/index.js';

const threadId = /^sl:([A-Z0-9]{2,40})(?::(?:(\d{1,12}\.\d{1,8})|(r\d{1,12}|c[0-9a-f]{8,40})|@([A-Z0-9]{2,40})))?$/;

export const slackThreads: ThreadIds = {
  /** `opened`: placed by Bosun's first message; `only`: one person sees it. */
  decode(id) {
    const found = threadId.exec(id);
    if (found === null) return null;
    const [, chat = '', ts, opened, only] = found;
    return { chat, ...(ts && { ts }), ...(opened && { opened }), ...(only && { only }) };
  },
  boundThread: ({ chat }) => `sl:${chat}`,
  privateThread: (user, known) => threadOfTwo(String(user), known?.movedTo(String(user)) ?? null, known),
  isPrivateChat: (chat) => /^[DU]/.test(chat),
  asideThread: (chat, user) => `sl:${chat}:@${user}`,
  runThread: (chat, run) => `sl:${chat}:${run}`,
};

/** `channel`: the direct chat's id; null: look it up. */
export function directThread({ reader, deliveries }: DirectRows, user: string, channel: string | null = null): string {
  const movedTo = (chat: string) => deliveries.moves('slack').get(chat) ?? null;
  return threadOfTwo(user, channel ?? movedTo(user), { isKnown: (thread) => reader.thread(thread) !== null, movedTo });
}

export interface DirectRows {
  readonly reader: Pick<ThreadReader, 'thread'>;
  readonly deliveries: Pick<DeliveryRows, 'moves'>;
}

/** A direct chat's two ids are one thread, under the id known first. */
function threadOfTwo(user: string, own: string | null, known: KnownChats | null): string {
  const isKnown = (chat: string) => known?.isKnown(`sl:${chat}`) === true;
  return own === null || (!isKnown(own) && isKnown(user)) ? `sl:${user}` : `sl:${own}`;
}
