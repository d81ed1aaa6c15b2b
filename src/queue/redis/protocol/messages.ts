import { z } from 'zod';
import type { Progress } from '../../../jobs/index.js';
import { agentPaths, type CheckoutBundle } from '../../../jobs/index.js';
import { maxWorkerName } from '../../port.js';

/** 3: a stream entry may hold several messages. */
export const protocolVersion = 3;

export const maxCallChars = 128 * 1024;
/** JSON may escape one character as six. */
export const maxMessageChars = 6 * maxCallChars + 16 * 1024;
const maxTextChars = 64 * 1024;
export const maxProblemChars = 4_000;

/** A larger envelope is read from the results instead. */
export const maxWrittenChars = 16 * 1024;

/** A larger job goes through BullMQ. */
export const maxGrantChars = 128 * 1024;

const id = z.string().min(1).max(200);
const name = z.string().min(1).max(maxWorkerName);
const count = z.number().int().nonnegative();
const text = z.string().max(maxTextChars);
const called = z.string().max(maxCallChars);
const ref = z.string().regex(/^refs\/bosun\/[\w./-]{1,300}$/);

const freight = z.object({
  remote: z.string().min(1).max(2_000),
  ref,
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  backRef: ref,
  prefix: z.string().max(2_000),
  setup: z.string().max(8_000).nullable(),
}) satisfies z.ZodType<CheckoutBundle>;

const upSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('beat'),
    version: z.number().int(),
    name,
    can: z.array(z.string().max(40)).max(100),
    slots: count,
    runs: z.array(id).max(10_000),
    /** Workers of version 1 omit both. */
    host: z.string().max(200).default(''),
    isAway: z.boolean().default(false),
    bosun: z.string().max(40).default(''),
    /** Exits when its jobs end. Older workers omit it. */
    isDraining: z.boolean().default(false),
    /** Of the home's disk that it needs, or null. Absent: it takes no grants. */
    disk: z.string().max(200).nullish(),
  }),
  /** Asks to start; after `patienceMs` it gives the job back. */
  z.object({ type: z.literal('ask'), id, name, patienceMs: count }),
  /** Repeated until answered. */
  z.object({ type: z.literal('fetch'), id }),
  z.object({ type: z.literal('call'), id, call: z.string().min(1).max(64), path: z.enum(agentPaths), body: called }),
  /** Stored among the results; a small one is repeated here to save a round trip. */
  z.object({ type: z.literal('result'), id, written: z.string().max(maxWrittenChars).optional() }),
  z.object({ type: z.literal('ended'), id }),
  z.object({ type: z.literal('bye') }),
]);

const downSchema = z.discriminatedUnion('type', [
  /** A job with its start, valid for a while after it entered the stream. */
  z.object({
    type: z.literal('grant'),
    id,
    withinMs: count,
    disk: z.string().max(200).nullable(),
    payload: z.unknown(),
  }),
  /** `later`: not its turn yet. */
  z.object({ type: z.literal('answer'), id, answer: z.enum(['go', 'drop', 'later']) }),
  /** The full desired state, so a repetition is harmless. */
  z.object({ type: z.literal('wants'), id, isCancelled: z.boolean(), extendedMs: count, isWaiting: z.boolean() }),
  z.object({
    type: z.literal('freight'),
    id,
    freight: freight.nullable(),
    problem: z.string().max(maxProblemChars).nullable(),
  }),
  z.object({ type: z.literal('reply'), id, call: z.string().max(64), status: z.number().int(), body: called }),
  z.object({ type: z.literal('lose'), id }),
]);

const progressSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), pid: count.nullable(), baseSha: z.string().max(64).nullable() }),
  z.object({ type: z.literal('output'), line: text }),
  z.object({ type: z.literal('phase'), phase: z.enum(['agent', 'check', 'tests']) }),
  z.object({ type: z.literal('action'), text }),
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('usage'), costUsd: z.number().nullable(), tokensIn: count, tokensOut: count }),
  z.object({ type: z.literal('expiring'), inMs: count }),
]) satisfies z.ZodType<Progress>;
const toldSchema = z.object({ id, progress: progressSchema });

export type WorkerMessage = z.infer<typeof upSchema>;
export type HomeMessage = z.infer<typeof downSchema>;
export type ProgressMessage = z.infer<typeof toldSchema>;
export type StartAnswer = Extract<HomeMessage, { type: 'answer' }>['answer'];

export const parseUp = (said: string) => parsed(upSchema, said);
export const parseDown = (said: string) => parsed(downSchema, said);
export const parseTold = (said: string) => parsed(toldSchema, said);

export function shortened(progress: Progress): Progress {
  if (progress.type === 'output') return { ...progress, line: progress.line.slice(0, maxTextChars) };
  if (progress.type === 'action' || progress.type === 'text') {
    return { ...progress, text: progress.text.slice(0, maxTextChars) };
  }
  return progress;
}

/** Null: unknown to this version. */
export function parsed<T>(schema: z.ZodType<T>, said: string, maxChars = maxMessageChars): T | null {
  if (said.length > maxChars) return null;
  try {
    return schema.safeParse(JSON.parse(said)).data ?? null;
  } catch {
    return null;
  }
}
