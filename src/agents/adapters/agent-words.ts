// Passes people's words to a running turn. Bosun keeps words until they arrived, so a broken connection loses none.
import type { AskingBosun, HeardWords } from '../../jobs/asks/index.js';
import type { AgentSession } from './port.js';

export interface WordParts {
  readonly session: Pick<AgentSession, 'steer'>;
  readonly bosun: Pick<AskingBosun, 'words' | 'missing'>;
  readonly record: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Ends if Bosun refuses: an earlier version lacks the call. */
export async function passWords({ session, bosun, record, signal }: WordParts): Promise<void> {
  if (session.steer === undefined || bosun.missing !== null) return;
  let heard: HeardWords | null = null;
  while (!signal.aborted) {
    const said = await bosun.words(heard, signal);
    if (said.state !== 'words') return;
    const isHeard = await session.steer(`${said.by} says, while you work:\n${said.text}`);
    record(`[words] of ${said.by} ${isHeard ? 'given to the agent' : 'came after the turn'}`);
    heard = { key: said.key, is_heard: isHeard };
  }
}
