// What a worker on another machine asks of Bosun while an agent runs: bundles, questions, permissions.

/** A checkout on its way to another machine: a commit that holds it, at a remote which both reach. */
export interface CheckoutBundle {
  /** Without credentials: each side has its own. */
  readonly remote: string;
  readonly ref: string;
  readonly commit: string;
  /** Where what came of it is to be pushed. */
  readonly backRef: string;
  /** The project's folder below the top of its checkout; empty: the top itself. */
  readonly prefix: string;
  /** The owner's line that makes a fresh checkout fit for work. */
  readonly setup: string | null;
}

export const agentPaths = ['/agent/ask', '/agent/permission', '/agent/progress'] as const;

export interface AgentCall {
  readonly path: (typeof agentPaths)[number];
  /** JSON, as the agent sent it. */
  readonly body: string;
}

export interface AgentReply {
  readonly status: number;
  readonly body: string;
}
