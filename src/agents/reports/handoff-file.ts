// `.ai/HANDOFF.md`: front matter (first block only) and a body.
import { parseDocument } from 'yaml';
import { z } from 'zod';
import type { Handoff } from '../../engine/index.js';
import { readLines } from './handoff-lines.js';
import { type Identity, identityFields, scalar } from './report-identity.js';

const maxBodyChars = 64 * 1024;
const maxFrontChars = 32 * 1024;
const maxFiles = 1000;
const maxQuestions = 50;
const maxAliases = 20;

const count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .pipe(z.number().int().nonnegative());
const tests = z.object({ pass: count.nullish(), fail: count.nullish(), skip: count.nullish() });
const files = z.union([
  z.array(z.union([z.string(), z.number()]).transform(String)).max(maxFiles),
  z.string().transform((text) =>
    text
      .split(',')
      .map((file) => file.trim())
      .filter((file) => file !== ''),
  ),
  z.null().transform(() => []),
]);

/** YAML parses `[Is it ok: yes?]` as a map, though it is a question. */
const questions = z
  .unknown()
  .optional()
  .transform((value) => questionsIn(value).slice(0, maxQuestions));

function questionsIn(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => questionOf(one));
  return typeof value === 'object' ? Object.entries(value).map(pairOf) : [String(value)];
}

function questionOf(value: unknown): readonly string[] {
  if (value === null) return [];
  return [typeof value === 'object' ? Object.entries(value).map(pairOf).join(', ') : String(value)];
}

function pairOf([key, value]: readonly [string, unknown]): string {
  if (value === null) return key;
  return `${key}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
}

const digest = z.union([
  z
    .array(z.union([z.string(), z.number()]).transform((line) => `- ${line}`))
    .max(maxQuestions)
    .transform((list) => list.join('\n') || null),
  scalar,
]);

const schema = z.looseObject({
  ...identityFields,
  status: scalar,
  reason: scalar,
  summary: scalar,
  files_changed: files.default([]).catch([]),
  review_digest: digest.catch(null),
  questions,
  tests: tests.nullish().catch(null),
  tests_pass: count.nullish().catch(null),
  tests_fail: count.nullish().catch(null),
  tests_skip: count.nullish().catch(null),
});

export interface ParsedHandoff {
  readonly identity: Identity;
  readonly handoff: Handoff;
  readonly warning: string | null;
}

type Front = NonNullable<Handoff['front']>;

const nobody: Identity = { story: null, item: null, step: null, attempt: null, token: null };
const unreadable: Front = {
  status: null,
  reason: null,
  summary: null,
  filesChanged: [],
  tests: null,
  reviewDigest: null,
  questions: [],
};

export function parseHandoff(text: string): ParsedHandoff {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0 || lines[first]?.trimEnd() !== '---')
    return { identity: nobody, handoff: { front: null, body: cut(text) }, warning: null };
  const last = lines.findIndex((line, index) => index > first && /^(?:---|\.\.\.)\s*$/.test(line));
  if (last < 0) return broken(`opens at line ${first + 1} and never closes`, '');
  const body = cut(lines.slice(last + 1).join('\n'));
  const block = lines.slice(first + 1, last);
  // Deep nesting could crash a recursive parser.
  if (block.join('\n').length > maxFrontChars) return broken(`is longer than ${maxFrontChars} characters`, body);
  const yaml = readYaml(block);
  if (!yaml.ok) {
    const what = `is broken at line ${first + 1 + yaml.line}: ${yaml.message}`;
    return yaml.isSlip ? recovered(block, what, body) : broken(what, body);
  }
  const parsed = schema.safeParse(yaml.data ?? {});
  if (parsed.success)
    return { ...readFront(parsed.data), handoff: { front: frontOf(parsed.data), body }, warning: null };
  const key = String(parsed.error.issues[0]?.path[0] ?? '');
  const line = block.findIndex((text) => text.startsWith(`${key}:`));
  const at = `is broken at line ${first + 2 + Math.max(line, 0)}`;
  return key === ''
    ? broken(`${at}: it is not a mapping`, body)
    : recovered(block, `${at}: "${key}" must be plain text`, body);
}

/** The warning remains, because lines may be lost. */
function recovered(block: readonly string[], what: string, body: string): ParsedHandoff {
  const parsed = schema.safeParse(readLines(block));
  const lost = broken(what, body);
  if (!parsed.success) return lost;
  return { ...lost, ...readFront(parsed.data), handoff: { front: frontOf(parsed.data), body } };
}

function readFront(data: z.infer<typeof schema>): { readonly identity: Identity } {
  const { story, item, step, attempt, token } = data;
  return { identity: { story, item, step, attempt, token } };
}

function frontOf(data: z.infer<typeof schema>): Front {
  const pass = data.tests_pass ?? data.tests?.pass ?? null;
  const fail = data.tests_fail ?? data.tests?.fail ?? null;
  const skip = data.tests_skip ?? data.tests?.skip ?? null;
  const isCounted = pass !== null || fail !== null || skip !== null;
  return {
    status: data.status,
    reason: data.reason === 'null' ? null : data.reason,
    summary: data.summary,
    filesChanged: data.files_changed,
    reviewDigest: data.review_digest,
    questions: data.questions,
    tests: isCounted ? { pass: pass ?? 0, fail: fail ?? 0, skip: skip ?? 0 } : null,
  };
}

function broken(what: string, body: string): ParsedHandoff {
  return { identity: nobody, handoff: { front: unreadable, body }, warning: `the front matter of HANDOFF.md ${what}` };
}

type Yaml =
  | { readonly ok: true; readonly data: unknown }
  /** `isSlip`: one line is wrong, not the whole block. */
  | { readonly ok: false; readonly line: number; readonly message: string; readonly isSlip: boolean };

/** Falls back to quoting values with a colon, as people write them. */
function readYaml(block: readonly string[]): Yaml {
  const strict = parseYaml(block.join('\n'));
  if (strict.ok) return strict;
  const quoted = parseYaml(block.map(quoteColons).join('\n'));
  return quoted.ok ? quoted : strict;
}

function parseYaml(text: string): Yaml {
  try {
    const document = parseDocument(text, { schema: 'core', prettyErrors: true });
    const [error] = document.errors;
    if (error === undefined) return { ok: true, data: document.toJS({ maxAliasCount: maxAliases }) };
    return { ok: false, line: error.linePos?.[0].line ?? 1, message: error.message.split('\n')[0] ?? '', isSlip: true };
  } catch (error) {
    return { ok: false, line: 1, message: error instanceof Error ? error.message : String(error), isSlip: false };
  }
}

function quoteColons(line: string): string {
  const match = /^([A-Za-z_]{1,40}): +([^"'[{|>&*!%@`\s].*)$/.exec(line);
  const [, key = '', value = ''] = match ?? [];
  return match !== null && /:(?: |$)/.test(value) ? `${key}: ${JSON.stringify(value.trimEnd())}` : line;
}

function cut(body: string): string {
  return body.trim().slice(0, maxBodyChars);
}
