// The coding agents that Bosun supports, and the variables that may hold their credentials.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from './file/interpolate.js';

export interface KnownAgent {
  readonly kind: 'claude' | 'codex' | 'opencode';
  readonly keys: readonly string[];
}

export const agents: readonly KnownAgent[] = [
  { kind: 'claude', keys: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'] },
  { kind: 'codex', keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
  { kind: 'opencode', keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'] },
];

export function agentNamed(name: string): KnownAgent | null {
  return agents.find(({ kind }) => kind === name) ?? null;
}

/** Those found on PATH. */
export function agentsHere(env: Environment): readonly KnownAgent[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return agents.filter(({ kind }) => folders.some((folder) => isProgram(join(folder, kind))));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable.
    return false;
  }
}
