import type { ZodRawShape } from 'zod';

/** As config.yaml may name it; agents/adapters/registry.ts lists those shipped. */
export interface AgentKind {
  /** In config.yaml, and the program's name. */
  readonly kind: string;
  /** As its makers write it: `Claude Code`. */
  readonly title: string;
  /** `Name <address>` for `Co-authored-by:`; absent: no line. */
  readonly coAuthor?: string;
  /** Variables that may hold its credentials. */
  readonly keys: readonly string[];
  /** Own keys in config.yaml; parsed values arrive in `own`. */
  readonly schema: ZodRawShape;
  /** Values of `permission` that it can obey. */
  readonly permissions: readonly [AgentConfig['permission'], ...AgentConfig['permission'][]];
}

export type ExecutorConfig =
  | {
      readonly kind: 'command';
      readonly run: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
      /** Prefix, such as a container runtime or `sudo`. */
      readonly wrap?: readonly string[];
      /** As in AgentConfig; default ten minutes. */
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
  /** Null: the kind's name on PATH. */
  readonly program: string | null;
  readonly model: string | null;
  readonly args: readonly string[];
  /**
   * For calls that the agent's rules do not settle: `ask` a person, `deny`, or `bypass` all checks. `strict`: Bosun's
   * rules settle, not the agent's.
   */
  readonly permission: 'ask' | 'strict' | 'deny' | 'bypass';
  /** Unasked, in the agent's own syntax. */
  readonly tools: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly passEnv: readonly string[];
  readonly wrap: readonly string[];
  /** Then the agent process ends; a later attempt resumes the session. */
  readonly answerWithinMs: number;
  /** Dollars per million tokens, if the agent reports no cost. */
  readonly prices: { readonly input: number; readonly cached: number; readonly output: number } | null;
  readonly roles: Readonly<Record<string, AgentOfRole>>;
  /** Of the kind's own keys. */
  readonly own?: Readonly<Record<string, unknown>>;
}

export function isAgent(executor: ExecutorConfig): executor is AgentConfig {
  return executor.kind !== 'command' && executor.kind !== 'script';
}

/** `program`, the first word of the kind's `run`, or the kind. */
export function programNamed({ program, kind, own }: Pick<AgentConfig, 'program' | 'kind' | 'own'>): string {
  const run = own?.['run'];
  const first: unknown = Array.isArray(run) ? run[0] : undefined;
  return program ?? (typeof first === 'string' ? first : kind);
}

export type AgentOfRole = {
  readonly [Key in 'model' | 'args' | 'permission' | 'tools' | 'env']?: AgentConfig[Key] | undefined;
};
