import type { ZodRawShape } from 'zod';

export interface AgentKind {
  /** Its name in config.yaml, and its program. */
  readonly kind: string;
  readonly title: string;
  /** `Name <address>` for `Co-authored-by:`; absent: no line. */
  readonly coAuthor?: string;
  /** Environment variables that may hold its credentials. */
  readonly keys: readonly string[];
  /** Extra keys in config.yaml; `own` holds the values. */
  readonly schema: ZodRawShape;
  /** The values of `permission` that it supports. */
  readonly permissions: readonly [AgentConfig['permission'], ...AgentConfig['permission'][]];
}

export type ExecutorConfig =
  | {
      readonly kind: 'command';
      readonly run: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
      /** Command prefix, such as a container runtime or `sudo`. */
      readonly wrap?: readonly string[];
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
  readonly kind: string;
  /** Null: the kind, found on the PATH. */
  readonly program: string | null;
  readonly model: string | null;
  readonly args: readonly string[];
  /**
   * For calls that the agent's rules leave open: `ask` a person, `deny`, or `bypass` all checks. `strict`: Bosun's
   * rules decide instead.
   */
  readonly permission: 'ask' | 'strict' | 'deny' | 'bypass';
  /** Allowed without asking, in the agent's syntax. */
  readonly tools: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly passEnv: readonly string[];
  readonly wrap: readonly string[];
  /** After this the agent process ends; a later attempt resumes its session. */
  readonly answerWithinMs: number;
  /** Dollars per million tokens, for agents that report no cost. */
  readonly prices: { readonly input: number; readonly cached: number; readonly output: number } | null;
  readonly roles: Readonly<Record<string, AgentOfRole>>;
  readonly own?: Readonly<Record<string, unknown>>;
}

export function isAgent(executor: ExecutorConfig): executor is AgentConfig {
  return executor.kind !== 'command' && executor.kind !== 'script';
}

export function programNamed({ program, kind, own }: Pick<AgentConfig, 'program' | 'kind' | 'own'>): string {
  const run = own?.['run'];
  const first: unknown = Array.isArray(run) ? run[0] : undefined;
  return program ?? (typeof first === 'string' ? first : kind);
}

export type AgentOfRole = {
  readonly [Key in 'model' | 'args' | 'permission' | 'tools' | 'env']?: AgentConfig[Key] | undefined;
};
