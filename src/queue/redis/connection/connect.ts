// No connection blocks a caller: while Redis is unreachable commands fail at once, and the client reconnects with
// backoff.
import { Redis } from 'ioredis';
import { backoffMs } from '../../../base/index.js';
import { isOfSelect } from './problems.js';

export interface LinkOptions {
  readonly url: string;
  readonly name: string;
  /** Null: the connection may block. */
  readonly commandTimeoutMs: number | null;
  readonly onError: (error: unknown) => void;
}

export interface TakingLinkOptions extends Omit<LinkOptions, 'commandTimeoutMs'> {
  /** Without an answer for this long the socket counts as dead. */
  readonly silentMs?: number;
}

/** Caps the backoff: a worker must reconnect before a Bosun that reconnects at the same time gives up on it. */
const longestPauseMs = 1_000;
const maxNameChars = 200;
const connectTimeoutMs = 5_000;
/** A server without TLS stays silent: time out before the callers do. */
const secureTimeoutMs = 2_500;
/** Longer than any blocking read. */
const silentSocketMs = 10_000;
/** BullMQ blocks up to 10 s while a job is delayed. */
const silentTakingMs = 15_000;

export function connect({ url, name, commandTimeoutMs, onError }: LinkOptions): Redis {
  const redis = new Redis(url, {
    ...sharedBy(url),
    connectionName: wordOf(name),
    // One write per turn of the event loop; a read that may block goes out at once.
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

/** BullMQ retries by itself and requires unlimited retries here. */
export function openTakingLink({ url, name, silentMs = silentTakingMs, onError }: TakingLinkOptions): Redis {
  const redis = new Redis(url, {
    ...sharedBy(url),
    connectionName: wordOf(name),
    maxRetriesPerRequest: null,
    socketTimeout: silentMs,
    // 2: resend, because the command did not run and BullMQ would retry late.
    reconnectOnError: (error) => (isOfReplica(error) || isBusy(error)) && 2,
  });
  redis.on('error', (error: Error) => onError(explained(error, url, redis)));
  return inItsDatabase(redis);
}

/**
 * Closes if the URL's database does not exist: the client would silently use 0. Also wraps `duplicate`, which BullMQ
 * calls.
 */
function inItsDatabase(redis: Redis): Redis {
  redis.on('error', (error: Error) => {
    if (isOfSelect(error)) redis.stream.destroy();
  });
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => inItsDatabase(duplicate(override));
  return redis;
}

export async function timeOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

function wordOf(name: string): string {
  return name.replace(/[^\x21-\x7e]+/g, '-').slice(0, maxNameChars);
}

/** No QUIT: it would wait for an unreachable Redis. */
export function closeLink(redis: Redis): void {
  redis.disconnect(false);
}

function explained(error: Error, url: string, { status }: Redis): Error {
  const { message: said } = error;
  const code = 'code' in error ? String(error.code) : '';
  // A server without TLS takes the handshake for a command and waits, or hangs up.
  const isOfTls = /^(?:EPROTO|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
  const isUnheard =
    /connect ETIMEDOUT|before secure TLS connection/.test(said) || (code === 'ECONNRESET' && status !== 'ready');
  if (isSecure(url) && (isOfTls || isUnheard)) return new Error(`no TLS: ${said}`, { cause: error });
  if (!isSecure(url) && code === 'ECONNRESET' && status === 'connect')
    return new Error(`hung up: ${said}`, { cause: error });
  return error;
}

export function placeOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'redis';
  }
}

/** Reconnect: the name may now lead to the primary. */
function isOfReplica({ message }: Error): boolean {
  return /READONLY|UNBLOCKED/.test(message);
}

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
