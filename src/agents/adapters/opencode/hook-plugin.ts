// Reports a session's last message without waiting for Bosun.
import { z } from 'zod';
import { BosunError } from '../../../base/index.js';
import type { HookCall, HookInstaller } from '../port.js';

const path = '.opencode/plugin/bosun.js';
const firstLine = '// Written by "bosun hook install", which also takes it away (--remove). Changes are lost.';

export const pluginHook: HookInstaller = { path, notes: [], edit: (before, { call }) => withPlugin(before, call) };

export function pluginText({ argv }: HookCall): string {
  return `${firstLine}
import { spawn } from 'node:child_process';

const [program, ...args] = ${JSON.stringify(argv)};
const maxChars = 20000;

export const BosunHook = async ({ client }) => ({
  event: async ({ event }) => {
    if (event.type !== 'session.idle' || process.env.BOSUN_TOKEN) return;
    try {
      const id = event.properties.sessionID;
      // Of no session there is nothing to tell.
      if (!id) return;
      const session = await client.session.get({ path: { id } });
      // What another session started reports to that one.
      if (session.data?.parentID) return;
      const messages = (await client.session.messages({ path: { id } })).data ?? [];
      const last = messages.filter(({ info }) => info.role === 'assistant').at(-1);
      const said = (last?.parts ?? []).filter(({ type }) => type === 'text').map(({ text }) => text).join('\\n');
      const child = spawn(program, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
      child.on('error', () => {});
      child.stdin.on('error', () => {});
      child.stdin.end(
        JSON.stringify({
          hook_event_name: 'session.idle',
          session_id: id,
          turn_id: last?.info.id ?? null,
          last_assistant_message: said.slice(-maxChars),
        }),
      );
      child.unref();
    } catch {
      // A session that cannot be reported goes on all the same.
    }
  },
});
`;
}

/** Exactly Bosun's text, which does nothing in its own attempts. */
export function isOwnPlugin(text: string): boolean {
  const argv = /^const \[program, \.\.\.args\] = (\[.*\]);$/m.exec(text)?.[1];
  if (argv === undefined) return false;
  try {
    return text === pluginText({ argv: z.array(z.string()).parse(JSON.parse(argv)) });
  } catch {
    return false;
  }
}

/** Null: remove the file. Throws if it is foreign. */
function withPlugin(text: string | null, call: HookCall | null): string | null {
  const isForeign = text !== null && !text.startsWith(firstLine);
  if (!isForeign) return call === null ? null : pluginText(call);
  throw new BosunError('bad_input', `${path} is not Bosun's, and nothing was written`, { hint: 'Move it away.' });
}
