// The contract of a kind of chat channel. A folder beside this file implements it, and registry.ts lists it. What loads
// a platform's SDK is imported on use.
import type { Log } from '../../base/index.js';
import type { ChannelConfigKind, Home } from '../../config/index.js';
import type { BotServices } from '../services.js';
import type { Channel } from './channel.js';
import type { Finding } from './finding.js';
import type { Meeting, SetupDesk, SetupOptions } from './setup-desk.js';

export interface ChannelKind extends ChannelConfigKind {
  /** Where the platform posts, on Bosun's own HTTP server; null: it never posts. */
  readonly webhookPath: string | null;
  /** `bosun init <name>`; null: config.yaml is edited by hand. */
  readonly setup: ChannelSetup | null;
  start(services: BotServices, settings: object, log: Log): Promise<Channel>;
  /** Asks the platform whether the settings work. */
  doctor(settings: object, home: Home): Promise<readonly Finding[]>;
}

export interface ChannelSetup {
  readonly description: string;
  readonly options: readonly SetupOption[];
  /** Keeps the platform's settings in config.yaml; null: it ends before, as asked. */
  connect(desk: SetupDesk, options: SetupOptions): Promise<Meeting | null>;
}

export interface SetupOption {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly usual?: string;
}
