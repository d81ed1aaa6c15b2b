// Opens connections to Redis that never block a caller: while Redis is unreachable commands fail at once, and the
// client reconnects with backoff.
import { Redis } from 'ioredis';
import { backoffMs } from '../../../base/index.js';
import { isOfSelect } from './problems.js';

export interface LinkOptions {
  readonly url: string;
  /** As shown by `CLIENT LIST`. */
  readonly name: string;
  /** Timeout for a command; null: it may block. */
  readonly commandTimeoutMs: number | null;
  readonly onError: (error: unknown) => void;
}

export interface TakingLinkOptions extends Omit<LinkOptions, 'commandTimeoutMs'> {
  /** A socket that is silent for this long during a command counts as dead. */
  readonly silentMs?: number;
}

/**
 * Upper bound of the backoff: a worker must reconnect well before a Bosun that reconnects at the same time gives it up.
 */
const longestPauseMs = 1_000;
const maxNameChars = 200;
const connectTimeoutMs = 5_000;
/** A server without TLS stays silent: time out before those who wait for the connection do. */
const secureTimeoutMs = 2_500;
/** All blocking reads end sooner, so a socket silent for this long is dead. */
const silentSocketMs = 10_000;
/** BullMQ blocks for up to ten seconds while a job is delayed. */
const silentTakingMs = 15_000;

export function connect({ url, name, commandTimeoutMs, onError }: LinkOptions): Redis {
  const redis = new Redis(url, {
    ...sharedBy(url),
    connectionName: wordOf(name),
    // All commands of one turn of the event loop go out in one write. A read that may block goes out at once.
    enableAutoPipelining: commandTimeoutMs !== null,
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

/** The connection on which BullMQ takes jobs. BullMQ retries by itself and requires unlimited retries here. */
export function openTakingLink({ url, name, silentMs = silentTakingMs, onError }: TakingLinkOptions): Redis {
  const redis = new Redis(url, {
    ...sharedBy(url),
    connectionName: wordOf(name),
    maxRetriesPerRequest: null,
    socketTimeout: silentMs,
    // Resends the command (2): it was not executed, and BullMQ would wait long before it retries.
    reconnectOnError: (error) => (isOfReplica(error) || isBusy(error)) && 2,
  });
  redis.on('error', (error: Error) => onError(explained(error, url, redis)));
  return inItsDatabase(redis);
}

/**
 * Closes the connection if the URL names a database that does not exist: the client would silently use database 0. Also
 * wraps `duplicate`, with which BullMQ opens more connections.
 */
function inItsDatabase(redis: Redis): Redis {
  redis.on('error', (error: Error) => {
    if (isOfSelect(error)) redis.stream.destroy();
  });
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => inItsDatabase(duplicate(override));
  return redis;
}

/** Redis's clock in milliseconds. */
export async function timeOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

/** Redis rejects connection names with spaces and then shows none. */
function wordOf(name: string): string {
  return name.replace(/[^\x21-\x7e]+/g, '-').slice(0, maxNameChars);
}

/** Without a QUIT, which would wait for an unreachable Redis. */
export function closeLink(redis: Redis): void {
  redis.disconnect(false);
}

/** Adds the likely cause where the error alone does not show it. */
function explained(error: Error, url: string, { status }: Redis): Error {
  const { message: said } = error;
  const code = 'code' in error ? String(error.code) : '';
  // A server without TLS takes the handshake for a command and waits for the rest, or hangs up.
  const isOfTls = /^(?:EPROTO|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
  const isUnheard =
    /connect ETIMEDOUT|before secure TLS connection/.test(said) || (code === 'ECONNRESET' && status !== 'ready');
  if (isSecure(url) && (isOfTls || isUnheard)) return new Error(`no TLS: ${said}`, { cause: error });
  if (!isSecure(url) && code === 'ECONNRESET' && status === 'connect')
    return new Error(`hung up: ${said}`, { cause: error });
  return error;
}

/** Host and port, without credentials. */
export function placeOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'redis';
  }
}

/** The server is, or has just become, a replica. Reconnecting helps, because the name may now lead to the primary. */
function isOfReplica({ message }: Error): boolean {
  return /READONLY|UNBLOCKED/.test(message);
}

/** A slow script blocks Redis: no command is executed until it ends. */
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
  retryStrategy: (times: number) => backoffMs(times, { firstMs: 100, mostMs: longestPauseMs }) + Math.random() * 50,
};
