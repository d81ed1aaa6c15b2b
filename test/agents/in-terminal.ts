// A program in a pseudo terminal: what it draws, and what a person types.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { expect, onTestFinished } from 'vitest';

/** As long as these programs may take to draw on a machine that is busy. */
const patienceMs = 60_000;

export interface InTerminal {
  /** Resolves once these words are on the screen or above it; blanks and line breaks do not count. */
  drawn(words: string): Promise<void>;
  type(keys: string): void;
  /** Types the keys again and again until these words are drawn: a dialog takes no key before it is complete. */
  typeUntilDrawn(keys: string, words: string): Promise<void>;
  /** Interrupts it again and again until it has ended. */
  quit(): Promise<void>;
}

export const keys = { enter: '\r', interrupt: '\u0003' } as const;

/** Without what npx adds: OpenCode would try to install a package by the settings of this machine's npm. */
const ownEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

export function inTerminal(argv: readonly string[]): InTerminal {
  const child = spawn('python3', [join(import.meta.dirname, 'terminal.py'), ...argv], {
    env: { ...ownEnvironment, TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGTERM'));
  const ended = once(child, 'exit');
  // Programs draw only the cells that change, so the words are in the cells and not in what was printed.
  const screen = new xterm.Terminal({ cols: 120, rows: 40, scrollback: 1_000, allowProposedApi: true });
  child.stdout.on('data', (bytes: Buffer) => screen.write(bytes));
  const type = (text: string) => void child.stdin.write(text);
  screen.onData(type);
  const plain = (text: string) => text.replaceAll(/\s/g, '');
  const lines = () => {
    const { active } = screen.buffer;
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '').join('');
  };
  const isDrawn = (words: string) => expect.poll(() => plain(lines()), { timeout: patienceMs }).toContain(plain(words));
  return {
    drawn: isDrawn,
    type,
    typeUntilDrawn: async (text, words) => {
      type(text);
      const again = setInterval(() => type(text), 2_000);
      await isDrawn(words).finally(() => clearInterval(again));
    },
    quit: async () => {
      const interrupt = setInterval(() => child.stdin.write(keys.interrupt), 1_000);
      await ended.finally(() => clearInterval(interrupt));
    },
  };
}
