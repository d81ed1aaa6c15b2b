// The executor settings of config.yaml.

import type { ZodRawShape } from 'zod';

/** A coding agent as config.yaml may name it. agents/adapters/registry.ts lists those that Bosun ships. */
export interface AgentKind {
  /** The name in config.yaml, and that of the program. */
  readonly kind: string;
  /** As its makers write it: `Claude Code`. */
  readonly title: string;
  /** For `Co-authored-by:` in commits: `Name <address>`; absent: no line. */
  readonly coAuthor?: string;
  /** The variables that may hold its credentials. */
  readonly keys: readonly string[];
  /** Keys of its executor in config.yaml beyond those of every agent; the parsed values arrive in `own`. */
  readonly schema: ZodRawShape;
  /** The values of `permission` that it can hold to. */
  readonly permissions: readonly [AgentConfig['permission'], ...AgentConfig['permission'][]];
}

export type ExecutorConfig =
  | {
      readonly kind: 'command';
      readonly run: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
      /** Prefix for the command line, such as a container runtime or `sudo`. */
      readonly wrap?: readonly string[];
      /** As in AgentConfig; the default is ten minutes. */
      readonly answerWithinMs?: number;
    }
  | {
      readonly kind: 'script';
      readonly file: string;
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
    }
  | AgentConfig;

export interface AgentConfig {
  /** An AgentKind's. */
  readonly kind: string;
  /** The program; null: look up the kind's own name on PATH. */
  readonly program: string | null;
  readonly model: string | null;
  readonly args: readonly string[];
  /**
   * What happens to a call that the agent's own rules do not settle: `ask` a person, `deny` it, or `bypass` all checks.
   * `strict`: the agent's own rules settle nothing, Bosun's do.
   */
  readonly permission: 'ask' | 'strict' | 'deny' | 'bypass';
  /** Tools allowed without a permission prompt, in the agent's own syntax. */
  readonly tools: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly passEnv: readonly string[];
  readonly wrap: readonly string[];
  /** How long a question waits for a person before the agent process ends; a later attempt resumes the session. */
  readonly answerWithinMs: number;
  /** Dollars per million tokens, for agents that do not report their cost. */
  readonly prices: { readonly input: number; readonly cached: number; readonly output: number } | null;
  /** Overrides per workflow role. */
  readonly roles: Readonly<Record<string, AgentOfRole>>;
  /** The values of the kind's own keys; absent if it has none. */
  readonly own?: Readonly<Record<string, unknown>>;
}

export function isAgent(executor: ExecutorConfig): executor is AgentConfig {
  return executor.kind !== 'command' && executor.kind !== 'script';
}

/** As config.yaml names it: `program`, the first word of the kind's own `run`, or the kind itself. */
export function programNamed({ program, kind, own }: Pick<AgentConfig, 'program' | 'kind' | 'own'>): string {
  const run = own?.['run'];
  const first: unknown = Array.isArray(run) ? run[0] : undefined;
  return program ?? (typeof first === 'string' ? first : kind);
}

export type AgentOfRole = {
  readonly [Key in 'model' | 'args' | 'permission' | 'tools' | 'env']?: AgentConfig[Key] | undefined;
};
