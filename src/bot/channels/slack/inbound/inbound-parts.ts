// What receiving needs of those around it, and what they see of it.
import type { webApi } from '@slack/bolt';
import type { Clock } from '../../../../base/index.js';
import type { Config, KnockAnswer, SlackConfig, Stranger } from '../../../../config/index.js';
import type { Store } from '../../../../store/index.js';
import type { InboxService } from '../../../inbound/inbox-service.js';
import type { Download } from '../../../inbound/index.js';
import type { WebhookReceiver } from '../../channel.js';
import type { KeptTeam } from './login.js';
import type { SlackBot } from './read/read-context.js';

export interface SlackInboundParts {
  readonly slack: SlackConfig;
  /** For the few calls of its own: one try each, in seconds. */
  readonly api: webApi.WebClient;
  readonly door: Pick<InboxService, 'note' | 'handle'>;
  readonly config: () => Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
  readonly download: Download;
  /** The workspace of this home, once it is known. */
  readonly keptTeam: KeptTeam;
  /** A sign that the message was seen and will be acted on, and that it was; neither is waited for. */
  readonly react?: (thread: string, ts: string, channel: string) => void;
  readonly unreact?: (thread: string, ts: string, channel: string) => void;
  /** Somebody wrote in the chat with the bot. */
  readonly onDirect?: (user: string, channel: string) => void;
  /** Somebody looks at the home tab. */
  readonly onHome?: (user: string) => void;
  /** Of the bot, as soon as it is known. */
  readonly onMe?: (me: SlackBot) => void;
  /** From 0 to 1. */
  readonly random?: () => number;
  readonly deafAfterMs?: number;
  readonly rivalLookMs?: number;
  readonly aloneLookMs?: number;
}

export interface SlackInboundHealth {
  readonly state: 'starting' | 'connected' | 'waiting' | 'closed';
  /** In a word for operators; null: all is well. */
  readonly problem: string | null;
  /** When something came last. */
  readonly lastAt: number | null;
  readonly me: SlackBot | null;
}

export interface SlackIntake {
  /** Never fails: what does not work at once is tried again. */
  start(): void;
  /** Ends what receives and waits for what is being decided. */
  close(): Promise<void>;
  readonly health: SlackInboundHealth;
  /** Where Slack posts; null: over sockets. */
  readonly entrance: WebhookReceiver | null;
  /** Of whoever has this account; null for strangers and those who are not heard, undefined where Slack is asked first. */
  nameOf(user: string): string | null | undefined;
}
