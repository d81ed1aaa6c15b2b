import { BosunError } from '../../base/index.js';
import { didYouMean } from '../../engine/index.js';
import type { PlatformId } from '../channel-kinds.js';
import { type Config, projectNamed, type Role } from '../config.js';
import type { HomeOfConfig } from '../home/home.js';
import { editConfig, mapAt } from './edit-config.js';
import { type Environment, escaped } from './interpolate.js';
import { loadConfig } from './read-config.js';

export interface NewProject {
  readonly name: string;
  readonly root: string;
  readonly aliases?: readonly string[] | undefined;
  readonly workflow?: string | undefined;
  readonly executor?: string | undefined;
  readonly level?: string | undefined;
  readonly members?: Readonly<Record<string, string>> | undefined;
  /** Plain, or a variable reference. */
  readonly hook_secret?: string | undefined;
}

export interface NewExecutor {
  readonly kind: string;
  readonly [key: string]: unknown;
}

export interface Member {
  readonly person: string;
  readonly role: Role;
}

export function addProject(home: HomeOfConfig, env: Environment, { name, ...settings }: NewProject): Config {
  return editConfig(home, env, (document) => {
    const projects = mapAt(document, ['projects']);
    if (projects.has(name)) throw taken('project', name);
    projects.set(name, document.createNode(withoutAbsent({ ...settings, root: escaped(settings.root) })));
  });
}

/** Projects that rely on the only executor now name it, so that a second one is not ambiguous. */
export function addExecutor(home: HomeOfConfig, env: Environment, name: string, settings: NewExecutor): Config {
  const before = loadConfig(home, env);
  return editConfig(home, env, (document) => {
    const executors = mapAt(document, ['executors']);
    if (executors.has(name)) throw taken('executor', name);
    executors.set(name, document.createNode(settings));
    for (const project of before.projects) {
      const path = ['projects', project.name, 'executor'];
      if (project.executor !== null && !document.hasIn(path)) document.setIn(path, project.executor);
    }
  });
}

export function setMember(home: HomeOfConfig, env: Environment, project: string, member: Member): Config {
  const { name } = requireProject(loadConfig(home, env), project);
  return editConfig(home, env, (document) => {
    mapAt(document, ['projects', name, 'members']).set(member.person, member.role);
  });
}

export function removeMember(home: HomeOfConfig, env: Environment, project: string, person: string): Config {
  const { name, members } = requireProject(loadConfig(home, env), project);
  if (!Object.hasOwn(members, person)) {
    const hint = `Its members: ${Object.keys(members).join(', ') || 'none'}.`;
    throw new BosunError('not_found', `"${person}" is not a member of ${name}`, { hint });
  }
  return editConfig(home, env, (document) => {
    document.deleteIn(['projects', name, 'members', person]);
  });
}

export function listMembers(config: Config, project: string): readonly Member[] {
  const { members } = requireProject(config, project);
  return Object.entries(members).map(([person, role]) => ({ person, role }));
}

export function setPerson(
  home: HomeOfConfig,
  env: Environment,
  name: string,
  ids: Readonly<Record<string, PlatformId>>,
): Config {
  return editConfig(home, env, (document) => {
    const person = mapAt(document, ['people', name]);
    for (const [channel, id] of Object.entries(ids)) person.set(channel, id);
  });
}

function requireProject(config: Config, said: string) {
  const found = projectNamed(config, said);
  if (found !== null) return found;
  const known = config.projects.flatMap(({ name, aliases }) => [name, ...aliases]);
  throw new BosunError('not_found', `No project "${said}"${didYouMean(said, known)}`, {
    hint: `There are: ${config.projects.map(({ name }) => name).join(', ') || 'none; register one with "bosun init"'}.`,
  });
}

function taken(what: string, name: string): BosunError {
  return new BosunError('not_now', `${what === 'executor' ? 'An' : 'A'} ${what} "${name}" already exists`, {
    hint: 'Choose another name.',
  });
}

function withoutAbsent(settings: object): object {
  const isThere = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => isThere(value)));
}
