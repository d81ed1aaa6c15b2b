// Agents write report, notes and log with these tools, without a permission. The files stay the only protocol.
import { z } from 'zod';

export interface AgentFiles {
  readonly handoff: string;
  readonly itemScratch: string;
  readonly scratch: string;
  readonly progress: string | null;
  readonly step: string;
  readonly attempt: string;
}

export interface FileAccess {
  /** Throws unless it is a plain file. */
  read(path: string): string | null;
  write(path: string, text: string): void;
}

export interface FileToolResult {
  readonly ok: boolean;
  readonly text: string;
}

export interface FileTool {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  call(input: unknown, access: FileAccess): FileToolResult;
}

const maxFileChars = 200_000;
const maxFrontChars = 32_000;

const count = z.number().int().min(0).max(1_000_000);
const reportInput = z.object({
  status: z.string().min(1).max(100).describe('One of the words that the prompt names for this step'),
  reason: z.string().max(200).nullish().describe('With failing: why, in a word that the prompt names'),
  summary: z.string().max(4_000).describe('One or two sentences. With needs_human: your question'),
  review_digest: z.string().max(8_000).nullish().describe('Up to eight lines for the reviewer'),
  questions: z.array(z.string().max(1_000)).max(50).nullish().describe('What only a person can decide'),
  files_changed: z.array(z.string().max(1_000)).max(1_000).nullish(),
  tests: z.object({ pass: count, fail: count, skip: count }).nullish(),
  notes: z.string().max(60_000).nullish().describe('What is done, what is unresolved, notes for the next session'),
});
const noteInput = z.object({
  text: z.string().trim().min(1).max(2_000).describe('Short lines that the code does not tell'),
  for_all_stories: z.boolean().nullish().describe('For every story of the run, not only for this one'),
});
const progressInput = z.object({
  text: z.string().trim().min(1).max(8_000).describe('The block to append, or lines for the patterns'),
  section: z.enum(['log', 'patterns']).nullish().describe('patterns: below the heading `## Codebase Patterns`'),
});

export function fileTools(files: AgentFiles): readonly FileTool[] {
  const { progress } = files;
  return [
    tool('report', 'Report how this step ended, instead of writing the handoff file. The last report counts.', {
      schema: reportInput,
      run: (input, access) => replace(access, files.handoff, handoffOf(input, files)),
    }),
    tool('note', 'Keep a fact for later steps, instead of appending to the scratch file.', {
      schema: noteInput,
      run: ({ text, for_all_stories: isForAll }, access) =>
        append(access, isForAll ? files.scratch : files.itemScratch, text),
    }),
    ...(progress === null
      ? []
      : [
          tool('progress_log', 'Append a block to the progress log of the run, or add to its patterns.', {
            schema: progressInput,
            run: ({ text, section }, access) =>
              section === 'patterns' ? addPatterns(access, progress, text) : append(access, progress, text),
          }),
        ]),
  ];
}

function tool<Schema extends z.ZodObject>(
  name: string,
  description: string,
  { schema, run }: { readonly schema: Schema; run(input: z.infer<Schema>, access: FileAccess): FileToolResult },
): FileTool {
  return {
    name,
    description,
    schema,
    call: (input, access) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return refused(`${name} was not understood: ${whatIsWrong(parsed.error)}`);
      try {
        return run(parsed.data, access);
      } catch (error) {
        return refused(`${name} could not be written: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

function whatIsWrong({ issues }: z.ZodError): string {
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
    .join('; ');
}

/** JSON is YAML: no value can break the front matter. */
function handoffOf(said: z.infer<typeof reportInput>, { step, attempt }: AgentFiles): string {
  const { status, reason, summary, review_digest, questions, files_changed, tests, notes } = said;
  const front = { step, attempt, status, reason, summary, review_digest, questions, files_changed, tests };
  const lines = Object.entries(front).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [`${key}: ${JSON.stringify(value)}`],
  );
  const block = lines.join('\n');
  if (block.length > maxFrontChars)
    throw new Error(`it has ${block.length} characters; shorten it to ${maxFrontChars}`);
  return `---\n${block}\n---\n${notes?.trim() ?? ''}\n`;
}

function replace(access: FileAccess, path: string, text: string): FileToolResult {
  access.write(path, text);
  return taken;
}

function append(access: FileAccess, path: string, text: string): FileToolResult {
  const before = access.read(path) ?? '';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return grow(access, path, `${before}${gap}${text}\n`);
}

const patternsHeading = '## Codebase Patterns';

function addPatterns(access: FileAccess, path: string, text: string): FileToolResult {
  const before = (access.read(path) ?? '').split('\n');
  const at = before.findIndex((line) => line.trim() === patternsHeading);
  const fresh = text.split('\n').filter((line) => line.trim() !== patternsHeading && !before.includes(line));
  if (fresh.length === 0) return taken;
  const [head, rest] = at < 0 ? [[patternsHeading], before] : [before.slice(0, at + 1), before.slice(at + 1)];
  return grow(access, path, [...head, ...fresh, ...rest].join('\n'));
}

function grow(access: FileAccess, path: string, text: string): FileToolResult {
  if (text.length > maxFileChars) return refused('It was not kept: the file has reached its limit.');
  access.write(path, text);
  return taken;
}

const taken: FileToolResult = { ok: true, text: 'Noted.' };

function refused(text: string): FileToolResult {
  return { ok: false, text };
}
