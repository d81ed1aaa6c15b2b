// Asks somebody at a terminal, one line after the other.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { BosunError } from '../dispatch/index.js';
import type { Cli } from './cli.js';

export interface Questions {
  /** What was typed, without what surrounds it; `isSecret`: it does not stay on the screen. */
  ask(question: string, isSecret?: boolean): Promise<string>;
  close(): void;
}

/** Whoever ends the input or interrupts the question has answered nothing. */
export function openQuestions(cli: Cli): Questions {
  const { stdin: input, stdout } = cli.shell;
  let isHidden = false;
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output, terminal: true });
  const end = new AbortController();
  lines.once('SIGINT', () => end.abort());
  lines.once('close', () => end.abort());
  return {
    async ask(question, isSecret = false) {
      try {
        const asked = lines.question(question, { signal: end.signal });
        isHidden = isSecret;
        return (await asked).trim();
      } catch (cause) {
        throw new BosunError('not_now', 'The question was not answered', { hint: 'Run the command again.', cause });
      } finally {
        if (isHidden || end.signal.aborted) stdout.write('\n');
        isHidden = false;
      }
    },
    close: () => lines.close(),
  };
}
