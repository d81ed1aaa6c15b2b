// The command line at which a channel is set up, as a port: `bosun init` implements it.
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

export async function askKept(ask: Ask, question: string): Promise<Kept> {
  const said = await ask(`${question} (file, variable) [file]: `);
  return said.toLowerCase().startsWith('v') ? 'variable' : 'file';
}
