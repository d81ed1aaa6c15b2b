// The command that an agent's hook runs. It finds this very Bosun and this home from wherever it is called, says nothing,
// and never fails: an agent must not be held up because Bosun moved away.
import { resolve } from 'node:path';
import type { AgentName } from '../../../bot/index.js';

export interface BosunCommand {
  readonly node: string;
  /** Bosun's own program. */
  readonly entry: string;
  readonly home: string;
  readonly project: string;
  readonly agent: AgentName;
}

/** The Bosun that runs now. */
export function callingSelf(home: string, project: string, agent: AgentName): BosunCommand {
  return { node: process.execPath, entry: resolve(process.argv[1] ?? ''), home, project, agent };
}

export function argvOf({ node, entry, home, project, agent }: BosunCommand): readonly string[] {
  return [node, entry, '--home', home, 'hook', project, '--agent', agent];
}

/** For a shell. What comes last is how it is known again. */
export function shellCommand(calling: BosunCommand): string {
  return `${argvOf(calling).map(quoted).join(' ')} >/dev/null 2>&1 || true ${markOf(calling.project)}`;
}

export function markOf(project: string): string {
  return `# bosun hook ${project}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
