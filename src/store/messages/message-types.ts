/** A chat, or a topic or thread in it. */
export interface Thread {
  readonly id: string;
  readonly channel: string;
  readonly address: Readonly<Record<string, string>>;
  /** Chosen with `use`. */
  readonly project: string | null;
  readonly quiet: boolean;
}

export interface Button {
  readonly label: string;
  /** `i12-3.approve` of an interaction, `m31.0` of a message. */
  readonly press: string;
}

/** A message without markup. Lines are plain text; a channel's adapter renders them. */
export interface Mention {
  readonly name: string;
  /** Of them or their group, on the thread's channel. */
  readonly account: string;
}

export interface PictureRef {
  readonly name: string;
  /** `r12/<sha256>.png`. */
  readonly file: string;
}

export interface View {
  readonly kind: string;
  readonly text: string;
  readonly buttons: readonly Button[];
  /** Its own buttons' texts, as if typed. */
  readonly offers: readonly string[];
  readonly rings: boolean;
  /** A convenience for one person; a channel may tuck them away. */
  readonly menu?: readonly Button[];
  /** Asked for words that were given since; a channel may remove it. */
  readonly isSpent?: true;
  /** Its own text above progress lines; absent: no such lines. */
  readonly settled?: string;
  /** `m27`, where the platform shows replies. */
  readonly repliesTo?: string;
  /** Named in the second line, to be notified. */
  readonly mentions?: readonly Mention[];
  /** Bosun's page, after other buttons. */
  readonly link?: { readonly label: string; readonly url: string };
  /** Parts of the text that an agent wrote as Markdown, in order. */
  readonly markdown?: readonly string[];
  /** Shown below the text, as long as it stands. */
  readonly pictures?: readonly PictureRef[];
  /** Long output, beside the text. */
  readonly file: { readonly name: string; readonly text: string } | null;
}

export interface NewMessage {
  readonly thread: string;
  readonly run: string | null;
  readonly interaction: string | null;
  /** Messages of a card replace each other. */
  readonly card: string | null;
  readonly view: View;
  readonly at: number;
}

export interface Message extends NewMessage {
  readonly id: string;
  readonly edits: string | null;
}

export interface Inbound {
  /** Unique in its source: the platform's id, or the sender's. */
  readonly source: string;
  readonly externalId: string;
  readonly thread: string;
  readonly by: string | null;
  readonly body: InboundBody;
  readonly at: number;
  /** A duplicate may arrive under any of them. */
  readonly aliases?: readonly string[];
}

export type InboundBody =
  | { readonly type: 'text'; readonly text: string; readonly replyTo: string | null }
  | { readonly type: 'press'; readonly press: string; readonly text: string | null }
  | { readonly type: 'command'; readonly name: string; readonly args: unknown };

export interface InboxRow extends Inbound {
  readonly id: number;
}
