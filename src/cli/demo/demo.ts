// Plays a conversation. Only the agent, a script, is not real.
import type { Command } from 'commander';
import { BosunError } from '../../base/index.js';
import { Conversation, Display, isTerminal, openScreen, paintFor } from '../../bot/channels/terminal/index.js';
import type { App } from '../app.js';
import type { CommandContext } from '../command-context.js';
import { checkDemo, missingPosts, reportOf } from './demo-checks.js';
import { onStage, removeFolder } from './stage.js';

export interface DemoOptions {
  readonly keep: boolean;
  readonly output: NodeJS.WritableStream;
  readonly isColored: boolean;
  readonly paceMs: number;
  readonly timeoutMs?: number;
}

interface Line {
  readonly why: string;
  readonly typed: string;
  /** Its report proves that the words arrived. */
  readonly thenReport?: string;
}

const script: readonly Line[] = [
  {
    why: 'One story is waiting. Bosun runs its steps in order and stops where a person decides.',
    typed: 'continue demo',
  },
  {
    why: 'A reply to the card (">") answers the open question and approves, in one line.',
    typed: '> 30 seconds, others OK',
    thenReport: 'scaffold',
  },
  {
    why: 'One test failed, so Bosun sent the agent back. Now the agent asks a question.',
    typed: '> yes, newest first',
    thenReport: 'impl',
  },
  { why: 'The story is done and committed. Bosun proposes the next one and waits for your go-ahead.', typed: 'status' },
  { why: 'That is enough.', typed: 'stop for today' },
];

const defaultTimeoutMs = 60_000;
/** Gives people at a terminal time to read. */
const readingMs = 1_500;

export function registerDemo(program: Command, cli: CommandContext): void {
  program
    .command('demo')
    .description('play one whole conversation in the terminal, with a scripted agent')
    .option('--keep', 'keep the project and its home, so that you can inspect them')
    .action(
      cli.act(async (options: { keep?: boolean }) => {
        const output = cli.shell.stdout;
        const isColored = isTerminal(output);
        return runDemo({ keep: options.keep === true, output, isColored, paceMs: isColored ? readingMs : 0 });
      }),
    );
}

export async function runDemo(options: DemoOptions): Promise<0 | 1> {
  const display = new Display(
    openScreen({ output: options.output, width: null, curtain: null }),
    paintFor(options.isColored),
  );
  const deadline = Date.now() + (options.timeoutMs ?? defaultTimeoutMs);
  const logged: string[] = [];
  const leave = options.keep ? (dir: string) => display.tell(null, `Kept: ${dir}`) : removeFolder;
  display.tell('bold', 'Bosun demo');
  display.tell(null, notice);
  try {
    const problems = await onStage({ home: null, leave, log: (line) => logged.push(line) }, (app) =>
      play(app, { paceMs: options.paceMs, display, deadline }),
    );
    if (problems.length > 0)
      display.tell('red', ...[...problems, ...logged.slice(-5)].map((problem) => `✗ ${problem}`));
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    display.problem(error instanceof Error ? error.message : String(error));
    if (error instanceof BosunError && error.hint) display.note(error.hint);
    return 1;
  }
}

const notice =
  'State, queue, processes, git and tests are real. The coding agent is not: it is a script that plays one (examples/demo/agent.mjs). No model is called, nothing leaves this machine.';

interface Stage {
  readonly paceMs: number;
  readonly display: Display;
  readonly deadline: number;
}

async function play(app: App, stage: Stage): Promise<readonly string[]> {
  const { display, deadline } = stage;
  const startedAt = Date.now();
  const posted = await talk(app, stage);
  const { problems, facts } = await checkDemo(app, Math.max(1, deadline - Date.now()));
  const all = [...missingPosts(posted), ...problems];
  if (all.length > 0) return all;
  display.tell('green', '', ...facts.map((fact) => `✓ ${fact}`));
  display.tell('bold', `Everything as expected, in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
  display.tell(null, 'Now you: npm start, then type: continue demo');
  return [];
}

async function talk(app: App, stage: Stage): Promise<readonly string[]> {
  const { display } = stage;
  const posted: string[] = [];
  const conversation = new Conversation(app, {
    hasPrompt: false,
    thread: 'local',
    onMessage: (message, choices) => {
      posted.push(message.view.text);
      display.show(message, choices);
    },
  });
  try {
    for (const { why, typed, thenReport } of script) {
      display.tell('dim', '', `# ${why}`);
      await pause(stage.paceMs);
      display.tell('bold', `> ${typed}`);
      const entered = await conversation.enter(typed);
      if (entered.kind === 'failed') throw entered.error;
      if (entered.kind !== 'answered') throw new BosunError('not_now', `Bosun did not receive "${typed}"`);
      await untilRest(app, typed, stage.deadline);
      const report = thenReport === undefined ? null : reportOf(app, thenReport);
      if (report !== null) display.tell('dim', `# the agent's report of ${thenReport}: ${report}`);
    }
    return posted;
  } finally {
    conversation.close();
  }
}

async function untilRest(app: App, typed: string, deadline: number): Promise<void> {
  const isAtRest = await app.runtime.whenAtRest(null, Math.max(1, deadline - Date.now()));
  if (!isAtRest) throw new BosunError('timeout', `the demo timed out at "${typed}"`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
