import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CodingAgent } from '../../agents/index.js';
import {
  Conversation,
  Display,
  type Entered,
  isTerminal,
  openScreen,
  paintFor,
} from '../../bot/channels/terminal/index.js';
import type { Home } from '../../config/index.js';
import type { App } from '../app.js';
import { type CommandContext, openOwnHome } from '../command-context.js';
import { type ReplayStep, readConversation } from './replay-file.js';
import { onStage } from './stage.js';

export interface ReplayOptions {
  /** Null: a temporary demo home. */
  readonly home: Home<CodingAgent> | null;
  readonly output: NodeJS.WritableStream;
  readonly isColored: boolean;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 600_000;
const restTimeoutMs = 120_000;

export function registerReplay(program: Command, cli: CommandContext): void {
  program
    .command('replay')
    .description(
      'play a written or recorded conversation offline, without spending tokens, and print what Bosun would post',
    )
    .argument('<file>', 'a YAML list of steps, or JSONL')
    .action(
      cli.act(async (file: string, _options: unknown, command: Command) => {
        const said: unknown = command.optsWithGlobals()['home'];
        const home = typeof said === 'string' ? openOwnHome(resolve(cli.shell.cwd, said), cli.agents) : null;
        const output = cli.shell.stdout;
        return runReplay(resolve(cli.shell.cwd, file), { home, output, isColored: isTerminal(output) });
      }),
    );
}

export async function runReplay(file: string, options: ReplayOptions): Promise<0 | 1> {
  const steps = readConversation(file);
  const display = new Display(
    openScreen({ output: options.output, width: null, curtain: null }),
    paintFor(options.isColored),
  );
  const deadline = Date.now() + (options.timeoutMs ?? defaultTimeoutMs);
  return onStage({ home: options.home, log: (line) => display.note(line) }, async (app) => {
    const player = new Player(app, display, deadline);
    try {
      for (const step of steps) {
        const problem = await player.play(step);
        if (problem !== null) {
          display.problem(`${file}:${step.line}: ${problem}`);
          return 1;
        }
      }
    } finally {
      player.close();
    }
    const expected = steps.reduce((count, step) => count + step.expect.length, 0);
    display.tell('bold', '', `${steps.length} steps played, ${expected} expectations met.`);
    return 0;
  });
}

interface Voice {
  readonly conversation: Conversation;
  /** Since the last input in its thread. */
  posted: string[];
}

class Player {
  readonly #app: App;
  readonly #display: Display;
  readonly #deadline: number;
  readonly #voices = new Map<string, Voice>();
  #shownThread = 'local';

  constructor(app: App, display: Display, deadline: number) {
    this.#app = app;
    this.#display = display;
    this.#deadline = deadline;
  }

  async play(step: ReplayStep): Promise<string | null> {
    const voice = this.#voices.get(step.thread) ?? this.#enter(step.thread);
    const entered = await this.#act(step, voice);
    if (typeof entered === 'string') return entered;
    if (entered?.kind === 'note') return entered.text;
    if (entered?.kind === 'failed') return `${entered.error.message} ${entered.error.hint ?? ''}`.trim();
    const restMs = Math.min(restTimeoutMs, this.#deadline - Date.now());
    if (entered && !(await this.#app.runtime.whenAtRest(null, Math.max(1, restMs))))
      return 'Bosun was still working when the time limit ended';
    const missing = step.expect.find((wanted) => !voice.posted.some((text) => text.includes(wanted)));
    return missing === undefined ? null : `expected "${missing}", but no message contains it`;
  }

  close(): void {
    for (const { conversation } of this.#voices.values()) conversation.close();
  }

  #enter(thread: string): Voice {
    const posted: string[] = [];
    const conversation = new Conversation(this.#app, {
      hasPrompt: false,
      thread,
      onMessage: (message, choices) => {
        this.#headThread(thread);
        voice.posted.push([message.view.text, ...choices.map((choice) => choice.label)].join('\n'));
        this.#display.show(message, choices);
      },
    });
    const voice: Voice = { conversation, posted };
    this.#voices.set(thread, voice);
    return voice;
  }

  async #act(step: ReplayStep, voice: Voice): Promise<Entered | string | null> {
    const { conversation } = voice;
    if (step.say !== undefined) {
      this.#echo(step, voice, step.say);
      return conversation.say(step.say, step.as);
    }
    if (step.reply !== undefined) {
      this.#echo(step, voice, `> ${step.reply}`);
      return conversation.reply(step.reply, step.as);
    }
    if (step.press === undefined) return null;
    const choice = pressed(conversation, step.press);
    if (choice === null) return `no message offers the button "${step.press}"`;
    this.#echo(step, voice, `[${choice.label}]${step.text === undefined ? '' : ` ${step.text}`}`);
    return conversation.press(choice, step.text ?? null, step.as);
  }

  #echo(step: ReplayStep, voice: Voice, text: string): void {
    voice.posted = [];
    this.#headThread(step.thread);
    this.#display.tell('bold', '', `${step.as ?? ''}> ${text}`);
  }

  #headThread(thread: string): void {
    if (thread === this.#shownThread) return;
    this.#shownThread = thread;
    this.#display.tell('dim', '', `── thread ${thread}`);
  }
}

function pressed(conversation: Conversation, said: string) {
  const byNumber = /^\d+$/.test(said) ? conversation.choices.byNumber(Number(said)) : null;
  const found = byNumber ?? conversation.choices.byName(said);
  if (found) return found;
  return /^[im]\d[\w-]*\.\S+$/.test(said) ? { label: said, press: said } : null;
}
