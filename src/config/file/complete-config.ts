import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { errnoOf } from '../../base/index.js';
import type { AgentKind } from '../../jobs/index.js';
import type { ChannelConfigKind } from '../channel-kinds.js';
import type {
  ChannelSettings,
  ChatConfig,
  Config,
  ExecutorSettings,
  PersonConfig,
  ProjectConfig,
  QuietHours,
} from '../config.js';
import type { Environment } from './interpolate.js';
import { groupKey, type RawConfig, type RawExecutor, type RawProject } from './schema.js';

export interface Surroundings {
  readonly path: string;
  readonly folder: string;
  readonly revision: string;
  readonly env: Environment;
  readonly agents: readonly AgentKind[];
  readonly channels: readonly ChannelConfigKind[];
  readonly reservedWords: ReadonlySet<string>;
  readonly unsetRedis: string | null;
}

export function completed(raw: RawConfig, context: Surroundings): Config {
  const executors = Object.entries(raw.executors).map(([name, one]) => [name, executorOf(one, context)] as const);
  return {
    path: context.path,
    revision: context.revision,
    executors: Object.fromEntries(executors),
    projects: Object.entries(raw.projects).map(([name, one]) => projectOf(name, one, raw, context)),
    people: peopleOf(raw, context.channels),
    // Each channel's schema made its part.
    channels: raw.channels as ChannelSettings,
    channelKinds: context.channels,
    reservedWords: context.reservedWords,
    queue: queueOf(raw.queue, context),
    standby: raw.standby,
    web: webOf(raw.web),
    newProjects: newProjectsOf(raw, context),
    intent: intentOf(raw.intent),
    archiveAfterDays: raw.archive.after_days ?? null,
  };
}

function newProjectsOf({ new_projects: raw, executors }: RawConfig, context: Surroundings): Config['newProjects'] {
  if (raw === null) return null;
  const [only = null, ...others] = Object.keys(executors);
  const executor = raw.executor ?? (others.length === 0 ? only : null);
  return { root: real(absolute(raw.root, context)), workflow: raw.workflow, executor };
}

function intentOf(raw: RawConfig['intent']): Config['intent'] {
  if (raw === null) return null;
  return { run: raw.run, timeoutMs: raw.timeout_s * 1_000, env: raw.env, passEnv: raw.pass_env };
}

function queueOf(raw: RawConfig['queue'], { unsetRedis }: Surroundings): Config['queue'] {
  const perKind = Object.entries(raw.per_kind).flatMap(([kind, most]) => (most === undefined ? [] : [[kind, most]]));
  return {
    redis: raw.redis,
    ...(raw.redis === null && unsetRedis !== null ? { unset: unsetRedis } : {}),
    leaseMs: raw.lease_s * 1_000,
    perProject: raw.per_project ?? null,
    perKind: Object.fromEntries(perKind),
  };
}

function executorOf(raw: RawExecutor, context: Surroundings): ExecutorSettings {
  const executor = withoutNeeds(raw, context);
  return raw.needs === undefined ? executor : { ...executor, needs: raw.needs };
}

function withoutNeeds(raw: RawExecutor, context: Surroundings): ExecutorSettings {
  const { env, pass_env: passEnv } = raw;
  if ('file' in raw) return { kind: raw.kind, file: absolute(raw.file, context), env, passEnv };
  // A coding agent may have `run` too.
  if (!('permission' in raw)) {
    const within = raw.answer_within_s === undefined ? {} : { answerWithinMs: raw.answer_within_s * 1000 };
    return { kind: raw.kind, run: raw.run, env, passEnv, wrap: raw.wrap, ...within };
  }
  const { kind, program, model, args, permission, tools, wrap, prices, roles } = raw;
  const answerWithinMs = raw.answer_within_s * 1000;
  const own = ownOf(raw, context);
  const agent = { kind, program, model, args, permission, tools, env, passEnv, wrap, answerWithinMs, prices, roles };
  return own.length === 0 ? agent : { ...agent, own: Object.fromEntries(own) };
}

function ownOf(raw: RawExecutor, { agents }: Surroundings): readonly (readonly [string, unknown])[] {
  const keys = Object.keys(agents.find(({ kind }) => kind === raw.kind)?.schema ?? {});
  return Object.entries(raw).filter(([key]) => keys.includes(key));
}

