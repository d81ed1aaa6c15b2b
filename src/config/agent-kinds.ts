// The coding agents that Bosun supports, and which of them this machine has.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type AgentKind, agentKinds, credentialKeys } from '../jobs/index.js';
import type { Environment } from './file/interpolate.js';

export interface KnownAgent {
  readonly kind: AgentKind;
  readonly keys: readonly string[];
}

export const agents: readonly KnownAgent[] = agentKinds.map((kind) => ({ kind, keys: credentialKeys[kind] }));

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
