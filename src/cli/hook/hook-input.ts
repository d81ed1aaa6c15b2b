// What an agent hands to its hook: JSON on standard input or as an argument, each agent in its own words.
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { AgentName } from '../../bot/index.js';

export interface SessionEnd {
  readonly id: string;
  /** Of one session's turns, which one; null where the agent does not tell. */
  readonly turn: string | null;
  /** The end of the agent's last words. */
  readonly text: string;
  /** Where it ran, where its hook is called for sessions in whatever folder. */
  readonly folder: string | null;
}

const maxBytes = 1024 * 1024;
/** Of the last words; it fits into a pipe that nobody reads yet. */
const maxTextChars = 20_000;
const waitMs = 2_000;

const word = z.string().max(2_000).nullish();
const words = z.string().max(maxBytes).nullish();
/** Claude Code and Codex name their fields alike; what Codex hands to `notify` is spelled with dashes. */
const schema = z.looseObject({
  session_id: word,
  'thread-id': word,
  prompt_id: word,
  turn_id: word,
  'turn-id': word,
  hook_event_name: word,
  type: word,
  cwd: z.string().max(4_096).nullish(),
  last_assistant_message: words,
  'last-assistant-message': words,
});

/** null: nothing that tells of a session's end. */
export function readSessionEnd(input: string): SessionEnd | null {
  const parsed = schema.safeParse(jsonOf(input));
  if (!parsed.success) return null;
  const said = parsed.data;
  const event = said.hook_event_name ?? said.type ?? null;
  // Others of its events come before its end, or after it, and say less.
  if (event !== null && !ends.has(event)) return null;
  const text = said.last_assistant_message ?? said['last-assistant-message'] ?? '';
  const id = said.session_id ?? said['thread-id'] ?? '';
  if (id === '' && text.trim() === '') return null;
  const turn = said.prompt_id ?? said.turn_id ?? said['turn-id'] ?? null;
  const folder = said.type === anywhere ? (said.cwd ?? null) : null;
  return {
    id: id === '' ? 'unnamed' : id.slice(0, 200),
    turn: turn ? turn.slice(0, 200) : null,
    text: endOf(text),
    folder,
  };
}

/** The same again, for `readSessionEnd` of another process. */
export function writeSessionEnd({ id, turn, text, folder }: SessionEnd): string {
  const event = folder === null ? { hook_event_name: 'Stop' } : { type: anywhere, cwd: folder };
  return JSON.stringify({ session_id: id, turn_id: turn, last_assistant_message: text, ...event });
}

/** Whoever never closes it, or never stops writing, is not waited for. */
export async function readInput(stdin: Readable & { readonly isTTY?: boolean }): Promise<string> {
  if (stdin.isTTY === true) return '';
  const chunks: Buffer[] = [];
  let bytes = 0;
  const limit = AbortSignal.timeout(waitMs);
  const stop = () => stdin.destroy();
  limit.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin) {
      const piece = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      bytes += piece.byteLength;
      if (bytes > maxBytes) return '';
      chunks.push(piece);
    }
  } catch {
    // It broke off or took too long; half of a JSON document tells nothing.
    return '';
  } finally {
    limit.removeEventListener('abort', stop);
  }
  return limit.aborted ? '' : Buffer.concat(chunks).toString('utf8');
}

/** The last whole lines: there it says how it went. */
function endOf(text: string): string {
  if (text.length <= maxTextChars) return text;
  const end = text.slice(-maxTextChars);
  return end.slice(end.indexOf('\n') + 1);
}

/** What Codex calls the event of its `notify`, which is set for all folders at once. */
const anywhere = 'agent-turn-complete';
const ends: ReadonlySet<string> = new Set(['Stop', anywhere, 'session.idle']);

function jsonOf(text: string): unknown {
  try {
    return text.length > maxBytes ? null : JSON.parse(text);
  } catch {
    // No JSON tells nothing.
    return null;
  }
}

export function isAgentName(said: string, names: readonly AgentName[]): said is AgentName {
  return names.some((name) => name === said);
}
