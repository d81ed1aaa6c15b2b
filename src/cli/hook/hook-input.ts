// JSON on standard input or as an argument, in each agent's format.
import type { Readable } from 'node:stream';
import { z } from 'zod';

export interface SessionEnd {
  readonly id: string;
  readonly turn: string | null;
  readonly text: string;
  /** Null unless the hook covers sessions in any folder. */
  readonly folder: string | null;
}

const maxBytes = 1024 * 1024;
/** Fits a pipe buffer, so that writing does not block. */
const maxTextChars = 20_000;
const waitMs = 2_000;

const word = z.string().max(2_000).nullish();
const words = z.string().max(maxBytes).nullish();
/** Shared by Claude Code and Codex; Codex's `notify` uses dashes. */
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

export function readSessionEnd(input: string): SessionEnd | null {
  const parsed = schema.safeParse(jsonOf(input));
  if (!parsed.success) return null;
  const said = parsed.data;
  const event = said.hook_event_name ?? said.type ?? null;
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

/** `readSessionEnd` reads it in another process. */
export function writeSessionEnd({ id, turn, text, folder }: SessionEnd): string {
  const event = folder === null ? { hook_event_name: 'Stop' } : { type: anywhere, cwd: folder };
  return JSON.stringify({ session_id: id, turn_id: turn, last_assistant_message: text, ...event });
}

/** Stops at a time and size limit. */
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
    return '';
  } finally {
    limit.removeEventListener('abort', stop);
  }
  return limit.aborted ? '' : Buffer.concat(chunks).toString('utf8');
}

/** The outcome is in the last lines. */
function endOf(text: string): string {
  if (text.length <= maxTextChars) return text;
  const end = text.slice(-maxTextChars);
  return end.slice(end.indexOf('\n') + 1);
}

/** Codex's `notify` is set once for all folders. */
const anywhere = 'agent-turn-complete';
const ends: ReadonlySet<string> = new Set(['Stop', anywhere, 'session.idle']);

function jsonOf(text: string): unknown {
  try {
    return text.length > maxBytes ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
