// The executor settings of config.yaml.

import type { AgentKind } from './agent-kinds.js';

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
  readonly kind: AgentKind;
  /** The program; null: look up the kind's own name on PATH. */
  readonly program: string | null;
  readonly model: string | null;
  readonly args: readonly string[];
  /**
   * What happens to a call that the agent's own rules do not settle: `ask` a person, `deny` it, or `bypass` all checks.
   */
  readonly permission: 'ask' | 'deny' | 'bypass';
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
}

export type AgentOfRole = {
  readonly [Key in 'model' | 'args' | 'permission' | 'tools' | 'env']?: AgentConfig[Key] | undefined;
};
