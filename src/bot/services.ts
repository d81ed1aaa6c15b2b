// What every command of the bot needs: the runtime, the configuration and the ways to answer.

import type { Config, Home } from '../config/index.js';
import type { ExternalWork, KeptRows, RuntimeEvents, Submitter } from '../dispatch/index.js';
import type { InboxService } from './inbound/inbox-service.js';

/** What the bot takes of the runtime. */
export type BotRuntime = Submitter &
  Pick<RuntimeEvents, 'onMessages' | 'onWants'> &
  ExternalWork &
  Omit<KeptRows, 'checkFile'>;

export interface BotServices {
  readonly home: Home;
  readonly runtime: BotRuntime;
  readonly door: InboxService;
  readonly config: () => Config;
  /** Rereads a changed file at once, for names that the cached config does not have yet. */
  readonly freshConfig?: () => Config;
}
