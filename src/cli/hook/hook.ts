import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { BosunError } from '../../base/index.js';
import { oneOf } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import type { SpeakOptions } from '../options.js';
import { perform, speaker } from '../service/say.js';
import { registerHookInstall } from './hook-install.js';
import { tellSessionEnd } from './hook-session.js';

interface HookOptions extends Pick<SpeakOptions, 'as' | 'thread' | 'json' | 'wait'> {
  readonly agent?: string;
  readonly token?: string;
  readonly run?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly summary?: string;
  readonly file?: string;
}

const maxFileBytes = 1024 * 1024;

export function registerHook(program: Command, cli: CommandContext): void {
  const hook = program
    .command('hook')
    .argument('<project>')
    .argument('[payload]', 'with --agent: the agent’s JSON, unless it comes on standard input')
    .description('report that an agent has finished; called by the agent’s own hooks')
    .option('--token <t>', 'the attempt’s token (default: BOSUN_TOKEN)')
    .option('--run <id>', 'the run, if steps of several wait for a report')
    .option('--status <s>', 'the outcome, such as pass or failing')
    .option('--reason <r>', 'why it failed')
    .option('--summary <text>', 'what was done')
    .option('--file <result.json>', 'status, reason and summary as a JSON object')
    .option(
      '--agent <name>',
      `${oneOf(cli.agents.map(({ kind }) => kind))}: report that its session ended; details come from its JSON`,
    )
    .option('--wait', 'with --agent: report from this process, wait for the answer and print it')
    .option('--as <user>', 'the person on whose behalf the agent works')
    .option('--thread <id>', 'the thread that gets the report', 'local')
    .option('--json', 'one JSON object per message');
  hook.action(
    cli.act((project: string, payload: string | undefined, options: HookOptions): Promise<ExitCode> => {
      const { agent } = options;
      if (agent === undefined) return reportStep(cli, project, options);
      const { home } = program.opts<{ readonly home?: string }>();
      return tellSessionEnd(cli, project, payload, { ...options, agent, home });
    }),
  );
  registerHookInstall(hook, cli);
}

function reportStep(cli: CommandContext, project: string, options: HookOptions): Promise<ExitCode> {
  const told = options.file === undefined ? {} : readResult(resolve(cli.shell.cwd, options.file));
  const request = {
    do: 'hook' as const,
    project,
    ...(options.run !== undefined && { run: options.run }),
    token: options.token ?? (cli.shell.env['BOSUN_TOKEN'] || null),
    status: options.status ?? told.status ?? null,
    reason: options.reason ?? told.reason ?? null,
    summary: options.summary ?? told.summary ?? null,
    ...speaker(cli, options),
  };
  return perform(cli, request, { timeout: 0, ...(options.json ? { json: true } : {}) });
}

const word = z.string().max(200).nullish();
const resultSchema = z.looseObject({ status: word, reason: word, summary: z.string().max(100_000).nullish() });

function readResult(path: string): z.infer<typeof resultSchema> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new BosunError('not_found', `There is no file ${path}`);
  if (stat.size > maxFileBytes) throw new BosunError('limit', `${path} is larger than ${maxFileBytes} bytes`);
  try {
    return resultSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new BosunError('bad_input', `${path} is not a JSON object with status, reason and summary as text`, {
      cause,
    });
  }
}
