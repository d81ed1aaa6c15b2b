// Speaks on the platform of the channel that docs/extending.md adds, and reads what the bot shows there.
import { join } from 'node:path';
import type { View } from '../../../../src/store/index.js';

interface EchoUpdate {
  readonly id: string;
  readonly chat: string;
  readonly from: string;
  readonly text: string | null;
  readonly press: string | null;
}

/** As the page's platform.ts has it, which the type checker does not see. */
interface EchoPlatform {
  readonly posts: readonly { readonly chat: string; readonly view: View }[];
  deliver(update: EchoUpdate): Promise<void>;
}

const onPage = join(import.meta.dirname, '../../../../src/bot/channels/echo/platform.js');

export async function echoChat() {
  const { echoPlatform }: { echoPlatform: EchoPlatform } = await import(onPage);
  let updates = 0;
  const update = (said: Omit<EchoUpdate, 'id'>): EchoUpdate => {
    updates += 1;
    return { id: `u${updates}`, ...said };
  };
  return {
    write: (from: string, chat: string, text: string) => update({ from, chat, text, press: null }),
    press: (from: string, chat: string, press: string) => update({ from, chat, text: null, press }),
    deliver: (one: EchoUpdate) => echoPlatform.deliver(one),
    shownIn: (chat: string) => echoPlatform.posts.filter((one) => one.chat === chat).map(({ view }) => view),
  };
}
