import { readFileSync, statSync } from 'node:fs';
import { isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { BosunError } from '../../base/index.js';

const maxBytes = 256 * 1024;
const maxSteps = 1_000;
const maxAliases = 100;
/** Such text crashes the YAML parser, whose regular expressions grow with depth. */
const deepRun = /(?:[-?:][ \t]+){200}/;

const words = z.string().min(1, 'must not be empty').max(20_000, 'is longer than 20000 characters');
const name = z.string().min(1, 'must not be empty').max(200, 'is longer than 200 characters');

const stepSchema = z
  .strictObject({
    say: words.optional(),
    press: z.union([name, z.number().int().min(1).transform(String)], 'must be a label, an id or a number').optional(),
    text: words.optional(),
    reply: words.optional(),
    expect: z
      .union(
        [words.transform((one) => [one]), z.array(words).max(50, 'holds more than 50')],
        'must be text or a list of texts',
      )
      .default([]),
    as: name.nullable().default(null),
    thread: name.default('local'),
  })
  .refine(
    ({ say, press, reply }) => [say, press, reply].filter((one) => one !== undefined).length <= 1,
    'has more than one of say, press and reply',
  )
  .refine(
    ({ say, press, reply, expect }) =>
      say !== undefined || press !== undefined || reply !== undefined || expect.length > 0,
    'has none of say, press, reply and expect',
  )
  .refine(({ press, text }) => text === undefined || press !== undefined, 'has a text without a press');

export type ReplayStep = z.output<typeof stepSchema> & { readonly line: number };

interface Raw {
  readonly value: unknown;
  readonly line: number;
}

export function readConversation(file: string): readonly ReplayStep[] {
  const text = readText(file);
  const raw = file.endsWith('.jsonl') ? linesOf(file, text) : yamlOf(file, text);
  if (raw.length === 0) throw bad(file, 1, 'the file has no steps');
  if (raw.length > maxSteps) throw bad(file, raw[maxSteps]?.line ?? 1, `it has more than ${maxSteps} steps`);
  return raw.map(({ value, line }) => {
    const parsed = stepSchema.safeParse(value);
    if (parsed.success) return { ...parsed.data, line };
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
    throw bad(file, line, `${where}${issue?.message ?? 'it is not a step'}`);
  });
}

function readText(file: string): string {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw new BosunError('bad_input', `${file} is not a file`);
    if (stat.size > maxBytes) throw new BosunError('limit', `${file} is larger than ${maxBytes / 1024} KB`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof BosunError) throw cause;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    throw new BosunError(code === 'ENOENT' ? 'not_found' : 'disk', `Cannot read ${file} (${code})`, {
      hint: 'Give the file of a conversation, such as examples/conversations/demo.yaml.',
      cause,
    });
  }
}

function linesOf(file: string, text: string): readonly Raw[] {
  return text.split('\n').flatMap((content, index) => {
    if (content.trim() === '') return [];
    try {
      return [{ value: JSON.parse(content) as unknown, line: index + 1 }];
    } catch {
      throw bad(file, index + 1, 'the line is not JSON');
    }
  });
}

function yamlOf(file: string, text: string): readonly Raw[] {
  if (deepRun.test(text)) throw bad(file, 1, 'it is nested too deep');
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const lineAt = (offset: number | undefined) => Math.max(1, counter.linePos(offset ?? 0).line);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem)
    throw bad(file, lineAt(problem.pos[0]), `it is not valid YAML: ${problem.code.toLowerCase().replaceAll('_', ' ')}`);
  const { contents } = document;
  if (contents === null) return [];
  if (!isSeq(contents)) throw bad(file, 1, 'it must be a list of steps, such as "- say: continue demo"');
  try {
    const values: unknown = document.toJS({ maxAliasCount: maxAliases });
    return (Array.isArray(values) ? values : []).map((value: unknown, index) => ({
      value,
      line: lineAt(startOf(contents.items[index])),
    }));
  } catch (cause) {
    // Too many aliases, or too deep.
    throw new BosunError('bad_input', `${file}: its aliases (*) expand to too much text`, { cause });
  }
}

function startOf(node: unknown): number | undefined {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) ? Number(range[0]) : undefined;
}

function bad(file: string, line: number, message: string): BosunError {
  return new BosunError('bad_input', `${file}:${line}: ${message}`, {
    hint: 'A step has one of say, press and reply, and optionally expect, as and thread.',
  });
}
