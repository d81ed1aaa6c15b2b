// What `status --json` promises, to the letter. Keys that were added since stand at the end of their object.
import { z } from 'zod';

const count = z.number().int().nonnegative();
const when = z.iso.datetime().nullable();

const run = z.strictObject({
  id: z.string().regex(/^r\d+$/),
  workflow: z.string().min(1),
  status: z.enum(['draft', 'running', 'paused', 'completed', 'failed', 'cancelled']),
  pause_reason: z.enum(['decision', 'escalation', 'failure', 'user', 'level', 'budget']).nullable(),
  task: z.string(),
  cost_usd: z.number().nonnegative(),
  started_at: when,
  ended_at: when,
  cost_known: z.boolean(),
});

const item = z.strictObject({
  key: z.string().min(1),
  title: z.string(),
  status: z.enum(['ready', 'blocked', 'running', 'merging', 'done', 'failed', 'cancelled']),
  depends_on: z.array(z.string()),
  retry_count: count,
});

const node = z.strictObject({
  id: z.string().regex(/^n\d+$/),
  label: z.string().regex(/^step-\d{3,}$/),
  template: z.string().min(1),
  item: z.string().nullable(),
  kind: z.enum(['task', 'human', 'check', 'decision', 'loop']),
  state: z.enum(['waiting', 'ready', 'queued', 'running', 'needs_human', 'passed', 'failed', 'skipped', 'cancelled']),
  generation: count.min(1),
  attempt: count.min(1),
  max_attempts: count.min(1),
  outcome: z.enum(['pass', 'failing', 'timeout', 'crashed', 'needs_human', 'cancelled']).nullable(),
  reason: z.string().nullable(),
  skip_reason: z.string().nullable(),
  tests: z.strictObject({ pass: count, fail: count, skip: count }).nullable(),
  summary: z.string().nullable(),
  title: z.string(),
  not_before: when,
  activity: z
    .strictObject({
      action: z.string().nullable(),
      last: z.string().nullable(),
      silent_s: count,
      cost_usd: z.number().nonnegative().nullable(),
      tokens_in: count,
      tokens_out: count,
    })
    .nullable(),
  waits_for: z.string().min(1).nullable(),
  executor: z
    .strictObject({
      name: z.string().min(1),
      instead_of: z.array(z.strictObject({ name: z.string(), reason: z.string(), until: when })),
    })
    .nullable(),
});

const interaction = z.strictObject({
  id: z.string().regex(/^i\d/),
  kind: z.enum(['review', 'question', 'escalation', 'confirm', 'choice', 'permission', 'budget']),
  item: z.string().nullable(),
  node: z.string().nullable(),
  text: z.string().min(1),
  options: z.array(z.strictObject({ label: z.string().min(1), press: z.string().min(4) })).min(1),
  state: z.literal('open'),
});

export const statusSchema = z.strictObject({
  project: z.string().min(1),
  aliases: z.array(z.string()),
  level: z.enum(['manual', 'semi', 'auto']),
  health: z.enum(['running', 'quiet', 'waiting', 'stalled', 'idle']),
  run: run.nullable(),
  items: z.array(item),
  nodes: z.array(node),
  interactions: z.array(interaction),
  drafts: z.array(z.strictObject({ id: z.string(), task: z.string(), approved: z.boolean() })),
  opened: z
    .strictObject({
      node: z.string(),
      step: z.string(),
      item: z.string().nullable(),
      by: z.string(),
      since: z.string(),
    })
    .nullable(),
});

export type Status = z.infer<typeof statusSchema>;
