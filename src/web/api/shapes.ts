import { z } from 'zod';

/** An enum in the document, a string in types, so that clients tolerate later values. */
function word(...words: readonly string[]) {
  return z.string().meta({ enum: words });
}

const at = z.iso.datetime();
const count = z.int().min(0);
const amount = z.number().min(0);

export const error = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.string().nullable(),
});

export const problemShape = z.strictObject({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  error: error.describe('The error as the command line prints it with --json.'),
});

const health = word('running', 'quiet', 'waiting', 'stalled', 'idle');
const runStatus = word('draft', 'running', 'paused', 'completed', 'failed', 'cancelled');
const outcome = word('pass', 'failing', 'timeout', 'crashed', 'needs_human', 'cancelled').nullable();
const tests = z.strictObject({ pass: count, fail: count, skip: count });

export const runInShort = z.strictObject({
  id: z.string(),
  workflow: z.string(),
  status: runStatus,
  pause_reason: z.string().nullable(),
  task: z.string(),
  cost_usd: amount,
  cost_known: z.boolean().describe('False: an agent did not report its cost, and cost_usd is what is known.'),
  started_at: at.nullable(),
  ended_at: at.nullable(),
});

export const run = runInShort.extend({
  project: z.string(),
  over: z.boolean().describe('The run has ended.'),
  beside: z
    .boolean()
    .describe("Another run had the project's folder: this one works in a worktree and on a branch of its own."),
});

export const project = z.strictObject({
  id: z.string(),
  project: z.string(),
  aliases: z.array(z.string()),
  level: word('manual', 'semi', 'auto'),
  health,
  run: runInShort.nullable(),
  open: count.describe('The number of open interactions.'),
});

const item = z.strictObject({
  key: z.string(),
  title: z.string(),
  status: word('ready', 'blocked', 'running', 'merging', 'done', 'failed', 'cancelled'),
  depends_on: z.array(z.string()),
});

const standIn = z.strictObject({
  name: z.string(),
  instead_of: z.array(
    z.strictObject({
      name: z.string(),
      reason: z.string().describe('The code of its failure, such as rate_limited.'),
      until: at.nullable().describe('When it is tried again.'),
    }),
  ),
});

const activity = z.strictObject({
  action: z.string().nullable().describe('The current action, in a few words.'),
  last: z.string().nullable().describe('The last text or output line.'),
  silent_s: amount,
  cost_usd: amount.nullable(),
  tokens_in: count,
  tokens_out: count,
});

export const node = z.strictObject({
  id: z.string(),
  label: z.string(),
  template: z.string(),
  title: z.string(),
  item: z.string().nullable(),
  kind: z.string(),
  state: word('waiting', 'ready', 'queued', 'running', 'needs_human', 'passed', 'failed', 'skipped', 'cancelled'),
  generation: count,
  attempt: count,
  max_attempts: count,
  outcome: outcome.describe('Of the last attempt.'),
  reason: z.string().nullable(),
  skip_reason: z.string().nullable(),
  tests: tests.nullable(),
  summary: z.string().nullable(),
  not_before: at.nullable().describe('The earliest start, if it may not start at once.'),
  activity: activity.nullable().describe('The current activity; null if unknown.'),
  waits_for: z.string().nullable().describe('The reason for waiting, to follow "waits for"; null if it does not wait.'),
  executor: standIn
    .nullable()
    .describe("The executor that stands in for others; null: the first of the project's list does the step."),
});

const interaction = z.strictObject({
  id: z.string(),
  kind: word('review', 'question', 'escalation', 'confirm', 'choice', 'permission', 'budget'),
  item: z.string().nullable(),
  node: z.string().nullable(),
  text: z.string(),
  options: z.array(z.strictObject({ label: z.string(), press: z.string() })),
  state: word('open', 'answered', 'expired', 'superseded'),
  handed_to: z.string().optional().describe('The person to whom it was handed.'),
  handed_by: z.string().optional(),
  reminded_by: z.string().optional().describe('The person who last reminded others of it.'),
  reminded_at: at.optional(),
  snoozed: z
    .array(z.strictObject({ by: z.string(), until: at }))
    .optional()
    .describe('Who put it off for themselves.'),
});

export const projectStatus = z.strictObject({
  project: z.string(),
  aliases: z.array(z.string()),
  level: word('manual', 'semi', 'auto'),
  health,
  run: runInShort.nullable(),
  items: z.array(item.extend({ retry_count: count })),
  nodes: z.array(node).describe('In chain order, grouped by item.'),
  interactions: z.array(interaction),
  drafts: z.array(z.strictObject({ id: z.string(), task: z.string(), approved: z.boolean() })),
  opened: z
    .strictObject({ node: z.string(), step: z.string(), item: z.string().nullable(), by: z.string(), since: at })
    .nullable()
    .describe('The session that a person has open in a terminal: nothing of the run is dispatched meanwhile.'),
});

const story = item.extend({ id: z.string() });

