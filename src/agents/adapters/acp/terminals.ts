// Bosun runs these commands for the agent. They inherit its environment, with the mark by which Bosun ends all
// processes of an attempt.
import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { signal } from '../../processes/end-processes.js';

const maxTerminals = 32;
const maxBytes = 1024 * 1024;
const drainMs = 200;

export interface TerminalSpec {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly keepsBytes: number | null;
}

export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface Terminal {
  readonly child: ChildProcess;
  readonly keepsBytes: number;
  readonly exited: Promise<TerminalExit>;
  output: string;
  isCut: boolean;
  exit: TerminalExit | null;
}

/** A call names its terminal after the agent has released it. */
const maxReleased = 32;

export class Terminals {
  readonly #open = new Map<string, Terminal>();
  readonly #released = new Map<string, Terminal>();
  #count = 0;

  create(spec: TerminalSpec): { readonly id: string } | { readonly why: string } {
    if (this.#open.size >= maxTerminals) return { why: `more than ${maxTerminals} terminals are open` };
    const id = `terminal-${++this.#count}`;
    try {
      this.#open.set(id, start(spec));
      return { id };
    } catch (error) {
      // spawn throws for some arguments.
      return { why: `the command could not be started: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  output(id: string) {
    const terminal = this.#open.get(id);
    if (terminal === undefined) return null;
    const { output, isCut: truncated, exit } = terminal;
    return { output, truncated, ...(exit === null ? {} : { exitStatus: exit }) };
  }

  exited(id: string): Promise<TerminalExit> | null {
    return this.#open.get(id)?.exited ?? null;
  }

  kill(id: string): boolean {
    const terminal = this.#open.get(id);
    if (terminal === undefined) return false;
    if (terminal.exit === null && terminal.child.pid !== undefined) signal(-terminal.child.pid, 'SIGKILL');
    return true;
  }

  /** Also of a released terminal. */
  printedBy(id: string): { readonly text: string; readonly exit: number | null } | null {
    const terminal = this.#open.get(id) ?? this.#released.get(id);
    return terminal === undefined ? null : { text: terminal.output, exit: terminal.exit?.exitCode ?? null };
  }

  release(id: string): boolean {
    const isThere = this.kill(id);
    const terminal = this.#open.get(id);
    this.#open.delete(id);
    if (terminal !== undefined) this.#released.set(id, terminal);
    const [oldest] = this.#released.keys();
    if (oldest !== undefined && this.#released.size > maxReleased) this.#released.delete(oldest);
    return isThere;
  }

  close(): void {
    for (const id of [...this.#open.keys()]) this.release(id);
  }
}

function start({ argv: [program, ...args], cwd, env, keepsBytes }: TerminalSpec): Terminal {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let settle: (exit: TerminalExit) => void = () => undefined;
  const exited = new Promise<TerminalExit>((resolve) => {
    settle = resolve;
  });
  const terminal: Terminal = {
    child,
    keepsBytes: Math.min(keepsBytes ?? maxBytes, maxBytes),
    exited,
    output: '',
    isCut: false,
    exit: null,
  };
  const end = (exit: TerminalExit) => {
    terminal.exit ??= exit;
    settle(terminal.exit);
  };
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8');
    stream?.on('data', (chunk: Buffer) => keep(terminal, decoder.write(chunk)));
  }
  child.on('error', (error) => {
    keep(terminal, `${program}: ${error.message}\n`);
    end({ exitCode: 127, signal: null });
  });
  child.on('close', (exitCode, name) => end({ exitCode, signal: name }));
  // Orphans may hold the output open.
  child.on('exit', (exitCode, name) => setTimeout(() => end({ exitCode, signal: name }), drainMs).unref());
  return terminal;
}

function keep(terminal: Terminal, text: string): void {
  terminal.output += text;
  const bytes = Buffer.from(terminal.output, 'utf8');
  if (bytes.length <= terminal.keepsBytes) return;
  let from = bytes.length - terminal.keepsBytes;
  // Never cut inside a UTF-8 character.
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  terminal.output = bytes.subarray(from).toString('utf8');
  terminal.isCut = true;
}
