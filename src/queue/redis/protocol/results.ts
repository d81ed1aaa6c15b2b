// Envelopes in transit until Bosun commits them.
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Envelope, emptyEnvelope } from '../../../engine/index.js';
import { envelopeSchema } from './envelope-schema.js';
import { parsed } from './messages.js';
import type { Names } from './redis-keys.js';

export interface Result {
  readonly worker: string;
  readonly envelope: Envelope;
}

export interface ResultKey {
  readonly id: string;
  readonly session: string;
}

const maxResultBytes = 16 * 1024 * 1024;
const mostAtOnce = 100_000;

const resultSchema = z.object({ worker: z.string().max(200), envelope: envelopeSchema });

/** An envelope that is too large becomes a fault that says so. */
export function writtenResult(worker: string, envelope: Envelope): string {
  const written = JSON.stringify({ worker, envelope } satisfies Result);
  if (written.length <= maxResultBytes / 4) return written;
  return JSON.stringify({ worker, envelope: faulty(envelope, 'result_too_large', tooLarge) } satisfies Result);
}

export function fieldOf({ id, session }: ResultKey): string {
  return `${id} ${session}`;
}

export async function readResult(redis: Redis, names: Names, key: ResultKey): Promise<Result | null> {
  const field = fieldOf(key);
  const bytes = await redis.hstrlen(names.results, field);
  if (bytes === 0) return null;
  const written = bytes > maxResultBytes ? '' : await redis.hget(names.results, field);
  if (written === null) return null;
  return parsedResult(written);
}

export function parsedResult(written: string): Result {
  const found = parsed(resultSchema, written, maxResultBytes);
  return found ?? { worker: '', envelope: faulty(emptyEnvelope, 'result_unreadable', unreadable) };
}

/** Bounded; the next call finds the rest. */
export async function listResults(redis: Redis, names: Names): Promise<readonly ResultKey[]> {
  const fields = await redis.hkeys(names.results);
  return fields.slice(0, mostAtOnce).flatMap((field) => {
    const [id, session] = field.split(' ');
    return id === undefined || session === undefined ? [] : [{ id, session }];
  });
}

/** Batches drops within a turn. */
export function resultDropper(redis: Redis, names: Names, onError: (error: unknown) => void): (key: ResultKey) => void {
  let waiting: ResultKey[] = [];
  function flush(): void {
    const all = waiting;
    waiting = [];
    dropResults(redis, names, all).catch(onError);
  }
  return (key) => {
    if (waiting.length === 0) process.nextTick(flush);
    waiting.push(key);
  };
}

export async function dropResults(redis: Redis, names: Names, keys: readonly ResultKey[]): Promise<void> {
  if (keys.length > 0) await redis.hdel(names.results, ...keys.map(fieldOf));
}

function faulty(envelope: Envelope, code: string, message: string): Envelope {
  const { exit, killed, durationMs, logPath, costUsd, tokensIn, tokensOut } = envelope;
  return {
    ...emptyEnvelope,
    ...{ exit, killed, durationMs, logPath, costUsd, tokensIn, tokensOut },
    fault: { code, message },
  };
}

const tooLarge =
  "This attempt's result is larger than 4 MB and cannot be sent back. Its log is on the worker's machine.";
const unreadable =
  'Bosun cannot read the result that a worker sent. Run the same version of Bosun on both machines, then retry.';
