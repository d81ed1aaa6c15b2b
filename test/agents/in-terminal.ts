// A program in a pseudo terminal: what it draws, and what a person types.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished } from 'vitest';

/** As long as these programs may take to draw on a machine that is busy. */
const patienceMs = 60_000;

export interface InTerminal {
  /** Resolves once these words were drawn; blanks do not count, because programs move there instead. */
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
  let drawn = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    drawn += text;
  });
  const plain = (text: string) => stripVTControlCharacters(text).replaceAll(/\s/g, '');
  const isDrawn = (words: string) => expect.poll(() => plain(drawn), { timeout: patienceMs }).toContain(plain(words));
  const type = (text: string) => void child.stdin.write(text);
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
