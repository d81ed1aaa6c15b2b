export interface Channel {
  readonly name: string;
  /** Connected, or the first attempt failed. */
  readonly tried: Promise<void>;
  readonly problem: string | null;
  /** Null: the channel polls or uses a socket. */
  readonly entrance: WebhookReceiver | null;
  close(): Promise<void>;
}

export interface WebhookReceiver {
  /** Null: the HTTP server's public address. */
  readonly url: string | null;
  /** Authenticates the caller, and responds once the post is stored. */
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

export type WebhookReceivers = (channel: string) => WebhookReceiver | null;
