// The inputs of reading a payload, and its result.
import type { Config, KnockAnswer, Stranger } from '../../../../../config/index.js';
import type { DeliveryRows, InboxRows, MessageReader, RunReader, ThreadReader } from '../../../../../store/index.js';
import type { Grammar } from '../../../../grammar/index.js';
import type { InboundMessage } from '../../../../inbound/inbox-service.js';
import type { RateLimit, RecentMessages } from '../../../../inbound/index.js';
import type { AskSlack, SlackStanding } from './people.js';

export interface SlackBot {
  readonly user: string;
  readonly bot: string;
  readonly team: string;
  readonly teamName: string;
  readonly enterprise: string | null;
}

export interface SlackReadContext {
  readonly me: SlackBot;
  readonly config: Config;
  readonly grammar: Grammar;
  readonly reader: RunReader & MessageReader & ThreadReader;
  readonly inbox: Pick<InboxRows, 'isKnown'>;
  readonly deliveries: Pick<DeliveryRows, 'moves' | 'threadAt' | 'messageAt'>;
  readonly rate: RateLimit;
  readonly lately: RecentMessages;
  readonly now: () => number;
  /** Something from this thread was taken recently. */
  readonly isRecent: (thread: string) => boolean;
  /** null: Slack must be asked first. */
  readonly standing: (user: string) => SlackStanding | null;
  readonly isSharedOutside: (channel: string) => boolean | null;
  readonly isIn: (channel: string) => boolean | null;
  /** The member name from a configured user group; null: in none; undefined: Slack must be asked first. */
  readonly groupOf: (user: string) => string | null | undefined;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
}

export interface SlackWindow {
  readonly trigger: string;
  readonly press: string;
  readonly thread: string;
  /** Stored if the modal cannot be opened; the text is then asked for in the thread. */
  readonly instead: InboundMessage;
}

export interface SlackReadResult {
  /** Rows to store, in order; the last one has the payload's own key. */
  readonly says: readonly InboundMessage[];
  /** A message that will be acted on gets the "seen" reaction. */
  readonly receipt: { readonly thread: string; readonly channel: string; readonly ts: string } | null;
  /** The body of the acknowledgement. */
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly window: SlackWindow | null;
  /** The user who opened the home tab. */
  readonly home: string | null;
  readonly log: string | null;
  /** A lookup that must finish first; then the payload is read again. */
  readonly asks: AskSlack | null;
}

export const silence: SlackReadResult = {
  says: [],
  receipt: null,
  answer: null,
  window: null,
  home: null,
  log: null,
  asks: null,
};
