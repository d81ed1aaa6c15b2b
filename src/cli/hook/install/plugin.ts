// Generates OpenCode's plugin, which reports a session's last message without waiting for Bosun.
import { BosunError } from '../../../base/index.js';
import { argvOf, type BosunCommand } from './command.js';

const firstLine = '// Written by "bosun hook install", which also takes it away (--remove). Changes are lost.';

export function pluginText(calling: BosunCommand): string {
  return `${firstLine}
import { spawn } from 'node:child_process';

const [program, ...args] = ${JSON.stringify(argvOf(calling))};
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

/** null: remove the file. Throws if it is not Bosun's own. */
export function withPlugin(path: string, text: string | null, calling: BosunCommand | null): string | null {
  const isForeign = text !== null && !text.startsWith(firstLine);
  if (!isForeign) return calling === null ? null : pluginText(calling);
  throw new BosunError('bad_input', `${path} is not Bosun's, and nothing was written`, { hint: 'Move it away.' });
}
