// Every command of the bot needs these.

import type { Config, Home } from '../config/index.js';
import type { ExternalWork, KeptRows, RuntimeEvents, Submitter } from '../dispatch/index.js';
import type { InboxService } from './inbound/inbox-service.js';

export type BotRuntime = Submitter &
  Pick<RuntimeEvents, 'onMessages' | 'onWants'> &
  ExternalWork &
  Omit<KeptRows, 'checkFile'>;

export interface BotServices {
  readonly home: Home;
  readonly runtime: BotRuntime;
  readonly door: InboxService;
  readonly config: () => Config;
  /** Rereads the file for names that the cached config lacks. */
  readonly freshConfig?: () => Config;
}
