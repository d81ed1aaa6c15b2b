// The requests of a remote worker to Bosun: checkout bundles, questions, permissions.

/** A checkout in transit to another machine: a commit on a remote that both sides reach. */
export interface CheckoutBundle {
  /** Without credentials: each side uses its own. */
  readonly remote: string;
  readonly ref: string;
  readonly commit: string;
  /** The ref to push the result to. */
  readonly backRef: string;
  /** The project's folder relative to the checkout's top level; empty: the top level itself. */
  readonly prefix: string;
  /** The owner's command that prepares a fresh checkout. */
  readonly setup: string | null;
}

export const agentPaths = ['/agent/ask', '/agent/permission', '/agent/progress', '/agent/words'] as const;

export interface AgentCall {
  readonly path: (typeof agentPaths)[number];
  /** JSON, as the agent sent it. */
  readonly body: string;
}

export interface AgentReply {
  readonly status: number;
  readonly body: string;
}
