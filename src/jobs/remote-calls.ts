/** A commit on a remote that both sides reach. */
export interface CheckoutBundle {
  /** Each side has its own credentials. */
  readonly remote: string;
  readonly ref: string;
  readonly commit: string;
  readonly backRef: string;
  /** Below the checkout's top; '' is the top. */
  readonly prefix: string;
  /** The owner's command to prepare a fresh checkout. */
  readonly setup: string | null;
}

export const agentPaths = ['/agent/ask', '/agent/permission', '/agent/progress', '/agent/words'] as const;

export interface AgentCall {
  readonly path: (typeof agentPaths)[number];
  readonly body: string;
}

export interface AgentReply {
  readonly status: number;
  readonly body: string;
}
