// Keeps a checkout's `.codex` out: its configuration, rules and hooks could widen the sandbox and allow commands.
import { realpathSync } from 'node:fs';
import type { AgentSeat } from '../port.js';
import { foldersUpFrom, ignoresCheckout, instructionsIn } from '../shared/checkout.js';
import { resumedSession } from '../shared/seat.js';

/** Overrides a trust that a person gave by hand, and one that Codex gives itself when a thread may write. */
export function distrustArgs(seat: AgentSeat): readonly string[] {
  if (!ignoresCheckout(seat)) return [];
  const folders = new Set([seat.workdir, seat.root].flatMap(foldersUpFrom).flatMap(spellings));
  // JSON strings are valid TOML.
  const entries = [...folders].map((folder) => `${JSON.stringify(folder)}={trust_level="untrusted"}`);
  return ['-c', `projects={${entries.join(',')}}`];
}

/** Codex reads no AGENTS.md of a folder that it does not trust. A resumed thread has read it; '': there is none. */
export function agentsFiles(seat: AgentSeat): string {
  if (!ignoresCheckout(seat) || resumedSession(seat) !== null) return '';
  return instructionsIn(foldersUpFrom(seat.workdir), ['AGENTS.override.md', 'AGENTS.md']);
}

/** Codex looks for both the given and the real path. */
function spellings(folder: string): readonly string[] {
  try {
    return [folder, realpathSync(folder)];
  } catch {
    // It is not there, so Codex cannot begin in it either.
    return [folder];
  }
}
