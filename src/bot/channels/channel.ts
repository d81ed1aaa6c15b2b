// The contract of a connected chat platform.
export interface Channel {
  readonly name: string;
  /** Resolves once connected, or after the first attempt has failed. */
  readonly tried: Promise<void>;
  /** A short text for operators; null: healthy. */
  readonly problem: string | null;
  /** Receives webhooks; null: the channel polls or uses a socket. */
  readonly entrance: WebhookReceiver | null;
  close(): Promise<void>;
}

export interface WebhookReceiver {
  /** The public URL; null: the HTTP server's own public address. */
  readonly url: string | null;
  /** Authenticates the caller itself, and responds once the post is stored. */
  receive(posted: ChannelPost): Promise<ChannelResponse>;
}

export interface ChannelPost {
  /** Keys are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ChannelResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The HTTP server outlives the channels. */
export type WebhookReceivers = (channel: string) => WebhookReceiver | null;
