// Connections to Redis that never keep a caller waiting: while Redis is away a command fails at once, and the connection
// comes back by itself, with growing pauses.
import { Redis } from 'ioredis';
import { isOfSelect } from './problems.js';

export interface LinkOptions {
  readonly url: string;
  /** As `CLIENT LIST` shows it. */
  readonly name: string;
  /** After that long without an answer a command counts as failed; null: it may block. */
  readonly commandTimeoutMs: number | null;
  readonly onError: (error: unknown) => void;
}

export interface TakingLinkOptions extends Omit<LinkOptions, 'commandTimeoutMs'> {
  /** A socket that says nothing for so long while something was asked is a dead one. */
  readonly silentMs?: number;
}

/** Longest pause between two tries to connect: a worker is back well before Bosun, back at the same time, gives it up. */
const longestPauseMs = 1_000;
const maxNameChars = 200;
const connectTimeoutMs = 5_000;
/** A server that knows no TLS says nothing: that is known before whoever looks gives up. */
const secureTimeoutMs = 2_500;
/** Every blocking read ends sooner than this, so that a silent socket is a dead one. */
const silentSocketMs = 10_000;
/** BullMQ waits for up to ten seconds where a job is there for later. */
const silentTakingMs = 15_000;

export function connect({ url, name, commandTimeoutMs, onError }: LinkOptions): Redis {
  const redis = new Redis(url, {
    ...sharedBy(url),
    connectionName: wordOf(name),
    // What is said in one turn of the event loop goes out in one write.
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    socketTimeout: silentSocketMs,
    reconnectOnError: isOfReplica,
    ...(commandTimeoutMs === null ? {} : { commandTimeout: commandTimeoutMs }),
  });
  redis.on('error', (error: Error) => onError(explained(error, url, redis)));
  return inItsDatabase(redis);
}

/** What BullMQ takes jobs with: it waits by itself, and insists on doing so. */
export function openTakingLink({ url, name, silentMs = silentTakingMs, onError }: TakingLinkOptions): Redis {
  const redis = new Redis(url, {
    ...sharedBy(url),
    connectionName: wordOf(name),
    maxRetriesPerRequest: null,
    socketTimeout: silentMs,
    // Nothing of it was done, and BullMQ itself would wait long before it says it again.
    reconnectOnError: (error) => (isOfReplica(error) || isBusy(error)) && 2,
  });
  redis.on('error', (error: Error) => onError(explained(error, url, redis)));
  return inItsDatabase(redis);
}

/**
 * Never ready where the address names a database that is not there: the client by itself goes on in database 0. BullMQ makes
 * more of it by `duplicate`.
 */
function inItsDatabase(redis: Redis): Redis {
  redis.on('error', (error: Error) => {
    if (isOfSelect(error)) redis.stream.destroy();
  });
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => inItsDatabase(duplicate(override));
  return redis;
}

/** What its clock says, in milliseconds. */
export async function timeOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

/** Redis takes no name that has spaces, and then shows none. */
function wordOf(name: string): string {
  return name.replace(/[^\x21-\x7e]+/g, '-').slice(0, maxNameChars);
}

/** Without asking a Redis that may be away. */
export function closeLink(redis: Redis): void {
  redis.disconnect(false);
}

/** With what the way itself tells of it, where the error does not. */
function explained(error: Error, url: string, { status }: Redis): Error {
  const { message: said } = error;
  const code = 'code' in error ? String(error.code) : '';
  // A server that knows no TLS waits for more of what it takes for a command, or hangs up.
  const isOfTls = /^(?:EPROTO|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
  const isUnheard =
    /connect ETIMEDOUT|before secure TLS connection/.test(said) || (code === 'ECONNRESET' && status !== 'ready');
  if (isSecure(url) && (isOfTls || isUnheard)) return new Error(`no TLS: ${said}`, { cause: error });
  if (!isSecure(url) && code === 'ECONNRESET' && status === 'connect')
    return new Error(`hung up: ${said}`, { cause: error });
  return error;
}

/** Host and port, without what only its owner may know. */
export function placeOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'redis';
  }
}

/** What a server says that is, or has just become, a replica: the name may lead to the primary by now. */
function isOfReplica({ message }: Error): boolean {
  return /READONLY|UNBLOCKED/.test(message);
}

/** Somebody's script runs for too long: until it ends nothing is done, and nothing that was asked has been. */
function isBusy({ message }: Error): boolean {
  return message.startsWith('BUSY ');
}

function sharedBy(url: string) {
  return { ...shared, connectTimeout: isSecure(url) ? secureTimeoutMs : connectTimeoutMs };
}

function isSecure(url: string): boolean {
  return /^rediss:/i.test(url);
}

const shared = {
  retryStrategy: (times: number) => Math.min(longestPauseMs, 50 * 2 ** Math.min(times, 6)) + Math.random() * 50,
};
