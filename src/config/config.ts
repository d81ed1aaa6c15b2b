// What config.yaml says, once it is read, checked and completed with what holds where it says nothing.
import type { Delivery } from '../engine/index.js';
import type { ExecutorConfig } from '../jobs/index.js';

export interface Config {
  readonly path: string;
  /** Changes whenever the text of the file does. */
  readonly revision: string;
  readonly executors: Readonly<Record<string, ExecutorSettings>>;
  readonly projects: readonly ProjectConfig[];
  /** Those of `people`, and those who are only named as members: they are known on the local channel alone. */
  readonly people: readonly PersonConfig[];
  readonly channels: { readonly telegram: TelegramConfig | null; readonly slack: SlackConfig | null };
  readonly queue: QueueConfig;
  /** Null: no other Bosun waits to take over. Shell lines that fetch the database, and that ship it away meanwhile. */
  readonly standby: { readonly restore: string | null; readonly replicate: string | null } | null;
  readonly web: { readonly port: number; readonly host: string };
  /** Null: no project can be made from chat. */
  readonly newProjects: NewProjectsConfig | null;
  /** Null: no program is asked what an unclear sentence may mean. */
  readonly intent: IntentConfig | null;
}

export interface NewProjectsConfig {
  /** The folder below which they are made, behind all links. */
  readonly root: string;
  readonly workflow: string;
  /** Null only where no executor is configured, or several and none is named. */
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
  /** Null: the embedded queue. */
  readonly redis: string | null;
  /** The variable that it is told to come from, and that is not set; left out: none. */
  readonly unset?: string;
  /** A worker that is silent for longer counts as dead. */
  readonly leaseMs: number;
  /** How many attempts of one project may be at work at once; null: as many as there are. */
  readonly perProject: number | null;
  /** Likewise of one kind of executor, or of checks, over all projects. */
  readonly perKind: Readonly<Record<string, number>>;
}

export interface ProjectConfig {
  readonly name: string;
  readonly root: string;
  readonly aliases: readonly string[];
  readonly workflow: string;
  /** Null only as long as no executor is configured. */
  readonly executor: string | null;
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
    /** Whose midnight ends the day; null: the machine's. */
    readonly zone: string | null;
  };
  readonly chats: readonly ChatConfig[];
  /** Null: as the workflow says, and where it says nothing, propose. */
  readonly afterStory: 'propose' | 'start' | null;
  readonly hookSecret: string | null;
  /** Who is told of what happens here. */
  readonly webhooks: readonly WebhookConfig[];
  readonly worktree: {
    /** A shell line of the owner's that makes a fresh worktree fit for work. */
    readonly setup: string | null;
    /** What a worktree shares with the project's folder, beside what git knows; null: what is usual. */
    readonly link: readonly string[] | null;
  };
  /** An agent that gave no sign for this long is told of. */
  readonly stallAfterMs: number;
  readonly git: {
    readonly remote: string | null;
    readonly base: string | null;
    /** A person is asked before a larger file is committed or sent. */
    readonly largeFileBytes: number;
  };
  /** When nobody is reminded; null: at any time. */
  readonly quietHours: QuietHours | null;
}

/** Minutes since midnight, on the wall of a time zone; over midnight where it ends earlier than it begins. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly zone: string;
}

export interface WebhookConfig {
  readonly url: string;
  readonly secret: string | null;
  readonly events: readonly ('run' | 'interaction')[];
}

export type Role = 'owner' | 'operator' | 'reviewer' | 'viewer';

export type ChatConfig =
  | { readonly channel: 'telegram'; readonly chat: number; readonly topic: number | null }
  | { readonly channel: 'slack'; readonly chat: string };

export interface PersonConfig {
  readonly name: string;
  readonly telegram: number | null;
  readonly slack: string | null;
  /** Everybody in this user group, each under the name with their own id behind it: `reviewers/U02BOB`. */
  readonly slackGroup: string | null;
}

export interface TelegramConfig {
  readonly token: string;
  readonly apiRoot: string | null;
  /** Null: Bosun asks for what is new. */
  readonly webhook: TelegramWebhookConfig | null;
}

/** Of Bosun's own HTTP side. */
export const telegramWebhookPath = '/telegram/webhook';

export interface TelegramWebhookConfig {
  /** Where the platform posts to, whole. */
  readonly url: string;
  /** Null: one is made and kept in the home. */
  readonly secret: string | null;
}

export interface SlackConfig {
  readonly botToken: string;
  readonly appToken: string | null;
  readonly signingSecret: string | null;
  readonly apiUrl: string | null;
  /** Over a socket that Bosun opens, or posted to its own HTTP side. */
  readonly mode: 'socket' | 'http';
  readonly allowGuests: boolean;
  /** With another company. */
  readonly allowSharedChannels: boolean;
}

/** Of Bosun's own HTTP side. */
export const slackEventsPath = '/slack/events';

/** `needs`: what a worker must be able to do that runs it; left out: nothing. */
export type ExecutorSettings = ExecutorConfig & { readonly needs?: readonly string[] };

/** The project of this name, else the one with this alias; upper and lower case are the same. */
export function projectNamed(config: Config, nameOrAlias: string): ProjectConfig | null {
  const said = nameOrAlias.toLowerCase();
  const named = config.projects.find(({ name }) => name === said);
  const aliased = config.projects.find(({ aliases }) => aliases.some((alias) => alias.toLowerCase() === said));
  return named ?? aliased ?? null;
}
