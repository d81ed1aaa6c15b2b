export interface Channel {
  readonly name: string;
  /** The first attempt to connect succeeded or failed. */
  readonly tried: Promise<void>;
  readonly problem: string | null;
  /** Null: the channel polls or uses a socket. */
  readonly entrance: WebhookReceiver | null;
  close(): Promise<void>;
}

export interface WebhookReceiver {
  /** Null: the HTTP server's public address. */
  readonly url: string | null;
  /** Authenticates the caller, and responds only once the post is stored. */
  receive(posted: ChannelPost): Promise<ChannelResponse>;
}

export interface ChannelPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ChannelResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export type WebhookReceivers = (channel: string) => WebhookReceiver | null;
