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
  /** Bosun took a message from it recently. */
  readonly isRecent: (thread: string) => boolean;
  /** Null: ask Slack first. */
  readonly standing: (user: string) => SlackStanding | null;
  readonly isSharedOutside: (channel: string) => boolean | null;
  readonly isIn: (channel: string) => boolean | null;
  /** A member's name; null: in no group; undefined: ask Slack first. */
  readonly groupOf: (user: string) => string | null | undefined;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
}

export interface SlackWindow {
  readonly trigger: string;
  readonly press: string;
  readonly thread: string;
  /** If the modal fails, the thread asks for the text. */
  readonly instead: InboundMessage;
}

export interface SlackReadResult {
  readonly says: readonly InboundMessage[];
  /** For the "seen" reaction. */
  readonly receipt: { readonly thread: string; readonly channel: string; readonly ts: string } | null;
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly window: SlackWindow | null;
  readonly home: string | null;
  readonly log: string | null;
  /** Look this up, then read again. */
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
