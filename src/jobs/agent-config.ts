// How a coding agent is configured for a role.

export type ExecutorConfig =
  | {
      readonly kind: 'command';
      readonly run: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
      /** Program and arguments that the executor's own come after: a container, another user. */
      readonly wrap?: readonly string[];
      /** As for the agents below; left out: ten minutes. */
      readonly answerWithinMs?: number;
    }
  | {
      readonly kind: 'script';
      readonly file: string;
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
    }
  | AgentConfig;

/** A coding agent that Bosun knows how to speak to. */
export interface AgentConfig {
  readonly kind: 'claude' | 'codex' | 'opencode';
  /** The program; null: the kind's own name, as PATH finds it. */
  readonly program: string | null;
  readonly model: string | null;
  readonly args: readonly string[];
  /** `ask`: a person decides what its rules leave open; `deny`: nobody does; `bypass`: it may do everything. */
  readonly permission: 'ask' | 'deny' | 'bypass';
  /** Tools that it may use unasked, in its own words. */
  readonly tools: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly passEnv: readonly string[];
  readonly wrap: readonly string[];
  /** How long it waits for a person's answer before it ends and is gone on with later. */
  readonly answerWithinMs: number;
  /** Dollars for a million tokens, for agents that tell no cost. */
  readonly prices: { readonly input: number; readonly cached: number; readonly output: number } | null;
  /** What is different for a role of the workflow. */
  readonly roles: Readonly<Record<string, AgentOfRole>>;
}

/** What one role has instead of what its executor says. */
export type AgentOfRole = {
  readonly [Key in 'model' | 'args' | 'permission' | 'tools' | 'env']?: AgentConfig[Key] | undefined;
};
