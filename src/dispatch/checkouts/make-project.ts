// Creates a git folder below the configured parent and its entry in config.yaml. A failure removes the folder.
import { existsSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BosunError } from '../../base/index.js';
import {
  type Config,
  type Environment,
  type HomeOfConfig,
  initProject,
  isBelow,
  requireFreeNames,
} from '../../config/index.js';
import { startRepository } from '../../workspace/index.js';

export interface NewFolder {
  readonly name: string;
  /** Null: the home's owner. */
  readonly owner: string | null;
}

export function placeOfNewProject(config: Config, name: string): { readonly root: string } | { readonly why: string } {
  const { newProjects, path } = config;
  if (newProjects === null) {
    return { why: `No folder for new projects is configured: set new_projects: { root: <folder> } in ${path}.` };
  }
  try {
    requireFreeNames(config, name, []);
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return { why: `${error.message}.` };
  }
  const { root: parent, executor } = newProjects;
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    return { why: `${parent} is not a folder: correct new_projects.root in ${path}.` };
  }
  const closed = [dirname(path), ...config.projects.map(({ root }) => root)];
  if (closed.some((folder) => folder === parent || isBelow(folder, parent))) {
    return { why: `${parent} is inside Bosun's home or a project: correct new_projects.root in ${path}.` };
  }
  if (executor === null) return { why: `No executor is configured in ${path}.` };
  const root = join(parent, name);
  if (lstatSync(root, { throwIfNoEntry: false }) !== undefined) return { why: `${root} already exists.` };
  return { root };
}

export async function makeProject(
  home: HomeOfConfig,
  env: Environment,
  config: Config,
  { name, owner }: NewFolder,
): Promise<void> {
  const place = placeOfNewProject(config, name);
  if ('why' in place) throw new BosunError('not_now', place.why);
  const { root } = place;
  // Race: fails on an existing folder, so the cleanup removes only our own.
  mkdirSync(root);
  try {
    await startRepository(root, `Start ${name}`);
    const { workflow, executor } = config.newProjects ?? {};
    const members = owner === null ? undefined : { [owner]: 'owner' };
    initProject(home, env, { root, name, workflow, executor: executor ?? undefined, members });
  } catch (error) {
    // `.ai` comes last and marks the project as registered.
    if (!existsSync(join(root, '.ai'))) rmSync(root, { recursive: true, force: true });
    throw error;
  }
}
