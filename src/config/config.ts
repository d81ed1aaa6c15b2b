import type { Delivery } from '../engine/index.js';
import type { ExecutorConfig } from '../jobs/index.js';
import type { ChannelConfigKind, PlatformId } from './channel-kinds.js';

export interface Config {
  readonly path: string;
  readonly revision: string;
  readonly executors: Readonly<Record<string, ExecutorSettings>>;
  readonly projects: readonly ProjectConfig[];
  /** Members named only in projects are included, on the local channel. */
  readonly people: readonly PersonConfig[];
  readonly channels: ChannelSettings;
  readonly channelKinds: readonly ChannelConfigKind[];
  /** No project may take one. */
  readonly reservedWords: ReadonlySet<string>;
  readonly queue: QueueConfig;
  /** Shell lines that restore and replicate the database. */
  readonly standby: { readonly restore: string | null; readonly replicate: string | null } | null;
  readonly web: { readonly port: number; readonly host: string; readonly publicUrl?: string };
  /** Null: chats cannot create projects. */
  readonly newProjects: NewProjectsConfig | null;
  readonly intent: IntentConfig | null;
  /** Days after a run's end, 0: never; null: not said. */
  readonly archiveAfterDays: number | null;
}

export interface NewProjectsConfig {
  /** Parent of new projects, with symlinks resolved. */
  readonly root: string;
  readonly workflow: string;
  readonly executor: string | null;
}

export interface IntentConfig {
  readonly run: readonly string[];
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  readonly passEnv: readonly string[];
}

export interface QueueConfig {
  readonly redis: string | null;
  /** The address names this variable, which is unset. */
  readonly unset?: string;
  /** A worker silent for longer counts as dead. */
  readonly leaseMs: number;
  readonly perProject: number | null;
  /** By kind of executor, and for checks, over all projects. */
  readonly perKind: Readonly<Record<string, number>>;
}

export interface ProjectConfig {
  readonly name: string;
  readonly root: string;
  readonly aliases: readonly string[];
  readonly workflow: string;
  readonly executor: string | null;
  readonly fallbacks: readonly string[];
  /** A longer rate limit is not waited for if another executor is free. */
  readonly fallbackAfterMs: number;
  readonly level: 'manual' | 'semi' | 'auto';
  readonly deliver: Delivery;
  readonly lint: string | null;
  readonly check: string | null;
  readonly tests: { readonly run: string; readonly format: string; readonly allowNone?: true } | null;
  readonly members: Readonly<Record<string, Role>>;
  readonly budget: {
    readonly runUsd: number | null;
    readonly dayUsd: number | null;
    readonly projectUsd: number | null;
    /** Its midnight ends the day; null: the machine's. */
    readonly zone: string | null;
  };
  readonly chats: readonly ChatConfig[];
  /** Null: as the workflow says, else propose. */
  readonly afterStory: 'propose' | 'start' | null;
  readonly afterRun: 'propose' | 'start';
  /** For words to a running step: ask with a button, send at once, or with the next prompt. */
  readonly words: 'ask' | 'now' | 'next';
  readonly hookSecret: string | null;
  readonly webhooks: readonly WebhookConfig[];
  readonly worktree: {
    readonly setup: string | null;
    /** Shared with the project's folder, beside tracked files; null: defaults. */
    readonly link: readonly string[] | null;
  };
  /** Silence before a stall alarm. */
  readonly stallAfterMs: number;
  readonly git: {
    readonly remote: string | null;
    readonly base: string | null;
    /** Larger files need consent before a commit or push. */
    readonly largeFileBytes: number;
    readonly coAuthor: boolean;
  };
  readonly asksPrivately: boolean;
  readonly quietHours: QuietHours | null;
}

/** Minutes since midnight in the zone; may span midnight. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly zone: string;
  readonly questionsRing: boolean;
}

export interface WebhookConfig {
  readonly url: string;
  readonly secret: string | null;
  readonly events: readonly ('run' | 'interaction')[];
}

export type Role = 'owner' | 'operator' | 'reviewer' | 'viewer';

export interface ChatConfig {
  readonly channel: string;
  readonly chat: PlatformId;
  /** Null: the whole chat. */
  readonly topic: number | null;
}

export interface PersonConfig {
  readonly name: string;
  readonly accounts: Readonly<Record<string, PlatformId>>;
  /** Each member has an id of their own: `reviewers/U02BOB`. */
  readonly group: { readonly channel: string; readonly id: PlatformId } | null;
  /** The channel that notifies them where several could; null: no choice. */
  readonly prefers: string | null;
}

export interface ChannelSettings {
  readonly [channel: string]: object | null;
}

/** `needs`: abilities that a worker must have. */
export type ExecutorSettings = ExecutorConfig & { readonly needs?: readonly string[] };

export function executorsOf({ executor, fallbacks }: Pick<ProjectConfig, 'executor' | 'fallbacks'>): readonly string[] {
  return executor === null ? [] : [executor, ...fallbacks];
}

/** Cached per project list: every event asks, and homes may have thousands. */
const indexes = new WeakMap<Config['projects'], ReadonlyMap<string, ProjectConfig>>();

export function projectWithName({ projects }: Pick<Config, 'projects'>, name: string): ProjectConfig | null {
  // Reversed: the first of two with one name counts.
  const index = indexes.get(projects) ?? new Map([...projects].reverse().map((one) => [one.name, one] as const));
  indexes.set(projects, index);
  return index.get(name) ?? null;
}

export function projectNamed(config: Config, nameOrAlias: string): ProjectConfig | null {
  const said = nameOrAlias.toLowerCase();
  const named = projectWithName(config, said);
  if (named !== null) return named;
  return config.projects.find(({ aliases }) => aliases.some((alias) => alias.toLowerCase() === said)) ?? null;
}
