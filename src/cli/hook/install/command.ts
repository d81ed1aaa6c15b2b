// Builds the command of an agent's hook. It has absolute paths, prints nothing and never fails: a Bosun that was
// moved must not hold up an agent.
import { resolve } from 'node:path';
import type { AgentKind } from '../../../jobs/index.js';

export interface BosunCommand {
  readonly node: string;
  readonly entry: string;
  readonly home: string;
  readonly project: string;
  readonly agent: AgentKind;
}

export function callingSelf(home: string, project: string, agent: AgentKind): BosunCommand {
  return { node: process.execPath, entry: resolve(process.argv[1] ?? ''), home, project, agent };
}

export function argvOf({ node, entry, home, project, agent }: BosunCommand): readonly string[] {
  return [node, entry, '--home', home, 'hook', project, '--agent', agent];
}

/** The mark at its end identifies the hook later. */
export function shellCommand(calling: BosunCommand): string {
  return `${argvOf(calling).map(quoted).join(' ')} >/dev/null 2>&1 || true ${markOf(calling.project)}`;
}

export function markOf(project: string): string {
  return `# bosun hook ${project}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
