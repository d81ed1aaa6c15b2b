import { resolve } from 'node:path';
import type { CodingAgent, HookInstaller } from '../../agents/index.js';
import { BosunError } from '../../base/index.js';
import type { ProjectConfig } from '../../config/index.js';
import { hideFromGit, isTracked } from '../../workspace/index.js';
import { placeOf, readPlace, writePlace } from './project-file.js';

export interface HookedAgent extends CodingAgent {
  readonly hook: HookInstaller;
}

export const hasHook = (agent: CodingAgent): agent is HookedAgent => agent.hook !== null;

export interface HookTarget {
  readonly project: ProjectConfig;
  readonly home: string;
  readonly agents: readonly HookedAgent[];
  readonly known: readonly CodingAgent[];
  readonly isRemoving: boolean;
}

export interface HookChange {
  readonly agent: HookedAgent;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly place: string;
}

/** Throws on any obstacle before it writes. */
export async function planInstall(installing: HookTarget): Promise<readonly HookChange[]> {
  const changes = installing.agents.map((agent) => changeFor(installing, agent));
  const { root } = installing.project;
  for (const { agent, path, before, after } of changes) {
    if (before === after || installing.isRemoving) continue;
    if (await isTracked(root, path)) throw isShared(path, agent, installing.known);
  }
  return changes;
}

export async function carryOut({ root }: ProjectConfig, changes: readonly HookChange[]): Promise<void> {
  for (const { path, before, after, place } of changes) {
    if (after !== null) await hideFromGit(root, path);
    if (before !== after) writePlace(root, place, after);
  }
}

function changeFor({ project, home, isRemoving }: HookTarget, agent: HookedAgent): HookChange {
  const { path } = agent.hook;
  const place = placeOf(project.root, path);
  const before = readPlace(place, path);
  const call = isRemoving ? null : { argv: callOf(home, project.name, agent) };
  return { agent, path, place, before, after: agent.hook.edit(before, { project: project.name, call }) };
}

function callOf(home: string, project: string, { kind }: CodingAgent): readonly string[] {
  return [process.execPath, resolve(process.argv[1] ?? ''), '--home', home, 'hook', project, '--agent', kind];
}

/** A shared file must not name this machine's paths. */
function isShared(path: string, agent: HookedAgent, known: readonly CodingAgent[]): BosunError {
  const others = known.flatMap(({ kind }) => (kind === agent.kind ? [] : [kind])).join(' or ');
  return new BosunError('not_allowed', `${path} is tracked by git, so everyone on the project would get this hook`, {
    hint: `Take it out of git (git rm --cached), or install for --agent ${others}.`,
  });
}
