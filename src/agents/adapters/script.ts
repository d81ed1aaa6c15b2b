// Plays prepared answers in a child process, so that timeouts, stops and crashes behave as with agents.
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { BosunError, isInside, writeOwnFile } from '../../base/index.js';
import { type AttemptPaths, attemptPaths, baseOf, type Seat } from '../processes/environment.js';
import type { Fault } from '../processes/run-process.js';

const maxFileBytes = 1024 * 1024;
const maxTriesKept = 1000;

const files = z.record(z.string().min(1), z.string());
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const answerSchema = z.strictObject({
  step: z.string().min(1),
  item: z.string().optional(),
  role: z.string().min(1).optional(),
  try: z.number().int().min(1).optional(),
  run: z.tuple([z.string().min(1)], z.string()).optional(),
  write: files.optional(),
  append: files.optional(),
  result: z.record(z.string(), scalar).optional(),
  handoff: z
    .strictObject({ front: z.record(z.string(), z.unknown()).optional(), body: z.string().optional() })
    .optional(),
  edits: z.unknown().optional(),
  scratch: z.string().optional(),
  item_scratch: z.string().optional(),
  progress: z.string().optional(),
  output: z.string().optional(),
  exit: z.number().int().min(0).max(255).optional(),
  delay_ms: z.number().int().min(0).max(3_600_000).optional(),
});
const answers = z.array(answerSchema).max(1000);
const scriptSchema = z.union([answers, z.strictObject({ answers })], {
  error: 'must be a list of answers, or an object with `answers`',
});

type Answer = z.infer<typeof answerSchema>;

export type Launch =
  | { readonly ok: true; readonly argv: readonly [string, ...string[]]; readonly input: string }
  | { readonly ok: false; readonly fault: Fault };

export function launchScript(spec: Seat, file: string): Launch {
  const path = isAbsolute(file) ? file : join(spec.root, file);
  const script = readScript(path);
  if (!script.ok) return bad(`the script ${path} ${script.error}`);
  const attempt = countTry(spec);
  const answer = script.answers.find((candidate) => isFor(candidate, spec, attempt));
  if (answer === undefined) {
    const whose = spec.role === undefined ? '' : `, role "${spec.role}"`;
    const where = `step "${spec.step}"${spec.item === '' ? '' : `, item "${spec.item}"`}${whose}, try ${attempt}`;
    return fail('no_answer', `the script ${path} has no answer for ${where}; add one`);
  }
  return play(spec, answer, attempt, path);
}

function isFor(answer: Answer, spec: Seat, attempt: number): boolean {
  const isStep = answer.step === spec.step || answer.step === spec.label;
  const isOurs = (answer.item ?? spec.item) === spec.item && (answer.role ?? spec.role) === spec.role;
  return isStep && isOurs && (answer.try ?? attempt) === attempt;
}

function play(spec: Seat, answer: Answer, attempt: number, path: string): Launch {
  const paths = attemptPaths(spec);
  const place = (entries: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
    Object.entries(entries).map(([name, text]) => [resolve(spec.workdir, name), text]);
  const write = place(answer.write ?? {});
  const append = place(answer.append ?? {});
  const outside = [...write, ...append].find(([target]) => !staysWithin(spec.workdir, target));
  if (outside !== undefined) return bad(`the script ${path} writes outside the working directory: ${outside[0]}`);
  const reports: (readonly [string, string])[] = [];
  if (answer.result !== undefined) reports.push([paths.resultFile, resultText(answer.result)]);
  if (answer.handoff !== undefined) reports.push([paths.handoffFile, handoffText(answer.handoff, spec)]);
  if (answer.edits !== undefined) reports.push([paths.editsFile, `${JSON.stringify(answer.edits)}\n`]);
  const where = [spec.item, spec.step, spec.role ?? ''].filter((part) => part !== '').join(' ');
  const input = JSON.stringify({
    banner: `[scripted] ${where}, try ${attempt}: a prepared answer, not a coding agent`,
    delayMs: answer.delay_ms ?? 0,
    write,
    append: [...append, ...memories(answer, paths)],
    run: answer.run ?? null,
    reports,
    output: answer.output ?? '',
    exit: answer.exit ?? null,
    prompt: spec.prompt,
  });
  return { ok: true, argv: [process.execPath, '--input-type=commonjs', '-e', playerSource], input };
}

function memories(answer: Answer, paths: AttemptPaths): readonly (readonly [string, string])[] {
  const added: readonly (readonly [string, string | undefined])[] = [
    [paths.scratchFile, answer.scratch],
    [paths.itemScratchFile, answer.item_scratch],
    [paths.progressFile, answer.progress],
  ];
  return added.flatMap(([path, text]) => (text === undefined ? [] : [[path, `${text.trimEnd()}\n`] as const]));
}

function resultText(result: Readonly<Record<string, z.infer<typeof scalar>>>): string {
  return Object.entries(result)
    .map(([key, value]) => `${key}: ${String(value)}\n`)
    .join('');
}

function handoffText(handoff: NonNullable<Answer['handoff']>, spec: Seat): string {
  const body = handoff.body ?? '';
  if (handoff.front === undefined) return `${body}\n`;
  const named = { story: spec.item === '' ? null : spec.item, step: spec.step, attempt: spec.attemptNumber };
  return `---\n${stringify({ ...named, ...handoff.front })}---\n\n${body}\n`;
}

function staysWithin(folder: string, target: string): boolean {
  const root = realpathSync(folder);
  let existing = target;
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined && dirname(existing) !== existing) {
    existing = dirname(existing);
  }
  try {
    return isInside(resolve(folder), target) && isInside(root, realpathSync(existing));
  } catch {
    // A dangling link: a write would create a file elsewhere.
    return false;
  }
}

