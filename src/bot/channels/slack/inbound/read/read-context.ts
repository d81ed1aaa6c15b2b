// What a reading of something that came in rests on, and what it comes to.
import type { Config, KnockAnswer, Stranger } from '../../../../../config/index.js';
import type { Store } from '../../../../../store/index.js';
import type { InboundMessage } from '../../../../inbound/inbox-service.js';
import type { RateLimit, RecentMessages } from '../../../../inbound/index.js';
import type { AskSlack, SlackStanding } from './people.js';

/** The bot itself, and the workspace that it is in. */
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
  readonly store: Store;
  readonly rate: RateLimit;
  readonly lately: RecentMessages;
  readonly now: () => number;
  /** Something that was said there is being worked on. */
  readonly isRecent: (thread: string) => boolean;
  /** null: Slack has to be asked first. */
  readonly standing: (user: string) => SlackStanding | null;
  readonly isSharedOutside: (channel: string) => boolean | null;
  /** The bot is in that channel. */
  readonly isIn: (channel: string) => boolean | null;
  /** Of a user group of the configuration; null: of none; undefined: Slack has to be asked first. */
  readonly groupOf: (user: string) => string | null | undefined;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
}

/** A window that asks for the words of a press. */
export interface SlackWindow {
  readonly trigger: string;
  readonly press: string;
  readonly thread: string;
  /** What is written down where the window cannot be opened: words are asked for in the thread then. */
  readonly instead: InboundMessage;
}

export interface SlackReadResult {
  /** What is written down, in this order; the last one goes by the name of the whole. */
  readonly says: readonly InboundMessage[];
  /** Of a message that will be acted on. */
  readonly receipt: { readonly thread: string; readonly channel: string; readonly ts: string } | null;
  /** What the acknowledgement carries. */
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly window: SlackWindow | null;
  /** Whose home tab was opened. */
  readonly home: string | null;
  readonly log: string | null;
  /** Nothing of all this can be said before that is known. */
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
