import type { ShownTime } from '../../base/index.js';

export interface Thread {
  readonly id: string;
  readonly channel: string;
  readonly address: Readonly<Record<string, string>>;
  readonly project: string | null;
  readonly quiet: boolean;
}

export interface Button {
  readonly label: string;
  /** `i12-3.approve` of an interaction, `m31.0` of a message. */
  readonly press: string;
}

export interface Mention {
  readonly name: string;
  /** A person's or a group's, on the thread's channel. */
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
  /** Texts of its own buttons, sent as if typed. */
  readonly offers: readonly string[];
  readonly rings: boolean;
  /** Shortcuts for one person; a channel may tuck them away. */
  readonly menu?: readonly Button[];
  /** Asked for words and got them, so a channel may remove it. */
  readonly isSpent?: true;
  /** Its text above progress lines; absent: shows no such lines. */
  readonly settled?: string;
  /** `m27`; only some platforms show replies. */
  readonly repliesTo?: string;
  /** Named in the second line, so that the platform notifies them. */
  readonly mentions?: readonly Mention[];
  readonly link?: { readonly label: string; readonly url: string };
  /** Parts of the text that are an agent's Markdown, in order. */
  readonly markdown?: readonly string[];
  readonly pictures?: readonly PictureRef[];
  /** Times in the text, in order, so that a channel can show them in its reader's zone. */
  readonly times?: readonly ShownTime[];
  readonly file: { readonly name: string; readonly text: string } | null;
}

export interface NewMessage {
  readonly thread: string;
  readonly run: string | null;
  readonly interaction: string | null;
  readonly card: string | null;
  readonly view: View;
  readonly at: number;
}

export interface Message extends NewMessage {
  readonly id: string;
  readonly edits: string | null;
}

export interface Inbound {
  /** The platform's id, or the sender's. */
  readonly source: string;
  readonly externalId: string;
  readonly thread: string;
  readonly by: string | null;
  readonly body: InboundBody;
  readonly at: number;
  /** A redelivery may have any of these ids. */
  readonly aliases?: readonly string[];
}

/** `asked`: opens a thread of its own, whose first message quotes it. `asksFirst`: a second tap ends work. */
export type InboundBody =
  | { readonly type: 'text'; readonly text: string; readonly replyTo: string | null; readonly asked?: string }
  | {
      readonly type: 'press';
      readonly press: string;
      readonly text: string | null;
      readonly asked?: string;
      readonly asksFirst?: true;
    }
  | { readonly type: 'command'; readonly name: string; readonly args: unknown };

export interface InboxRow extends Inbound {
  readonly id: number;
}
