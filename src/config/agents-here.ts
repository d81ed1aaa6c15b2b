// Which of the known coding agents this machine has.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { AgentKind } from '../jobs/index.js';
import type { Environment } from './file/interpolate.js';

/** Those found on PATH; a kind whose `run` names the program is none itself. */
export function agentsHere(agents: readonly AgentKind[], env: Environment): readonly AgentKind[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return agents.filter(
    ({ kind, schema }) => !('run' in schema) && folders.some((folder) => isProgram(join(folder, kind))),
  );
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
