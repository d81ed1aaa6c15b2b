import { didYouMean } from '../../engine/index.js';
import { type Config, executorsOf, type ProjectConfig } from '../config.js';
import type { RawConfig } from './schema.js';

export interface Contradiction {
  readonly path: readonly (string | number)[];
  readonly part: 'key' | 'value';
  readonly message: string;
}

/** `config` must be completed from `raw`. */
export function findContradictions(raw: RawConfig, config: Config): readonly Contradiction[] {
  return [
    ...config.projects.flatMap((project) => findInExecutor(raw, config, project)),
    ...findInNewProjects(raw, config),
    ...findInNames(config),
    ...findSameRoots(config.projects),
    ...findSamePeople(raw),
  ];
}

function findInExecutor(
  raw: RawConfig,
  config: Config,
  { name, executor, fallbacks }: ProjectConfig,
): readonly Contradiction[] {
  const isNamed = raw.projects[name]?.executor !== undefined;
  const path = isNamed ? ['projects', name, 'executor'] : ['projects', name];
  const complain = (message: string): readonly Contradiction[] => [{ path, part: isNamed ? 'value' : 'key', message }];
  const known = Object.keys(config.executors);
  if (executor === null) {
    return known.length === 0 ? [] : complain(`projects.${name} must set "executor": ${known.join(' or ')}`);
  }
  const list = executorsOf({ executor, fallbacks });
  const twice = list.find((one, index) => list.indexOf(one) !== index);
  if (twice !== undefined) return complain(`executor "${twice}" is listed twice`);
  const unknown = list.find((one) => !Object.hasOwn(config.executors, one));
  return unknown === undefined ? [] : complain(noSuchExecutor(unknown, known));
}

function findInNewProjects({ new_projects: raw }: RawConfig, { executors }: Config): readonly Contradiction[] {
  const known = Object.keys(executors);
  if (raw === null || (raw.executor === undefined && known.length < 2)) return [];
  if (raw.executor === undefined) {
    const message = `new_projects must set "executor": ${known.join(' or ')}`;
    return [{ path: ['new_projects'], part: 'key', message }];
  }
  if (Object.hasOwn(executors, raw.executor)) return [];
  const message = noSuchExecutor(raw.executor, known);
  return [{ path: ['new_projects', 'executor'], part: 'value', message }];
}

function noSuchExecutor(executor: string, known: readonly string[]): string {
  // Text unlike a name may be a misplaced secret.
  if (!/^[A-Za-z][\w.-]{0,40}$/.test(executor)) return 'the executor does not exist';
  return `executor "${executor}" does not exist${didYouMean(executor, known)}`;
}

function findInNames({ projects, reservedWords }: Config): readonly Contradiction[] {
  const found: Contradiction[] = [];
  const owners = new Map<string, string>();
  for (const { name } of projects) {
    if (reservedWords.has(name.toLowerCase())) found.push(reserved(['projects', name], 'key', name));
    owners.set(name, name);
  }
  for (const { name, aliases } of projects) {
    for (const [index, alias] of aliases.entries()) {
      const path = ['projects', name, 'aliases', index];
      const said = alias.toLowerCase();
      const owner = owners.get(said);
      if (reservedWords.has(said)) found.push(reserved(path, 'value', alias));
      else if (owner !== undefined && !(owner === name && said === name)) {
        found.push({ path, part: 'value', message: `"${alias}" is already a name of project ${owner}` });
      }
      owners.set(said, owner ?? name);
    }
  }
  return found;
}

function reserved(path: Contradiction['path'], part: 'key' | 'value', word: string): Contradiction {
  return { path, part, message: `"${word}" is a chat command and cannot name a project` };
}

function findSameRoots(projects: readonly ProjectConfig[]): readonly Contradiction[] {
  const owners = new Map<string, string>();
  return projects.flatMap(({ name, root }): Contradiction[] => {
    const owner = owners.get(root);
    owners.set(root, owner ?? name);
    if (owner === undefined) return [];
    return [
      { path: ['projects', name, 'root'], part: 'value', message: `the folder already belongs to project ${owner}` },
    ];
  });
}

function findSamePeople({ people }: RawConfig): readonly Contradiction[] {
  const owners = new Map<string, string>();
  return Object.entries(people).flatMap(([name, ids]) =>
    Object.entries(ids).flatMap(([channel, id]): Contradiction[] => {
      if (channel === 'prefers') return ids[`${id}`] === undefined ? [withoutAccount(name, `${id}`)] : [];
      const key = `${channel} ${id}`;
      const owner = owners.get(key);
      owners.set(key, owner ?? name);
      if (owner === undefined) return [];
      return [
        { path: ['people', name, channel], part: 'value', message: `this ${channel} id already belongs to ${owner}` },
      ];
    }),
  );
}

function withoutAccount(name: string, channel: string): Contradiction {
  const message = `${name} has no ${channel} id: add it as "${channel}", or leave "prefers" out`;
  return { path: ['people', name, 'prefers'], part: 'value', message };
}