type Script =
  | { readonly ok: true; readonly answers: readonly Answer[] }
  | { readonly ok: false; readonly error: string };

function readScript(path: string): Script {
  let data: unknown;
  try {
    if (statSync(path).size > maxFileBytes) return { ok: false, error: `is larger than ${maxFileBytes} bytes` };
    data = parse(readFileSync(path, 'utf8'), { maxAliasCount: 100 });
  } catch (error) {
    return { ok: false, error: `could not be read: ${error instanceof Error ? error.message : String(error)}` };
  }
  const list = Array.isArray(data) ? answers.safeParse(data) : scriptSchema.safeParse(data);
  if (list.success) return { ok: true, answers: Array.isArray(list.data) ? list.data : list.data.answers };
  const [issue] = list.error.issues;
  return { ok: false, error: `is not valid at ${issue?.path.join('.') || 'its top'}: ${issue?.message ?? ''}` };
}

const triesSchema = z.record(z.string(), z.array(z.string()));

/** Counts across generations; a redelivered job counts once. */
function countTry(spec: Seat): number {
  const path = join(spec.sharedDir, 'script-tries.json');
  const tries = readTries(path);
  const key = `${spec.item}/${spec.step}`;
  const before = tries[key] ?? [];
  const known = before.indexOf(spec.attempt);
  if (known >= 0) return known + 1;
  tries[key] = [...before, spec.attempt].slice(0, maxTriesKept);
  writeTries(baseOf(spec, path), path, tries);
  return before.length + 1;
}

function writeTries(base: string, path: string, tries: Readonly<Record<string, readonly string[]>>): void {
  try {
    writeOwnFile(base, path, JSON.stringify(tries));
  } catch (cause) {
    throw new BosunError('disk', `cannot write the count of tries to ${path}`, {
      hint: 'check that the disk has room and that the folder is writable',
      cause,
    });
  }
}

function readTries(path: string): Record<string, string[]> {
  try {
    return triesSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Missing at first; damage only restarts the count.
    return {};
  }
}

function bad(message: string): Launch {
  return fail('bad_script', message);
}

function fail(code: string, message: string): Launch {
  return { ok: false, fault: { code, message } };
}

/** For `node -e`; reads the answer from standard input. */
export const playerSource = `
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const answer = JSON.parse(fs.readFileSync(0, 'utf8'));

function put(files, flag) {
  for (const [file, text] of files) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { flag });
  }
}

function run(argv) {
  const ended = spawnSync(argv[0], argv.slice(1), { input: answer.prompt, stdio: ['pipe', 'inherit', 'inherit'] });
  if (ended.error && ended.error.code !== 'EPIPE') {
    process.stderr.write(ended.error.message + '\\n');
    return 127;
  }
  return ended.status === null ? 1 : ended.status;
}

// Not on standard output, so that an answer can be silence.
process.stderr.write(answer.banner + '\\n');
setTimeout(() => {
  put(answer.write, 'w');
  put(answer.append, 'a');
  const exit = answer.run === null ? 0 : run(answer.run);
  put(answer.reports, 'w');
  if (answer.output !== '') process.stdout.write(answer.output.endsWith('\\n') ? answer.output : answer.output + '\\n');
  process.exitCode = answer.exit === null ? exit : answer.exit;
}, answer.delayMs);
`;
