// A home with many small projects, a person for each, and a workflow whose agent keeps a log of what really happened.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openHome } from '../open-home.js';

export interface Project {
  readonly name: string;
  readonly root: string;
  /** Whom its chat belongs to, on Telegram. */
  readonly person: number;
}

export interface Place {
  readonly folder: string;
  readonly home: string;
  readonly db: string;
  readonly effects: string;
  readonly projects: readonly Project[];
  /** The home of a worker that has not this one's disk. */
  awayHome(name: string): string;
  remove(): void;
}

export interface PlaceOptions {
  readonly projects: number;
  /** Each of so many projects has a remote, so that workers without the disk can do it; null: none has. */
  readonly remoteEvery: number | null;
  readonly leaseS: number;
  /** Null: nobody talks to it there. */
  readonly telegram: { readonly token: string; readonly apiRoot: string } | null;
  /** How long the agent works before it leaves its line, and after. */
  readonly agentS: readonly [number, number];
}

const firstPerson = 1_001;
const fixtures = join(import.meta.dirname, 'fixtures');

export function givenPlace(options: PlaceOptions): Place {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-chaos-'));
  const home = openHome(join(folder, 'home'));
  mkdirSync(join(folder, 'at-work'));
  mkdirSync(join(folder, 'logs'));
  const effects = join(folder, 'effects.log');
  writeFileSync(effects, '');
  const template = templateIn(folder);
  const projects = Array.from({ length: options.projects }, (_, at): Project => {
    const name = `p${String(at + 1).padStart(2, '0')}`;
    const root = join(folder, 'projects', name);
    cpSync(template, root, { recursive: true });
    return { name, root, person: firstPerson + at };
  });
  const remoteOf = (at: number) =>
    options.remoteEvery !== null && at % options.remoteEvery === 0
      ? join(folder, 'remotes', `${projects[at]?.name}.git`)
      : null;
  for (const [at, { root }] of projects.entries()) {
    const remote = remoteOf(at);
    if (remote !== null) git(folder, 'clone', '--quiet', '--bare', root, remote);
  }
  const shared = sharedConfig(folder, options);
  writeFileSync(
    home.configPath,
    stringify({
      ...shared,
      ...channelsOf(options),
      people: Object.fromEntries(projects.map(({ name, person }) => [`of-${name}`, { telegram: person }])),
      projects: Object.fromEntries(
        projects.map(({ name, root }, at) => {
          const remote = remoteOf(at);
          const git = remote === null ? {} : { git: { remote } };
          return [name, { root, workflow: join(fixtures, 'chaos.yaml'), members: { [`of-${name}`]: 'owner' }, ...git }];
        }),
      ),
    }),
    { mode: 0o600 },
  );
  return {
    ...{ folder, home: home.dir, db: home.dbPath, effects, projects },
    awayHome(name) {
      const away = openHome(join(folder, 'away', name));
      writeFileSync(away.configPath, stringify(shared), { mode: 0o600 });
      return away.dir;
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function channelsOf({ telegram }: PlaceOptions) {
  if (telegram === null) return {};
  return { channels: { telegram: { token: telegram.token, api_root: telegram.apiRoot } } };
}

function sharedConfig(folder: string, { leaseS, agentS: [first, then] }: PlaceOptions) {
  const env = { CHAOS_FOLDER: folder, CHAOS_FIRST_S: String(first), CHAOS_THEN_S: String(then) };
  return {
    // Each process has a way of its own to Redis.
    queue: { redis: '$' + '{REDIS_URL}', lease_s: leaseS },
    executors: { scripted: { kind: 'command', run: ['sh', join(fixtures, 'agent.sh')], env } },
  };
}

function templateIn(folder: string): string {
  const root = join(folder, 'template');
  mkdirSync(root);
  writeFileSync(join(root, 'README.md'), 'A small project.\n');
  git(root, 'init', '--quiet', '--initial-branch=main', '--template=');
  git(root, 'config', 'user.name', 'Chaos');
  git(root, 'config', 'user.email', 'chaos@example.invalid');
  git(root, 'config', 'gc.auto', '0');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message=A small project');
  return root;
}

export function git(cwd: string, ...args: readonly string[]): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', timeout: 30_000 });
}
