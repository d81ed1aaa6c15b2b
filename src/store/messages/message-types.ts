/** A place where messages go and come from: a chat, or a topic or thread in it. */
export interface Thread {
  readonly id: string;
  readonly channel: string;
  /** The channel adapter's own address of the place. */
  readonly address: Readonly<Record<string, string>>;
  /** The project chosen here with `use`. */
  readonly project: string | null;
  readonly quiet: boolean;
}

export interface Button {
  readonly label: string;
  /** `i12-3.approve` for an interaction, `m31.0` for a message's own offer. */
  readonly press: string;
}

/** A message without markup. Lines are plain text; a channel's adapter renders them. */
export interface Mention {
  /** As the text names them. */
  readonly name: string;
  /** Their id, or that of a group of them, on the channel of the message's thread. */
  readonly account: string;
}

/** A copy in the home's folder of pictures. */
export interface PictureRef {
  readonly name: string;
  /** `r12/<sha256>.png`. */
  readonly file: string;
}

export interface View {
  readonly kind: string;
  readonly text: string;
  readonly buttons: readonly Button[];
  /** The text that each of the message's own buttons stands for, as if typed. */
  readonly offers: readonly string[];
  readonly rings: boolean;
  /** Asked for words that were given since; a channel may remove it. */
  readonly isSpent?: true;
  /** Its own text, above lines that follow a running step; absent: it has no such lines. */
  readonly settled?: string;
  /** The message (`m27`) to which this one is a reply, where the platform shows that. */
  readonly repliesTo?: string;
  /** People whom the second line names, to be notified by the platform. */
  readonly mentions?: readonly Mention[];
  /** A page of Bosun's own, opened by a button after the others. */
  readonly link?: { readonly label: string; readonly url: string };
  /** Parts of the text that an agent wrote as Markdown, in order. */
  readonly markdown?: readonly string[];
  /** Shown below the text, as long as the message stands. */
  readonly pictures?: readonly PictureRef[];
  /** Long output is sent as a file beside the text. */
  readonly file: { readonly name: string; readonly text: string } | null;
}

export interface NewMessage {
  readonly thread: string;
  readonly run: string | null;
  readonly interaction: string | null;
  /** Messages of one card replace each other: the next edits the last. */
  readonly card: string | null;
  readonly view: View;
  readonly at: number;
}

export interface Message extends NewMessage {
  /** `m31`. */
  readonly id: string;
  readonly edits: string | null;
}

export interface Inbound {
  /** Unique for its source: the platform's own id, or one drawn by the sender. */
  readonly source: string;
  readonly externalId: string;
  readonly thread: string;
  readonly by: string | null;
  readonly body: InboundBody;
  readonly at: number;
  /** Other ids of the same message: a duplicate may arrive under any of them. */
  readonly aliases?: readonly string[];
}

export type InboundBody =
  | { readonly type: 'text'; readonly text: string; readonly replyTo: string | null }
  | { readonly type: 'press'; readonly press: string; readonly text: string | null }
  | { readonly type: 'command'; readonly name: string; readonly args: unknown };

export interface InboxRow extends Inbound {
  readonly id: number;
}
