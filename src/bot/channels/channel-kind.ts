// A channel is a folder here that implements this contract, and a line in registry.ts. SDKs are imported on use.
import type { Log } from '../../base/index.js';
import type { ChannelConfigKind, Home } from '../../config/index.js';
import type { BotServices } from '../services.js';
import type { Channel } from './channel.js';
import type { Finding } from './finding.js';
import type { Meeting, SetupDesk, SetupOptions } from './setup-desk.js';

export interface ChannelKind extends ChannelConfigKind {
  /** Null: receives no webhooks. */
  readonly webhookPath: string | null;
  /** Null: no `bosun init <name>`; config.yaml is edited by hand. */
  readonly setup: ChannelSetup | null;
  start(services: BotServices, settings: object, log: Log): Promise<Channel>;
  doctor(settings: object, home: Home): Promise<readonly Finding[]>;
}

export interface ChannelSetup {
  readonly description: string;
  readonly options: readonly SetupOption[];
  /** Null: ended early, as asked. */
  connect(desk: SetupDesk, options: SetupOptions): Promise<Meeting | null>;
}

export interface SetupOption {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly usual?: string;
}