function webOf({ port, host, public_url: url }: RawConfig['web']): Config['web'] {
  return { port, host, ...(url !== null && { publicUrl: url.replace(/\/+$/, '') }) };
}

function projectOf(name: string, raw: RawProject, whole: RawConfig, context: Surroundings): ProjectConfig {
  const only = Object.keys(whole.executors);
  const { tests, budget } = raw;
  const [executor = only.length === 1 ? (only[0] ?? null) : null, ...fallbacks] = raw.executor ?? [];
  return {
    name,
    root: real(absolute(raw.root, context)),
    aliases: raw.aliases,
    workflow: raw.workflow,
    executor,
    fallbacks,
    fallbackAfterMs: raw.fallback_after_s * 1000,
    level: raw.level,
    deliver: raw.deliver,
    lint: raw.lint,
    check: raw.check,
    tests:
      tests === undefined || tests.run === null
        ? null
        : { run: tests.run, format: tests.format, ...(tests.allow_none && { allowNone: true }) },
    members: raw.members,
    budget: {
      runUsd: budget.run_usd ?? null,
      dayUsd: budget.day_usd ?? null,
      projectUsd: budget.project_usd ?? null,
      zone: budget.zone,
    },
    chats: raw.chats.flatMap((chat) => chatOf(chat, context.channels)),
    afterStory: raw.after_story,
    afterRun: raw.after_run,
    words: raw.words,
    hookSecret: raw.hook_secret,
    webhooks: raw.webhooks,
    worktree: raw.worktree,
    stallAfterMs: raw.stall_after_s * 1000,
    git: {
      remote: raw.git.remote,
      base: raw.git.base,
      largeFileBytes: raw.git.large_file_mb * 1024 * 1024,
      coAuthor: raw.git.co_author,
    },
    asksPrivately: raw.ask_privately,
    quietHours: quietHoursOf(raw.quiet_hours ?? whole.quiet_hours),
  };
}

/** Equal times mean none, so that a project can turn them off. */
function quietHoursOf(raw: RawConfig['quiet_hours']): QuietHours | null {
  if (raw === null || raw.from === raw.to) return null;
  const zone = raw.zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { fromMinute: minuteOf(raw.from), toMinute: minuteOf(raw.to), zone, questionsRing: raw.questions === 'ring' };
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

function chatOf(raw: RawProject['chats'][number], kinds: readonly ChannelConfigKind[]): readonly ChatConfig[] {
  const { topic } = raw;
  return kinds.flatMap(({ name: channel }) => {
    const chat = raw[channel];
    return chat === undefined ? [] : [{ channel, chat, topic: typeof topic === 'number' ? topic : null }];
  });
}

function peopleOf(raw: RawConfig, kinds: readonly ChannelConfigKind[]): readonly PersonConfig[] {
  const known = Object.entries(raw.people).map(([name, ids]) => {
    const idsUnder = (keyOf: (kind: ChannelConfigKind) => string) =>
      kinds.flatMap((kind) => {
        const id = ids[keyOf(kind)];
        return id === undefined ? [] : [{ channel: kind.name, id }];
      });
    const accounts = idsUnder((kind) => kind.name).map(({ channel, id }) => [channel, id]);
    const prefers = kinds.find((kind) => kind.name === ids['prefers'])?.name ?? null;
    return { name, accounts: Object.fromEntries(accounts), group: idsUnder(groupKey)[0] ?? null, prefers };
  });
  const members = new Set(Object.values(raw.projects).flatMap((project) => Object.keys(project.members)));
  const others = [...members].filter((name) => !Object.hasOwn(raw.people, name));
  return [...known, ...others.map((name) => ({ name, accounts: {}, group: null, prefers: null }))];
}

export function absolute(path: string, { folder, env }: Pick<Surroundings, 'folder' | 'env'>): string {
  const user = env['HOME'] || homedir();
  return resolve(folder, path === '~' || path.startsWith('~/') ? `${user}${path.slice(1)}` : path);
}

/** One folder must be one project. A missing folder keeps its name. */
export function real(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errnoOf(error) === '') throw error;
    return path;
  }
}