export const runWhole = run.extend({
  items: z.array(story),
  nodes: z.array(node).describe('In chain order, grouped by item.'),
  node_count: count.describe('The number of nodes.'),
  nodes_next: z
    .string()
    .nullable()
    .describe('The "after" for /nodes to read the rest; null: no nodes were left out, or all were.'),
  interactions: z.array(interaction),
});

export const storyWhole = story.extend({
  description: z.string().optional(),
  acceptance_criteria: z.array(z.string()).optional(),
  output: z.string().nullable().optional(),
  retry_count: count.optional(),
  max_retries: count.optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});

export const event = z.looseObject({
  id: z.string().describe('Its sequence number among all events.'),
  type: z.string(),
  run: z.string(),
  chain: z.string().describe("Empty for the run's own chain, else the item's key."),
  at: z.int().describe('Milliseconds since 1970.'),
  by: z.string().optional().describe('The person who caused the event, if any.'),
});

export const waiting = interaction.extend({ project: z.string(), run: z.string(), opened_at: at });

export const attempt = z.strictObject({
  id: z.string(),
  run: z.string(),
  item: z.string().nullable(),
  node: z.string(),
  generation: count,
  number: count.describe('The number shown to people.'),
  state: word('queued', 'running', 'settled'),
  worker: z.string().nullable(),
  outcome,
  reason: z.string().nullable(),
  summary: z.string().nullable(),
  tests: tests.nullable(),
  dispatched_at: at,
  started_at: at.nullable(),
  ended_at: at.nullable(),
  duration_ms: amount,
  cost_usd: amount.nullable(),
  tokens_in: count.nullable(),
  tokens_out: count.nullable(),
});

const stat = z.strictObject({ files: count, insertions: count, deletions: count });

export const attemptWhole = attempt.extend({
  claim: z.string().nullable().describe("The executor's claim, if the evidence contradicts it."),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      command: z.string(),
      ok: z.boolean(),
      exit: z.int().nullable(),
      timed_out: z.boolean(),
      tail: z.string().describe('The end of its output.'),
    }),
  ),
  failing_tests: z.array(z.string()),
  warnings: z.array(z.string()),
  files_changed: z.array(z.string()),
  diff_stat: stat.nullable(),
  envelope: z.record(z.string(), z.unknown()).nullable().describe("The attempt's result as received; null until then."),
});

export const logLine = z.strictObject({
  id: z.string().describe("The line's offset in the file, in bytes."),
  at: at.nullable(),
  from: z.string().describe('out, err, sys, team, or tool (what a command of the agent printed).'),
  line: z.string(),
});

export const diff = z.strictObject({
  stat,
  files: z.array(z.string()),
  patch: z.string().describe('Cut after 1 MB; the last line then says so.'),
});

const sum = z.strictObject({ usd: amount, tokens_in: count, tokens_out: count });
export const cost = z.strictObject({ id: z.string(), project: z.string(), today: sum, week: sum, ever: sum });
export const dayCost = sum.extend({ id: z.string(), project: z.string(), day: z.iso.date() });
export const workflow = z.strictObject({
  id: z.string(),
  origin: word('project', 'shipped'),
  steps: z.array(z.string()).describe('The first steps of its chain; none if it does not load.'),
});

export const message = z.strictObject({
  id: z.string(),
  message: z.string(),
  thread: z.string(),
  edits: z.string().nullable().describe('The message that this one replaces.'),
  kind: z.string(),
  text: z.string(),
  buttons: z.array(z.strictObject({ label: z.string(), press: z.string() })),
  menu: z
    .array(z.strictObject({ label: z.string(), press: z.string() }))
    .optional()
    .describe('Minor buttons.'),
  file: z.strictObject({ name: z.string(), text: z.string() }).optional(),
});

export function listOf<T extends z.ZodType>(one: T) {
  return z.strictObject({ items: z.array(one), next: nextShape });
}

const nextShape = z.string().nullable().describe('The before, after or offset of the next page; null at the end.');

export const logWindow = listOf(logLine).extend({
  size: count,
  is_over: z.boolean().describe('True if the log is complete.'),
});

export const answered = z.strictObject({
  items: z.array(message),
  exit: z.int().describe('The exit code of the command line.'),
});

/** Begun, but waiting for its end failed. */
export const brokenOff = z.strictObject({ error });

export const loginLink = z.strictObject({ url: z.string() });

export const named = {
  Problem: problemShape,
  RunInShort: runInShort,
  Run: run,
  RunWhole: runWhole,
  Project: project,
  ProjectStatus: projectStatus,
  Node: node,
  Interaction: interaction,
  Story: storyWhole,
  Event: event,
  Waiting: waiting,
  Attempt: attempt,
  AttemptWhole: attemptWhole,
  LogLine: logLine,
  Diff: diff,
  Cost: cost,
  DayCost: dayCost,
  Workflow: workflow,
  Message: message,
} as const;
