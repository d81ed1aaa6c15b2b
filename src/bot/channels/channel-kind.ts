// A channel kind's contract: a folder here implements it, registry.ts lists it. SDKs are imported on use.
import type { Log } from '../../base/index.js';
import type { ChannelConfigKind, Home } from '../../config/index.js';
import type { BotServices } from '../services.js';
import type { Channel } from './channel.js';
import type { Finding } from './finding.js';
import type { Meeting, SetupDesk, SetupOptions } from './setup-desk.js';

export interface ChannelKind extends ChannelConfigKind {
  /** On Bosun's HTTP server; null: none. */
  readonly webhookPath: string | null;
  /** `bosun init <name>`; null: config.yaml is edited by hand. */
  readonly setup: ChannelSetup | null;
  start(services: BotServices, settings: object, log: Log): Promise<Channel>;
  doctor(settings: object, home: Home): Promise<readonly Finding[]>;
}

export interface ChannelSetup {
  readonly description: string;
  readonly options: readonly SetupOption[];
  /** Writes config.yaml; null: ended early, as asked. */
  connect(desk: SetupDesk, options: SetupOptions): Promise<Meeting | null>;
}

export interface SetupOption {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly usual?: string;
}
