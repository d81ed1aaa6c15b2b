// What every route has in common.
import type { HttpBindings } from '@hono/node-server';
import type { Log } from '../../base/index.js';
import { BosunError } from '../../base/index.js';
import type { BotServices, WebhookReceivers } from '../../bot/index.js';
import type { Home, Who } from '../../config/index.js';
import type { CommitTally } from '../metrics/index.js';
import type { Connections } from './connections.js';
import type { Etags } from './etags.js';
import type { ExpiringKeys } from './expiring-keys.js';
import type { Logins } from './logins.js';

export type WebServices = BotServices & { readonly home: Home };

export interface WebContext {
  /** What `who` may see. */
  readonly services: WebServices;
  readonly who: Who;
  readonly version: string;
  readonly host: string;
  /** The home's name below .localhost, which its pages are opened at. */
  readonly ownName: string;
  /** Known once it listens. */
  readonly port: () => number;
  readonly url: () => string;
  /** As `url`, for a person's browser. */
  readonly pageUrl: () => string;
  readonly now: () => number;
  readonly log: Log;
  readonly logins: Logins;
  readonly connections: Connections;
  readonly deliveries: ExpiringKeys;
  readonly entrances: WebhookReceivers;
  readonly heartbeatMs: number;
  /** After so long a client that takes nothing more is cut off. */
  readonly stuckAfterMs: number;
  /** Aborted when the server closes: whoever streams or waits ends. */
  readonly ending: AbortSignal;
  /** Requests by the first digit of their answer. */
  readonly answered: Map<string, number>;
  /** What was committed since it started. */
  readonly tally: CommitTally;
  readonly tags: Etags;
  /** Answers that are still being written; bounded by `maxOpenStreams`. */
  readonly open: Set<symbol>;
}

export interface Env {
  Bindings: HttpBindings;
  /** Set once the caller is known: everything as he sees it. */
  Variables: { web: WebContext };
}

const maxOpenStreams = 200;

/** A place among the answers that stay open, to be given back; null when there is none left. */
export function takePlace(web: WebContext): (() => void) | null {
  if (web.open.size >= maxOpenStreams) return null;
  const place = Symbol('open');
  web.open.add(place);
  return () => web.open.delete(place);
}

/** For what takes processes or much reading: of so much, not too much at a time. */
export async function inPlace<T>(web: WebContext, work: () => Promise<T>): Promise<T> {
  const giveBack = takePlace(web);
  if (!giveBack)
    throw new BosunError('limit', 'Too many answers are open', { hint: 'Close some, or try again later.' });
  try {
    return await work();
  } finally {
    giveBack();
  }
}
