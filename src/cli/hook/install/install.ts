// Plans and writes the hook file of each agent.

import { BosunError } from '../../../base/index.js';
import type { ProjectConfig } from '../../../config/index.js';
import { type AgentKind, agentKinds } from '../../../jobs/index.js';
import { hideFromGit, isTracked } from '../../../workspace/index.js';
import { callingSelf, markOf, shellCommand } from './command.js';
import { withPlugin } from './plugin.js';
import { placeOf, readPlace, writePlace } from './project-file.js';
import { withHook } from './settings.js';

export interface HookTarget {
  readonly project: ProjectConfig;
  readonly home: string;
  readonly agents: readonly AgentKind[];
  readonly isRemoving: boolean;
}

export interface HookChange {
  readonly agent: AgentKind;
  /** Relative to the project's folder. */
  readonly path: string;
  readonly before: string | null;
  /** null: no file. */
  readonly after: string | null;
  readonly place: string;
}

const paths: Readonly<Record<AgentKind, string>> = {
  claude: '.claude/settings.local.json',
  codex: '.codex/hooks.json',
  opencode: '.opencode/plugin/bosun.js',
};

/** Throws on any obstacle before anything is written. */
export async function planInstall(installing: HookTarget): Promise<readonly HookChange[]> {
  const changes = installing.agents.map((agent) => changeFor(installing, agent));
  const { root } = installing.project;
  for (const { agent, path, before, after } of changes) {
    if (before === after || installing.isRemoving) continue;
    if (await isTracked(root, path)) throw isShared(path, agent);
  }
  return changes;
}

export async function carryOut({ root }: ProjectConfig, changes: readonly HookChange[]): Promise<void> {
  for (const { path, before, after, place } of changes) {
    if (after !== null) await hideFromGit(root, path);
    if (before !== after) writePlace(root, place, after);
  }
}

function changeFor({ project, home, isRemoving }: HookTarget, agent: AgentKind): HookChange {
  const path = paths[agent];
  const place = placeOf(project.root, path);
  const before = readPlace(place, path);
  const calling = isRemoving ? null : callingSelf(home, project.name, agent);
  if (agent === 'opencode') return { agent, path, place, before, after: withPlugin(path, before, calling) };
  const wanted = { mark: markOf(project.name), command: calling && shellCommand(calling) };
  const after = before === null && isRemoving ? null : withHook(path, before, wanted);
  return { agent, path, place, before, after };
}

/** A shared file must not name paths of this machine. */
function isShared(path: string, agent: AgentKind): BosunError {
  const others = agentKinds.filter((one) => one !== agent).join(' or ');
  return new BosunError('not_allowed', `${path} is under git, so all who work on the project would get this hook`, {
    hint: `Take it out of git (git rm --cached), or install for --agent ${others}.`,
  });
}
