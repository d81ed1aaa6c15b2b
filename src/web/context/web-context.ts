// The context shared by all routes, and the limit on open responses.
import type { HttpBindings } from '@hono/node-server';
import type { Log } from '../../base/index.js';
import { BosunError } from '../../base/index.js';
import type { BotServices, WebhookReceivers } from '../../bot/index.js';
import type { Who } from '../../config/index.js';
import type { AgentCalls, KeptRows, LiveView, RuntimeEvents } from '../../dispatch/index.js';
import type { CommitTally } from '../metrics/index.js';
import type { Connections } from './connections.js';
import type { Etags } from './etags.js';
import type { ExpiringKeys } from './expiring-keys.js';
import type { Logins } from './logins.js';

/** What the web takes of the runtime. */
export type WebRuntime = BotServices['runtime'] & LiveView & AgentCalls & Pick<RuntimeEvents, 'onCommits'> & KeptRows;

export interface WebServices extends BotServices {
  readonly runtime: WebRuntime;
  /** Why the present config.yaml is refused; null: it is in force. */
  configProblem(): string | null;
}

export interface WebContext {
  /** Narrowed to what `who` may see. */
  readonly services: WebServices;
  readonly who: Who;
  readonly version: string;
  readonly host: string;
  /** The home's name under .localhost, which pages use. */
  readonly ownName: string;
  /** Known once the server listens. */
  readonly port: () => number;
  readonly url: () => string;
  /** Like `url`, but for a person's browser. */
  readonly pageUrl: () => string;
  readonly now: () => number;
  readonly log: Log;
  readonly logins: Logins;
  readonly connections: Connections;
  readonly deliveries: ExpiringKeys;
  readonly webhooks: WebhookReceivers;
  readonly heartbeatMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly stuckAfterMs: number;
  /** Aborted when the server closes; ends streams and waits. */
  readonly ending: AbortSignal;
  /** Request counts by response class (2xx, 4xx …). */
  readonly answered: Map<string, number>;
  readonly tally: CommitTally;
  readonly tags: Etags;
  /** Open responses; at most `maxOpenStreams`. */
  readonly open: Set<symbol>;
}

export interface Env {
  Bindings: HttpBindings;
  /** Set after authentication, narrowed to what the caller may see. */
  Variables: { web: WebContext };
}

const maxOpenStreams = 200;

/** What a caller learns when all slots are taken. */
export interface NoSlot {
  readonly what: string;
  readonly hint: string;
}

const noSlot: NoSlot = { what: 'Too many responses are open', hint: 'Close some, or try again later.' };

/** Takes a slot for a response that stays open and returns its release function; throws if all are taken. */
export function takeSlot(web: WebContext, { what, hint }: NoSlot = noSlot): () => void {
  if (web.open.size >= maxOpenStreams) throw new BosunError('limit', what, { hint });
  const slot = Symbol('open');
  web.open.add(slot);
  return () => web.open.delete(slot);
}

/** Limits concurrency of work that spawns processes or reads a lot. */
export async function inSlot<T>(web: WebContext, work: () => Promise<T>, refusal = noSlot): Promise<T> {
  const freeSlot = takeSlot(web, refusal);
  try {
    return await work();
  } finally {
    freeSlot();
  }
}
