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
  readonly keptTeam: KeptTeam;
  /** The "seen" reaction; not awaited. */
  readonly react: (thread: string, ts: string, channel: string) => void;
  readonly unreact: (thread: string, ts: string, channel: string) => void;
  /** A person wrote to the bot directly. */
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
  readonly problem: string | null;
  readonly lastAt: number | null;
  readonly me: SlackBot | null;
}

export interface SlackIntake {
  start(): void;
  close(): Promise<void>;
  readonly health: SlackInboundHealth;
  /** Null: sockets are used. */
  readonly entrance: WebhookReceiver | null;
  /** Null: a stranger, or not allowed; undefined: being looked up. */
  nameOf(user: string): string | null | undefined;
}
