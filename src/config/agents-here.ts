import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { AgentKind } from '../jobs/index.js';
import type { Environment } from './file/interpolate.js';

export function agentsHere(agents: readonly AgentKind[], env: Environment): readonly AgentKind[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return agents.filter(
    (agent) => needsNoSettings(agent) && folders.some((folder) => isProgram(join(folder, agent.kind))),
  );
}

/** A kind with a `run` setting is not one program. */
export function needsNoSettings({ schema }: AgentKind): boolean {
  return !('run' in schema);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
