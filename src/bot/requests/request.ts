import { z } from 'zod';
import type { Message } from '../../store/index.js';

const text = z.string().max(100_000);
const name = z.string().min(1).max(200);
const agents = z.number().int().min(1).max(16).optional();
const story = name.optional();
const openedKey = z.strictObject({ run: name, key: name });
const base = {
  thread: name.default('local'),
  as: name.nullable().default(null),
  cwd: z.string().max(4_096).default('/'),
};

export const requestSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('say'), text, replyTo: name.nullable().default(null), ...base }),
  z.strictObject({ do: z.literal('press'), press: name, text: text.nullable().default(null), ...base }),
  z.strictObject({
    do: z.literal('run'),
    project: name,
    /** '' with a story. */
    task: text.default(''),
    agents,
    story,
    workflow: z.string().max(4_096).nullable().default(null),
    set: z.record(z.string().max(200), text).default({}),
    oneShot: z.boolean().default(false),
    ...base,
  }),
  z.strictObject({
    do: z.literal('import'),
    project: name,
    stories: z.unknown(),
    file: z.string().max(4_096),
    workflow: z.string().max(4_096).nullable().default(null),
    resume: z.boolean().optional(),
    agents,
    story,
    ...base,
  }),
  z.strictObject({ do: z.literal('takeover'), project: name, ...base }),
  z.strictObject({
    do: z.literal('hook'),
    project: name,
    /** One of the runs beside each other; absent: the only one whose step waits. */
    run: name.optional(),
    token: name.nullable().default(null),
    status: name.nullable().default(null),
    reason: name.nullable().default(null),
    summary: text.nullable().default(null),
    /** A manual session went idle. */
    session: z.strictObject({ agent: name, id: name, turn: name.nullable(), text }).optional(),
    /** From another system, with dedupe ids. */
    delivery: z
      .strictObject({ ids: z.array(z.string().min(1).max(600)).max(4), url: z.string().max(2_000).nullable() })
      .optional(),
    /** With `session`: `bosun open` is over. */
    opened: openedKey.optional(),
    ...base,
  }),
  z.strictObject({
    do: z.literal('open'),
    run: name,
    chain: z.string().max(200),
    node: name,
    key: name,
    host: name,
    processes: z.array(z.strictObject({ pid: z.int().positive(), startedAt: z.string().max(200) })).max(4),
    ...base,
  }),
  z.strictObject({
    do: z.literal('step'),
    act: z.enum(['claim', 'complete', 'fail']),
    project: name.nullable().default(null),
    role: name.nullable().default(null),
    claim: name.nullable().default(null),
    token: name.nullable().default(null),
    text: text.default(''),
    ...base,
  }),
]);

export type Request = z.infer<typeof requestSchema>;

export interface RequestResult {
  readonly messages: readonly Message[];
  readonly project: string | null;
  readonly exit: 0 | 2 | 3;
}
