// What every command of the bot needs: the runtime, the configuration and the ways to answer.

import type { Config, Home } from '../config/index.js';
import type { Room } from '../dispatch/index.js';
import type { FrontDoor } from './inbound/inbox-service.js';

export interface Desk {
  readonly home: Home;
  readonly room: Room;
  readonly door: FrontDoor;
  readonly config: () => Config;
  /** Read again at once where its file changed: for whoever is not in it yet, or so it seems. */
  readonly freshConfig?: () => Config;
}
