import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { CodingAgent } from '../agents/index.js';
import { misleading, spellCommands } from '../base/index.js';
import { channelKinds, grammar, type WebhookReceivers } from '../bot/index.js';
import { type Config, type Home, loadConfig, openHome } from '../config/index.js';
import type { App } from './app.js';
import type { ExitCode } from './failure.js';

export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

/** Knows this Bosun's agents, channels and chat commands. */
export function openOwnHome(dir: string | undefined, agents: readonly CodingAgent[]): Home<CodingAgent> {
  return openHome(dir, { agents, channels: channelKinds, reservedWords: grammar.reservedWords });
}

export class CommandContext {
  readonly shell: Shell;
  readonly rooms: Rooms;
  readonly agents: readonly CodingAgent[];
  exit: ExitCode = 0;
  readonly #homeOption: () => string | undefined;
  #home: Home<CodingAgent> | null = null;

  constructor(shell: Shell, rooms: Rooms, agents: readonly CodingAgent[], homeOption: () => string | undefined) {
    this.shell = shell;
    this.rooms = rooms;
    this.agents = agents;
    this.#homeOption = homeOption;
  }

  /** Lazy: help and version touch no disk. */
  get home(): Home<CodingAgent> {
    if (this.#home === null) {
      const said = this.#homeOption() ?? this.shell.env['BOSUN_HOME'] ?? '';
      this.#home = openOwnHome(said === '' ? undefined : resolve(this.shell.cwd, said), this.agents);
      for (const warning of this.#home.warnings) this.warn(`warning: ${warning}`);
    }
    return this.#home;
  }

  get openedHome(): Home | null {
    return this.#home;
  }

  get config(): Config {
    return loadConfig(this.home, this.shell.env);
  }

  get isTerminal(): boolean {
    return this.shell.stdin.isTTY === true && this.shell.stdout.isTTY === true;
  }

  print(...lines: readonly string[]): void {
    for (const line of lines) this.shell.stdout.write(`${harmless(line)}\n`);
  }

  tell(...lines: readonly string[]): void {
    this.print(...lines.map((line) => spellCommands(line)));
  }

  printJson(value: unknown): void {
    this.shell.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** A file or pipe gets the text unchanged. */
  printRaw(text: string): void {
    this.shell.stdout.write(this.shell.stdout.isTTY === true ? harmless(text) : text);
  }

  warn(line: string): void {
    this.shell.stderr.write(`${harmless(line)}\n`);
  }

  act<Args extends readonly unknown[]>(
    action: (...args: Args) => ExitCode | Promise<ExitCode>,
  ): (...args: Args) => Promise<void> {
    return async (...args) => {
      this.exit = await action(...args);
    };
  }
}

function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(misleading, '');
}

/** Passed in by main.ts: src/cli may not import it. */
export interface Web {
  readonly port: number;
  readonly url: string;
  loginLink(): string;
  close(): Promise<void>;
}

export interface WebOptions {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  readonly log: (message: string) => void;
  readonly webhooks: WebhookReceivers;
}

export interface Rooms {
  startWeb(app: App, options: WebOptions): Promise<Web>;
}
