// Dependencies and interface of Slack's inbound side.
import type { webApi } from '@slack/bolt';
import type { Clock } from '../../../../base/index.js';
import type { Config, KnockAnswer, Stranger } from '../../../../config/index.js';
import type { DeliveryRows, InboxRows, MessageReader, RunReader, ThreadReader } from '../../../../store/index.js';
import type { InboxService } from '../../../inbound/inbox-service.js';
import type { Download } from '../../../inbound/index.js';
import type { WebhookReceiver } from '../../channel.js';
import type { SlackConfig } from '../settings.js';
import type { KeptTeam } from './login.js';
import type { SlackBot } from './read/read-context.js';

export interface SlackInboundParts {
  readonly slack: SlackConfig;
  /** One try per call, with a short timeout. */
  readonly api: webApi.WebClient;
  readonly door: Pick<InboxService, 'note' | 'handle' | 'verbs'>;
  readonly config: () => Config;
  readonly reader: RunReader & MessageReader & ThreadReader;
  readonly inbox: Pick<InboxRows, 'isKnown' | 'pendingInbox'>;
  readonly deliveries: Pick<DeliveryRows, 'moves' | 'threadAt' | 'messageAt'>;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
  readonly download: Download;
  /** The workspace that this home belongs to. */
  readonly keptTeam: KeptTeam;
  /** Adds or removes the "seen" reaction; not awaited. */
  readonly react: (thread: string, ts: string, channel: string) => void;
  readonly unreact: (thread: string, ts: string, channel: string) => void;
  /** A person wrote in their chat with the bot. */
  readonly onDirect: (user: string, channel: string) => void;
  readonly onHome: (user: string) => void;
  readonly onMe: (me: SlackBot) => void;
  readonly random: () => number;
  readonly deafAfterMs: number;
  readonly rivalLookMs: number;
  readonly aloneLookMs: number;
}

export interface SlackInboundHealth {
  readonly state: 'starting' | 'connected' | 'waiting' | 'closed';
  /** A short text for operators; null: healthy. */
  readonly problem: string | null;
  /** When the last payload arrived. */
  readonly lastAt: number | null;
  readonly me: SlackBot | null;
}

export interface SlackIntake {
  /** Never fails: problems are retried. */
  start(): void;
  /** Stops receiving and waits for the work in progress. */
  close(): Promise<void>;
  readonly health: SlackInboundHealth;
  /** The HTTP endpoint; null: uses sockets. */
  readonly entrance: WebhookReceiver | null;
  /** null: a stranger or not allowed; undefined: Slack is being asked. */
  nameOf(user: string): string | null | undefined;
}
