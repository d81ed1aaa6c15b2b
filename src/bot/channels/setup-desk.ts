import { BosunError } from '../../base/index.js';
import type { Config, Environment, Home } from '../../config/index.js';

export type SetupOptions = Readonly<Record<string, string | true | undefined>>;

export interface SetupDesk {
  readonly home: Home;
  readonly env: Environment;
  readonly config: Config;
  readonly isTerminal: boolean;
  print(...lines: readonly string[]): void;
  asking<T>(act: (ask: Ask) => Promise<T>): Promise<T>;
}

export type Ask = (question: string, isHidden?: boolean) => Promise<string>;

export interface Meeting {
  /** Null: the platform has no links with a code. */
  readonly link: ((code: string) => string) | null;
  readonly step: (code: string) => string;
  /** The person's step, in the past tense. */
  readonly did: string;
}

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

/** Hidden, because a hurried person may type the token again. */
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

/** Asks a few times while `check` refuses. */
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
