// Security: a checkout's `.codex` stays out, because its configuration, rules and hooks could widen the sandbox.
import { realpathSync } from 'node:fs';
import type { AgentSeat } from '../port.js';
import { foldersUpFrom, ignoresCheckout, instructionsIn } from '../shared/checkout.js';
import { resumedSession } from '../shared/seat.js';

/** Overrides trust given by hand, or by Codex when a thread may write. */
export function distrustArgs(seat: AgentSeat): readonly string[] {
  if (!ignoresCheckout(seat)) return [];
  const folders = new Set([seat.workdir, seat.root].flatMap(foldersUpFrom).flatMap(spellings));
  // JSON strings are valid TOML.
  const entries = [...folders].map((folder) => `${JSON.stringify(folder)}={trust_level="untrusted"}`);
  return ['-c', `projects={${entries.join(',')}}`];
}

/** Codex skips AGENTS.md of untrusted folders. '': none, or a resumed thread has read it. */
export function agentsFiles(seat: AgentSeat): string {
  if (!ignoresCheckout(seat) || resumedSession(seat) !== null) return '';
  return instructionsIn(foldersUpFrom(seat.workdir), ['AGENTS.override.md', 'AGENTS.md']);
}

/** Codex looks up the given and the real path. */
function spellings(folder: string): readonly string[] {
  try {
    return [folder, realpathSync(folder)];
  } catch {
    return [folder];
  }
}
