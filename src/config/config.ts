// The configuration as the code uses it: config.yaml read, checked and completed with defaults.
import type { Delivery } from '../engine/index.js';
import type { ExecutorConfig } from '../jobs/index.js';
import type { ChannelConfigKind, PlatformId } from './channel-kinds.js';

export interface Config {
  readonly path: string;
  /** A hash of the file's text. */
  readonly revision: string;
  readonly executors: Readonly<Record<string, ExecutorSettings>>;
  readonly projects: readonly ProjectConfig[];
  /** The entries of `people`, and members named only in projects, who are known on the local channel alone. */
  readonly people: readonly PersonConfig[];
  readonly channels: ChannelSettings;
  /** The kinds that `channels` may name. */
  readonly channelKinds: readonly ChannelConfigKind[];
  /** No project may have one of these names. */
  readonly reservedWords: ReadonlySet<string>;
  readonly queue: QueueConfig;
  /** null: no standby. Shell lines that restore the database and that replicate it. */
  readonly standby: { readonly restore: string | null; readonly replicate: string | null } | null;
  /** `publicUrl`: where people reach the page, without a slash at its end; absent: cards have no link to it. */
  readonly web: { readonly port: number; readonly host: string; readonly publicUrl?: string };
  /** null: no project can be created from chat. */
  readonly newProjects: NewProjectsConfig | null;
  /** null: no program interprets unclear sentences. */
  readonly intent: IntentConfig | null;
}

export interface NewProjectsConfig {
  /** The parent folder of new projects, with symlinks resolved. */
  readonly root: string;
  readonly workflow: string;
  /** null only if no executor is configured, or several and none is named. */
  readonly executor: string | null;
}

/** A program that chooses among Bosun's own proposals. */
export interface IntentConfig {
  readonly run: readonly string[];
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  readonly passEnv: readonly string[];
}

export interface QueueConfig {
  /** null: the embedded queue. */
  readonly redis: string | null;
  /** The variable that should hold the address but is unset. */
  readonly unset?: string;
  /** A worker silent for longer counts as dead. */
  readonly leaseMs: number;
  /** How many attempts of one project may run in parallel; null: no limit. */
  readonly perProject: number | null;
  /** The same limit for each kind of executor, and for checks, over all projects. */
  readonly perKind: Readonly<Record<string, number>>;
}

export interface ProjectConfig {
  readonly name: string;
  readonly root: string;
  readonly aliases: readonly string[];
  readonly workflow: string;
  /** The first of its list; null only while no executor is configured. */
  readonly executor: string | null;
  /** Those that take over while the ones before them fail, in order; empty: none. */
  readonly fallbacks: readonly string[];
  /** A limit that lasts longer is not waited for, if another executor is there. */
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
    /** The time zone whose midnight ends the day; null: the machine's. */
    readonly zone: string | null;
  };
  readonly chats: readonly ChatConfig[];
  /** null: as the workflow says, else propose. */
  readonly afterStory: 'propose' | 'start' | null;
  /** Whether the next queued task starts by itself once a run is over. */
  readonly afterRun: 'propose' | 'start';
  /** What becomes of words to a running step: a button asks, or they go at once, or with its next prompt. */
  readonly words: 'ask' | 'now' | 'next';
  readonly hookSecret: string | null;
  readonly webhooks: readonly WebhookConfig[];
  readonly worktree: {
    /** The owner's shell line that prepares a fresh worktree. */
    readonly setup: string | null;
    /** Paths that a worktree shares with the project's folder, beside what git tracks; null: the defaults. */
    readonly link: readonly string[] | null;
  };
  /** An agent silent for this long raises a stall alarm. */
  readonly stallAfterMs: number;
  readonly git: {
    readonly remote: string | null;
    readonly base: string | null;
    /** Larger files are committed or pushed only after a person agrees. */
    readonly largeFileBytes: number;
    /** Whether commits name the agent that did the work. */
    readonly coAuthor: boolean;
  };
  /** Whether a person whom the run's chats do not reach is asked in their own chat. */
  readonly asksPrivately: boolean;
  /** When no reminders go out and no card rings; null: never. */
  readonly quietHours: QuietHours | null;
}

/** Minutes since midnight in the zone's local time; spans midnight if it ends before it begins. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly zone: string;
  /** Whether cards that ask ring nevertheless; results never do. */
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
  /** null: the whole chat. */
  readonly topic: number | null;
}

export interface PersonConfig {
  readonly name: string;
  /** The person's id on each channel on which they are known. */
  readonly accounts: Readonly<Record<string, PlatformId>>;
  /** Every member of this group, each named with their own id: `reviewers/U02BOB`. */
  readonly group: { readonly channel: string; readonly id: PlatformId } | null;
}

/** Each channel adds the type of its own settings; null: not in use. */
export interface ChannelSettings {
  readonly [channel: string]: object | null;
}

/** `needs`: abilities that a worker must have to run it. */
export type ExecutorSettings = ExecutorConfig & { readonly needs?: readonly string[] };

/** In the order in which they are tried; empty while none is configured. */
export function executorsOf({ executor, fallbacks }: Pick<ProjectConfig, 'executor' | 'fallbacks'>): readonly string[] {
  return executor === null ? [] : [executor, ...fallbacks];
}

/** By project list: every event asks for its project, and a home may have thousands. */
const indexes = new WeakMap<Config['projects'], ReadonlyMap<string, ProjectConfig>>();

/** Takes the exact name only. */
export function projectWithName({ projects }: Pick<Config, 'projects'>, name: string): ProjectConfig | null {
  // In reverse, so that the first of two with one name counts.
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
