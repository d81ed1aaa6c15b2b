// Read-only beside a running Bosun. A missing database is an empty home.
import { existsSync } from 'node:fs';
import { BosunError } from '../base/index.js';
import { type Config, type ProjectConfig, projectNamed } from '../config/index.js';
import { type ProjectStatus, projectStatus } from '../dispatch/index.js';
import type { Run } from '../engine/index.js';
import { type HomeReader, openStore, type SqliteStore } from '../store/index.js';
import type { CommandContext } from './command-context.js';

/** `read` gets null without a database. */
export async function withStore<T>(
  cli: CommandContext,
  read: (store: SqliteStore | null) => T | Promise<T>,
): Promise<T> {
  const { dbPath, channels: threads } = cli.home;
  const store = existsSync(dbPath) ? openStore(dbPath, { readonly: true, threads }) : null;
  try {
    return await read(store);
  } finally {
    store?.close();
  }
}

/** `r12` or `12`. */
export function withRun<T>(
  cli: CommandContext,
  name: string | ((store: HomeReader) => string),
  read: (store: SqliteStore, run: Run) => T | Promise<T>,
): Promise<T> {
  return withStore(cli, (store) => {
    const said = typeof name === 'string' ? name : store === null ? '' : name(store);
    const id = /^\d+$/.test(said) ? `r${said}` : said.toLowerCase();
    const run = store?.run(id) ?? null;
    if (store === null || run === null) throw noRun(said, store);
    return read(store, run);
  });
}

export function projectsMeant(config: Config, said: string | undefined): readonly ProjectConfig[] {
  return said === undefined ? config.projects : [projectMeant(config, said)];
}

export function projectMeant(config: Config, said: string): ProjectConfig {
  const found = projectNamed(config, said);
  if (found !== null) return found;
  const known = config.projects.map(({ name }) => name).join(', ');
  throw new BosunError('not_found', `No project "${said}"`, {
    hint: known === '' ? 'There is none yet: register one with "bosun init".' : `There are: ${known}.`,
  });
}

export function statusOf(store: HomeReader | null, project: ProjectConfig): ProjectStatus {
  if (store !== null) return projectStatus(store, project, Date.now());
  const { name, aliases, level } = project;
  return {
    project: name,
    aliases,
    level,
    health: 'idle',
    run: null,
    items: [],
    nodes: [],
    interactions: [],
    drafts: [],
    opened: null,
  };
}

/** The project's status may show another run. */
export function statusOfRun(store: HomeReader, run: Run, config: Config): ProjectStatus {
  const project = projectNamed(config, run.project) ?? { ...unregistered, name: run.project, level: run.level };
  const alone: HomeReader = {
    ...store,
    liveRuns: () => [run],
    drafts: () => [],
    openInteractions: (name) => store.openInteractions(name).filter((one) => one.run === run.id),
  };
  return projectStatus(alone, project, Date.now());
}

/** For a run whose project left config.yaml. */
const unregistered: Omit<ProjectConfig, 'name' | 'level'> = {
  root: '',
  aliases: [],
  workflow: '',
  executor: null,
  fallbacks: [],
  fallbackAfterMs: 300_000,
  deliver: 'commit',
  lint: null,
  check: null,
  tests: null,
  members: {},
  budget: { runUsd: null, dayUsd: null, projectUsd: null, zone: null },
  chats: [],
  afterStory: 'propose',
  afterRun: 'start',
  words: 'ask',
  hookSecret: null,
  webhooks: [],
  worktree: { setup: null, link: null },
  stallAfterMs: 600_000,
  git: { remote: null, base: null, largeFileBytes: 10 * 1024 * 1024, coAuthor: true },
  asksPrivately: false,
  quietHours: null,
};

const namedRuns = 5;

function noRun(said: string, store: HomeReader | null): BosunError {
  const last = store?.runs(null, namedRuns, null).map(({ id }) => id) ?? [];
  const hint = last.length === 0 ? 'There is none yet.' : `The latest runs: ${last.join(', ')}.`;
  return new BosunError('not_found', `No run "${said}"`, { hint });
}
