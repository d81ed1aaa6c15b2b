// What Bosun and its workers say to each other through Redis, and how it is read: nothing from there is believed unparsed.
import { z } from 'zod';
import type { Progress } from '../../../jobs/index.js';
import { agentPaths, type CheckoutBundle } from '../../../jobs/index.js';
import { maxWorkerName } from '../../port.js';

/** Raised when either side would not understand the other any more. */
export const protocolVersion = 2;

/** What agents send and are sent through here. */
export const maxCallChars = 128 * 1024;
/** JSON may spell one character as six. */
export const maxMessageChars = 6 * maxCallChars + 16 * 1024;
const maxTextChars = 64 * 1024;
export const maxProblemChars = 4_000;

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
  /** It lives, and this is what it runs. */
  z.object({
    type: z.literal('beat'),
    version: z.number().int(),
    name,
    can: z.array(z.string().max(40)).max(100),
    slots: count,
    runs: z.array(id).max(10_000),
    /** The machine that it is on, and whether it lacks the home's disk. Workers of version 1 do not say it. */
    host: z.string().max(200).default(''),
    isAway: z.boolean().default(false),
    /** The version of the program, for people. */
    bosun: z.string().max(40).default(''),
    /** It takes no more, and ends when what it runs has. Older workers do not say it. */
    isDraining: z.boolean().default(false),
  }),
  /** It has taken the job, and asks whether it may begin; after `patienceMs` it gives the job back. */
  z.object({ type: z.literal('ask'), id, name, patienceMs: count }),
  /** It has not the home's disk, and wants what the job is to work on; said again until it is answered. */
  z.object({ type: z.literal('fetch'), id }),
  /** What the agent of such a worker says to Bosun; said again under the same name until it is answered. */
  z.object({ type: z.literal('call'), id, call: z.string().min(1).max(64), path: z.enum(agentPaths), body: called }),
  /** The envelope lies among the results. */
  z.object({ type: z.literal('result'), id }),
  /** The handler has ended, and there is no envelope. */
  z.object({ type: z.literal('ended'), id }),
  /** It takes no more and runs nothing. */
  z.object({ type: z.literal('bye') }),
]);

const downSchema = z.discriminatedUnion('type', [
  /** `later`: it is not its turn yet. */
  z.object({ type: z.literal('answer'), id, answer: z.enum(['go', 'drop', 'later']) }),
  /** All that is wanted of a handler, so that it may be said twice. */
  z.object({ type: z.literal('wants'), id, isCancelled: z.boolean(), extendedMs: count, isWaiting: z.boolean() }),
  /** What it is to work on; or why that cannot be had. */
  z.object({
    type: z.literal('freight'),
    id,
    freight: freight.nullable(),
    problem: z.string().max(maxProblemChars).nullable(),
  }),
  z.object({ type: z.literal('reply'), id, call: z.string().max(64), status: z.number().int(), body: called }),
  /** It was settled elsewhere. */
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

/** As much of it as fits into one message. */
export function shortened(progress: Progress): Progress {
  if (progress.type === 'output') return { ...progress, line: progress.line.slice(0, maxTextChars) };
  if (progress.type === 'action' || progress.type === 'text') {
    return { ...progress, text: progress.text.slice(0, maxTextChars) };
  }
  return progress;
}

/** Null: it is nothing that this version knows. */
export function parsed<T>(schema: z.ZodType<T>, said: string, maxChars = maxMessageChars): T | null {
  if (said.length > maxChars) return null;
  try {
    return schema.safeParse(JSON.parse(said)).data ?? null;
  } catch {
    return null;
  }
}
