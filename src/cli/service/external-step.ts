import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { claimedJob } from '../../dispatch/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { projectMeant, withStore } from '../open-store.js';
import { readStdin } from './read-stdin.js';
import { perform, speaker } from './say.js';

interface StepOptions {
  readonly as?: string;
}

const maxReportChars = 100_000;

export function registerStep(program: Command, cli: CommandContext): void {
  const step = program.command('step').description('commands for agents that pull their work: claim, complete, fail');
  const sub = (name: string, description: string) =>
    step.command(name).description(description).option('--as <user>', 'the person on whose behalf the agent works');
  sub('claim', 'print the next due step as JSON with its prompt and token, or nothing')
    .argument('<project>')
    .argument('[role]', 'only steps of this role')
    .action(cli.act((said: string, role: string | undefined, options: StepOptions) => claim(cli, said, role, options)));
  sub('complete', 'report on a claimed step; reads the report from standard input')
    .argument('<token>')
    .action(
      cli.act(async (token: string, options: StepOptions) =>
        ask(cli, { act: 'complete', token, text: await readStdin(cli, maxReportChars) }, options),
      ),
    );
  sub('fail', 'report that a claimed step failed, and why')
    .argument('<token>')
    .argument('<error...>')
    .action(
      cli.act((token: string, words: readonly string[], options: StepOptions) =>
        ask(cli, { act: 'fail', token, text: words.join(' ') }, options),
      ),
    );
}

async function claim(
  cli: CommandContext,
  said: string,
  role: string | undefined,
  options: StepOptions,
): Promise<ExitCode> {
  const { name: project } = projectMeant(cli.config, said);
  const mark = randomBytes(8).toString('hex');
  const exit = await ask(cli, { act: 'claim', project, role: role ?? null, claim: mark }, options);
  return withStore(cli, (store) => {
    const job = store && claimedJob(store, cli.home, cli.config, mark);
    if (job) {
      const { token, attempt, run, item, step, workdir, prompt, timeoutMs } = job.payload;
      cli.printJson({ token, attempt, project, run, item: item || null, step, workdir, timeout_ms: timeoutMs, prompt });
    }
    return exit;
  });
}

interface Asked {
  readonly act: 'claim' | 'complete' | 'fail';
  readonly project?: string;
  readonly role?: string | null;
  readonly claim?: string;
  readonly token?: string;
  readonly text?: string;
}

function ask(cli: CommandContext, asked: Asked, options: StepOptions): Promise<ExitCode> {
  const who = speaker(cli, { ...options, thread: 'step' });
  return perform(cli, { do: 'step', ...unsaid, ...asked, ...who }, { timeout: 0 });
}

const unsaid = { project: null, role: null, claim: null, token: null, text: '' } as const;
