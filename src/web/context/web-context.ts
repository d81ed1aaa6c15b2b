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

export type WebRuntime = BotServices['runtime'] & LiveView & AgentCalls & Pick<RuntimeEvents, 'onCommits'> & KeptRows;

export interface WebServices extends BotServices {
  readonly runtime: WebRuntime;
  /** Null: config.yaml is in force. */
  configProblem(): string | null;
}

export interface WebContext {
  /** Narrowed to the rights of `who`. */
  readonly services: WebServices;
  readonly who: Who;
  /** The reader's time zone; null: the machine's. */
  readonly zone: string | null;
  readonly version: string;
  readonly host: string;
  /** Under .localhost; pages use it. */
  readonly ownName: string;
  /** Known once the server listens. */
  readonly port: () => number;
  readonly url: () => string;
  readonly pageUrl: () => string;
  readonly now: () => number;
  readonly log: Log;
  readonly logins: Logins;
  readonly connections: Connections;
  readonly deliveries: ExpiringKeys;
  readonly webhooks: WebhookReceivers;
  readonly heartbeatMs: number;
  /** Then a client that reads nothing is disconnected. */
  readonly stuckAfterMs: number;
  /** The server closes: ends streams and waits. */
  readonly ending: AbortSignal;
  /** By class (2xx, 4xx …). */
  readonly answered: Map<string, number>;
  readonly tally: CommitTally;
  readonly tags: Etags;
  readonly open: Set<symbol>;
}

export interface Env {
  Bindings: HttpBindings;
  /** Narrowed to the caller after authentication. */
  Variables: { web: WebContext };
}

const maxOpenStreams = 200;

export interface NoSlot {
  readonly what: string;
  readonly hint: string;
}

const noSlot: NoSlot = { what: 'Too many responses are open', hint: 'Close some, or try again later.' };

/** Returns the slot's release; throws if none is free. */
export function takeSlot(web: WebContext, { what, hint }: NoSlot = noSlot): () => void {
  if (web.open.size >= maxOpenStreams) throw new BosunError('limit', what, { hint });
  const slot = Symbol('open');
  web.open.add(slot);
  return () => web.open.delete(slot);
}

/** For work that spawns processes or reads a lot. */
export async function inSlot<T>(web: WebContext, work: () => Promise<T>, refusal = noSlot): Promise<T> {
  const freeSlot = takeSlot(web, refusal);
  try {
    return await work();
  } finally {
    freeSlot();
  }
}
