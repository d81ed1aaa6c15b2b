// A chat platform that a running Bosun is connected to.
export interface Channel {
  readonly name: string;
  /** Resolves once it is connected, or its first try has failed. */
  readonly tried: Promise<void>;
  /** In a word for operators; null: all is well. */
  readonly problem: string | null;
  /** Where it posts what is new; null: it is asked. */
  readonly entrance: WebhookReceiver | null;
  close(): Promise<void>;
}

/** What the HTTP side needs to let a platform in that posts what is new. */
export interface WebhookReceiver {
  /** As others reach it; null: under whichever name the HTTP side is reached. */
  readonly url: string | null;
  /** Proves by itself who posts, and answers once what was posted is written down. */
  receive(posted: ChannelPost): Promise<ChannelResponse>;
}

export interface ChannelPost {
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ChannelResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The HTTP side is up before and after each of them. */
export type WebhookReceivers = (channel: 'telegram' | 'slack') => WebhookReceiver | null;
