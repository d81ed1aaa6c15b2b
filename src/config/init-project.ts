// `bosun init`: every check precedes the first write.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BosunError, errnoOf } from '../base/index.js';
import { didYouMean } from '../engine/index.js';
import { needsNoSettings } from './agents-here.js';
import { type Config, type ProjectConfig, projectNamed } from './config.js';
import { addExecutor, addProject, type NewProject } from './file/additions.js';
import { absolute, real } from './file/complete-config.js';
import type { Environment } from './file/interpolate.js';
import { isLoopback } from './file/loopback.js';
import { loadConfig } from './file/read-config.js';
import type { HomeOfConfig } from './home/home.js';

const hookVariable = 'HOOK_SECRET';

export interface InitRequest {
  readonly root: string;
  readonly name?: string | undefined;
  readonly aliases?: readonly string[] | undefined;
  readonly workflow?: string | undefined;
  readonly executor?: string | undefined;
  readonly level?: string | undefined;
  readonly members?: NewProject['members'];
  /** A person decided about an existing `.ai/STATE.json`. */
  readonly isSettled?: boolean;
}

export function initProject(home: HomeOfConfig, env: Environment, request: InitRequest): ProjectConfig {
  const config = loadConfig(home, env);
  const root = requireFolder(request.root, env);
  requireUnknown(config, root);
  requireGit(root);
  const name = request.name ?? nameOfFolder(root);
  requireFreeNames(config, name, request.aliases ?? []);
  requireExecutor(home, config, request.executor);
  requireNoState(root, request.isSettled === true);
  const { aliases, workflow, executor, level, members } = request;
  if (executor !== undefined) ensureExecutor(home, env, config, executor);
  const hook_secret = isLoopback(config.web.host) ? undefined : hookSecret(env);
  const after = addProject(home, env, { name, root, aliases, workflow, executor, level, members, hook_secret });
  ensureAi(root, { isSettled: true });
  const added = projectNamed(after, name);
  if (added === null) throw new Error(`project ${name} was added but is missing from the configuration`);
  return added;
}

export function ensureAi(root: string, { isSettled }: { readonly isSettled: boolean }): string {
  requireNoState(root, isSettled);
  const path = join(root, '.ai');
  try {
    mkdirSync(path, { recursive: true });
    return path;
  } catch (cause) {
    throw new BosunError('disk', `Cannot create ${path} (${errnoOf(cause) || 'unknown error'})`, {
      hint: 'Give the user that runs Bosun write access to the project.',
      cause,
    });
  }
}

/** `My Shop (2)` → `my-shop-2`. */
export function nameOfFolder(root: string): string {
  const plain = basename(root)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-');
  const name = plain.replace(/^[-_]+/, '').slice(0, 40);
  const startsWell = /^[a-z]/.test(name) ? name : `project-${name}`.slice(0, 40);
  return startsWell.replace(/[-_]+$/, '');
}

function requireFolder(said: string, env: Environment): string {
  const root = real(absolute(said, { folder: process.cwd(), env }));
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return root;
  throw new BosunError('not_found', `${root} is not a folder`, { hint: 'Give the folder of a project under git.' });
}

function requireUnknown(config: Config, root: string): void {
  const known = config.projects.find((project) => project.root === root);
  if (known === undefined) return;
  throw new BosunError('not_now', `${root} is already the project "${known.name}"`, {
    hint: `Change its settings in ${config.path}.`,
  });
}

function requireGit(root: string): void {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return;
    if (folder === dirname(folder)) break;
  }
  throw new BosunError('git', `${root} is not under git`, { hint: `Run "git init ${root}" and commit its files.` });
}

export function requireFreeNames(config: Config, name: string, aliases: readonly string[]): void {
  if (!/^[a-z][a-z0-9_-]{0,40}$/.test(name)) {
    throw new BosunError('bad_input', `"${name.slice(0, 60)}" cannot be a project's name`, {
      hint: 'A name must be a lowercase letter, then up to 40 lowercase letters, digits, - or _. Choose another with --name.',
    });
  }
  for (const word of [name, ...aliases]) {
    const option = word === name ? '--name' : '--alias';
    if (config.reservedWords.has(word.toLowerCase())) {
      throw new BosunError('bad_input', `"${word}" is a chat command and cannot name a project`, {
        hint: `Choose another with ${option}.`,
      });
    }
    const owner = projectNamed(config, word);
    if (owner === null) continue;
    throw new BosunError('not_now', `"${word}" is already a name of the project ${owner.name} (${owner.root})`, {
      hint: `Choose another with ${option}.`,
    });
  }
}

/** Known agents need no settings; their credentials are passed by name. */
function ensureExecutor(home: HomeOfConfig, env: Environment, config: Config, executor: string): void {
  const agent = home.agents.find(({ kind }) => kind === executor);
  if (agent === undefined || !needsNoSettings(agent) || Object.hasOwn(config.executors, executor)) return;
  const keys = agent.keys.filter((name) => env[name]);
  addExecutor(home, env, executor, { kind: agent.kind, ...(keys.length > 0 ? { pass_env: keys } : {}) });
}

/** If other machines can reach Bosun, it refuses to start without one. */
function hookSecret(env: Environment): string {
  return env[hookVariable] ? `\${${hookVariable}}` : randomBytes(32).toString('hex');
}

function requireExecutor({ agents }: HomeOfConfig, config: Config, executor: string | undefined): void {
  const kinds = agents.filter(needsNoSettings).map(({ kind }) => kind);
  if (executor === undefined || Object.hasOwn(config.executors, executor) || kinds.includes(executor)) return;
  const known = [...Object.keys(config.executors), ...kinds];
  throw new BosunError('not_found', `executor "${executor}" does not exist${didYouMean(executor, known)}`, {
    hint: `${config.path} has: ${Object.keys(config.executors).join(', ') || 'none yet'}. Built in: ${kinds.join(', ')}.`,
  });
}

function requireNoState(root: string, isSettled: boolean): void {
  const path = join(root, '.ai', 'STATE.json');
  if (isSettled || !existsSync(path)) return;
  throw new BosunError('not_now', `${path} already exists`, {
    hint: 'Use --yes to resume from it, or --afresh to start over. Bosun keeps a copy either way.',
  });
}
