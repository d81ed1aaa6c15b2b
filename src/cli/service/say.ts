// `bosun say`, `press`, `run`, `import`: in the running Bosun, or here.

import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { BosunError, spellCommands } from '../../base/index.js';
import type { MessageJson, Request } from '../../bot/index.js';
import { outsideOfHome } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { agentCount, keyAndValue, keysAndValues, type SpeakOptions, speakOptions } from '../options.js';
import { readStdin } from './read-stdin.js';
import { sendToRunning } from './remote-client.js';
import { speak } from './speak.js';

const maxImportBytes = 5 * 1024 * 1024;

export function registerSaying(program: Command, cli: CommandContext): void {
  registerSay(program, cli);
  registerPress(program, cli);
  registerRun(program, cli);
  registerImport(program, cli);
}

export function perform(
  cli: CommandContext,
  request: Request,
  options: Pick<SpeakOptions, 'wait' | 'timeout' | 'json'>,
): Promise<ExitCode> {
  const { home } = cli;
  const print = (message: MessageJson) => {
    if (options.json) cli.printJson(message);
    else cli.print(...messageLines(message));
  };
  const timeoutMs = Math.round(options.timeout * 1000);
  const warn = (line: string) => cli.warn(spellCommands(line));
  return speak({ home, request, wait: options.wait === true, timeoutMs, print, warn }, sendToRunning(home));
}

export function speaker(cli: CommandContext, { as, thread }: Pick<SpeakOptions, 'as' | 'thread'>) {
  return { thread, as: as ?? null, cwd: cli.shell.cwd };
}

function registerSay(program: Command, cli: CommandContext): void {
  const say = program
    .command('say')
    .argument('<text...>')
    .description('send a chat message')
    .option('--reply-to <message>', 'reply to a message of Bosun’s, such as m31');
  speakOptions(say).action(
    cli.act((words: readonly string[], options: SpeakOptions & { readonly replyTo?: string }) => {
      const { replyTo = null } = options;
      return perform(cli, { do: 'say', text: words.join(' '), replyTo, ...speaker(cli, options) }, options);
    }),
  );
}

function registerPress(program: Command, cli: CommandContext): void {
  const press = program
    .command('press')
    .argument('<id>', 'the id of a button, such as i7-1.approve')
    .description('press a button that a message offers');
  speakOptions(press.option('--text <text>', 'the text to send with it')).action(
    cli.act((id: string, options: SpeakOptions & { readonly text?: string }) =>
      perform(cli, { do: 'press', press: id, text: options.text ?? null, ...speaker(cli, options) }, options),
    ),
  );
}

interface StoryOptions extends SpeakOptions {
  readonly workflow?: string;
  readonly agents?: number;
  readonly story?: string;
}

interface RunOptions extends StoryOptions {
  readonly oneShot?: boolean;
  readonly set: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, string>>;
}

function registerRun(program: Command, cli: CommandContext): void {
  const run = program
    .command('run')
    .argument('<project>')
    .argument('[task...]')
    .description('start a run directly, without a proposal; with --story, one story of an import')
    .option('--workflow <w>', 'a workflow’s name, or a file')
    .option('--agents <n>', 'how many stories to work on at once', agentCount)
    .option('--story <id>', 'start this one of the imported stories')
    .option('--one-shot', 'leave nothing but the commits in the project')
    .option('--set <key=value>', 'a value for the workflow; repeatable', keyAndValue, {})
    .option('--context <key=value,...>', 'several values in one argument', keysAndValues, {});
  speakOptions(run).action(
    cli.act((project: string, task: readonly string[], options: RunOptions) => {
      const { workflow = null, oneShot = false } = options;
      const set = { ...options.context, ...options.set };
      const said = { project, task: task.join(' ').trim(), workflow, set, oneShot, ...storiesOf(options) };
      if (said.task === '' && options.story === undefined) {
        throw new BosunError('usage', task.length === 0 ? 'missing required argument "task"' : 'the task is empty', {
          hint: 'bosun run PROJECT "what to do", or bosun run PROJECT --story US-003',
        });
      }
      return perform(cli, { do: 'run', ...said, ...speaker(cli, options) }, options);
    }),
  );
}

function registerImport(program: Command, cli: CommandContext): void {
  const importing = program
    .command('import')
    .argument('<project>')
    .argument(
      '<file>',
      'an array of stories, an object with userStories, or a workflow_state.json; - for standard input',
    )
    .description('create a draft run from the stories in a JSON file; "continue" starts it')
    .option('--workflow <w>', 'a workflow’s name, or a file')
    .option('--agents <n>', 'how many stories to work on at once', agentCount)
    .option('--story <id>', 'begin with this story, and ask before each other one')
    .option('--yes', 'resume another orchestrator’s unfinished work in the project, without asking');
  speakOptions(importing).action(
    cli.act(async (project: string, file: string, options: StoryOptions & { readonly yes?: true }) => {
      const stories = await readStories(cli, file, options);
      const { workflow = null } = options;
      const said = { project, stories, file: basename(file), workflow, ...storiesOf(options) };
      const resume = options.yes === true;
      return perform(cli, { do: 'import', ...said, resume, ...speaker(cli, options) }, options);
    }),
  );
}

function storiesOf({ agents, story }: StoryOptions): Pick<StoryOptions, 'agents' | 'story'> {
  return { ...(agents === undefined ? {} : { agents }), ...(story === undefined ? {} : { story }) };
}

/** Only the owner may name a path, because the file is opened with their permissions. */
async function readStories(cli: CommandContext, file: string, { as }: SpeakOptions): Promise<unknown> {
  if (file === '-') return jsonOf('standard input', await readStdin(cli, maxImportBytes));
  if (as === undefined) return readJson(resolve(cli.shell.cwd, file), cli.home.dir);
  throw new BosunError('not_allowed', 'Only the owner of this Bosun may import by file name', {
    hint: `Pass it on standard input: bosun import PROJECT - --as ${as} < FILE`,
  });
}

function readJson(path: string, home: string): unknown {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile())
    throw new BosunError('not_found', `There is no file ${path}`, { hint: 'Give a JSON file of stories.' });
  if (stat.size > maxImportBytes) {
    throw new BosunError('limit', `${path} has ${stat.size} bytes; the limit is ${maxImportBytes}`, {
      hint: 'Split it into several files.',
    });
  }
  return jsonOf(path, readFileSync(outsideOfHome(path, home), 'utf8'));
}

/** Position only: the parser's message quotes the content. */
function jsonOf(name: string, written: string): unknown {
  const text = written.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BosunError('bad_input', `${name}${placeOf(error, text)} is not valid JSON`, { hint: 'Fix it there.' });
  }
}

/** `:3:14`; the end if the parser gives no position. */
function placeOf(cause: unknown, text: string): string {
  const at = /position (\d+)/.exec(said(cause))?.[1];
  const before = text.slice(0, at === undefined ? text.length : Number(at)).split('\n');
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

function said(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

const marks: Readonly<Record<string, string>> = { ack: '·', progress: '▸', report: '■', error: '✗', answer: '·' };

export function messageLines({ kind, text, buttons, file }: MessageJson): readonly string[] {
  const [first = '', ...rest] = (file?.text ?? text).trimEnd().split('\n');
  const mark = marks[kind] ?? `? ${kind}:`;
  return [
    `${mark} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...buttons.map(({ label, press }) => `  [${label}] ${spellCommands(`bosun press ${press}`)}`),
  ];
}
