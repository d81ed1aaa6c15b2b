import { z } from 'zod';
import type { Envelope } from '../../../engine/index.js';

const text = z.string().max(2 * 1024 * 1024);
const texts = z.array(text).max(20_000);
const count = z.number().int().nonnegative();
const exit = z.number().int().nullable();
const words = { status: text.nullable(), reason: text.nullable(), summary: text.nullable() };
const report = z.object(words);
const tests = z.object({ pass: count, fail: count, skip: count });

const permission = z.object({ tool: text, what: text, mark: text });

const op = z.discriminatedUnion('operation', [
  z.object({
    operation: z.enum(['add_after', 'split']),
    target: text,
    reason: text,
    steps: z.array(z.object({ type: text, description: text })).max(1_000),
  }),
  z.object({ operation: z.literal('skip'), target: text, reason: text }),
  z.object({ operation: z.literal('reorder'), order: texts, reason: text }),
  z.object({ operation: z.enum(['edit_description', 'restart']), target: text, reason: text, description: text }),
]);

const handoff = z.object({
  front: z
    .object({
      ...words,
      filesChanged: texts,
      tests: tests.nullable(),
      reviewDigest: text.nullable(),
      questions: texts,
    })
    .nullable(),
  body: text,
});

const check = z.object({
  name: z.enum(['tests', 'check']),
  command: text,
  ok: z.boolean(),
  exit,
  timedOut: z.boolean(),
  tests: tests.extend({ failing: texts }).nullable(),
  tail: text,
});

const diffStat = z.object({ files: count, insertions: count, deletions: count, largeBytes: count.exactOptional() });
const treeId = z.string().regex(/^[0-9a-f]{40,64}$/);
const change = z.object({
  from: treeId,
  to: treeId,
  stat: diffStat,
  files: z.array(z.object({ path: text, insertions: count, deletions: count })).max(1_000),
});

const fields = {
  exit,
  killed: z.enum(['timeout', 'cancel', 'interrupted', 'budget']).nullable(),
  fault: z
    .object({
      code: text,
      message: text,
      remedy: z.enum(['wait', 'ask']).exactOptional(),
      waitMs: z.number().nonnegative().exactOptional(),
    })
    .nullable(),
  output: z.object({
    isEmpty: z.boolean(),
    keys: z.record(z.string(), text),
    statuses: texts.exactOptional(),
    stories: text.nullable(),
    summary: text.nullable(),
    tail: text,
  }),
  result: report.nullable(),
  handoff: handoff.nullable(),
  checks: z.array(check).max(100),
  warnings: texts,
  filesChanged: texts,
  diffStat: diffStat.nullable(),
  costUsd: z.number().nonnegative().nullable(),
  tokensIn: z.number().nonnegative().nullable(),
  tokensOut: z.number().nonnegative().nullable(),
  isUnpriced: z.boolean().exactOptional(),
  durationMs: z.number(),
  logPath: text.nullable(),
  edits: z
    .discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), ops: z.array(op).max(1_000) }),
      z.object({ ok: z.literal(false), error: text }),
    ])
    .nullable(),
  scratch: z.object({ run: text, item: text }),
  progress: text.nullable(),
  team: z.array(z.object({ ...words, role: text, exit, filesChanged: texts, conflicts: texts })).max(100),
  session: text.nullable().exactOptional(),
  asks: z
    .array(
      z.object({
        kind: z.enum(['question', 'permission']),
        text,
        options: texts,
        permission: permission.nullable(),
      }),
    )
    .max(1_000)
    .exactOptional(),
  program: text.nullable().exactOptional(),
  filesKept: texts.exactOptional(),
  reports: z.literal(true).exactOptional(),
  strays: texts.exactOptional(),
  touchedRules: texts.exactOptional(),
  wrote: texts.exactOptional(),
  work: z.object({ whole: change, since: change.exactOptional() }).exactOptional(),
  // They lie in Bosun's home, out of a remote worker's reach.
  pictures: z.array(z.never()).max(0).exactOptional(),
  pushed: z.object({ ref: text, commit: treeId }).exactOptional(),
};

/** Compile-time check: zod would silently drop a missing field. */
fields satisfies { readonly [Field in keyof Required<Envelope>]: z.ZodType };

export const envelopeSchema = z.object(fields) satisfies z.ZodType<Envelope>;
