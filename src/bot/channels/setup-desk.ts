// The command line at which a channel is set up, as a port: `bosun init` implements it.
import { BosunError } from '../../base/index.js';
import type { Config, Environment, Home } from '../../config/index.js';

/** By the options' names in camel case. */
export type SetupOptions = Readonly<Record<string, string | true | undefined>>;

export interface SetupDesk {
  readonly home: Home;
  readonly env: Environment;
  readonly config: Config;
  readonly isTerminal: boolean;
  print(...lines: readonly string[]): void;
  /** Only at a terminal. */
  asking<T>(act: (ask: Ask) => Promise<T>): Promise<T>;
}

export type Ask = (question: string, isHidden?: boolean) => Promise<string>;

/** How a person reaches the bot with a pairing code. */
export interface Meeting {
  /** Carries the code, where the platform has such links. */
  readonly link: ((code: string) => string) | null;
  /** Told to the person to be let in. */
  readonly step: (code: string) => string;
  /** What a person did who came with the code. */
  readonly did: string;
}

/** Where a token stays. */
export type Kept = 'variable' | 'file';

export function keptOption(options: SetupOptions): Kept | null {
  const said = wordOption(options, 'keep');
  return said === 'variable' || said === 'file' ? said : null;
}

export function wordOption(options: SetupOptions, name: string): string | null {
  const said = options[name];
  return typeof said === 'string' ? said : null;
}

const maxTries = 3;

/** Hidden like the token before it, which a hurried person may type here. */
export async function askKept(ask: Ask, question: string): Promise<Kept> {
  let asked = question;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const said = (await ask(`${asked} (file, variable; hidden) [file]: `, true)).toLowerCase();
    if ('file'.startsWith(said)) return 'file';
    if ('variable'.startsWith(said)) return 'variable';
    asked = 'That was neither. Where should it be kept?';
  }
  throw new BosunError('bad_input', 'The answer was neither file nor variable; nothing was changed', {
    hint: 'Run the command again, or add --keep file or --keep variable.',
  });
}

/** Asks again, a few times, while `check` refuses what was typed. */
export async function askChecked<T>(
  ask: () => Promise<string>,
  check: (typed: string) => Promise<T>,
  print: SetupDesk['print'],
): Promise<{ readonly typed: string; readonly found: T }> {
  for (let tries = 1; ; tries += 1) {
    const typed = await ask();
    try {
      return { typed, found: await check(typed) };
    } catch (error) {
      if (!(error instanceof BosunError) || error.code !== 'bad_input' || tries === maxTries) throw error;
      print(`${error.message}.${error.hint ? ` ${error.hint}` : ''}`);
    }
  }
}
