// Asks somebody at a terminal, one line after the other.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { BosunError } from '../base/index.js';
import type { CommandContext } from './command-context.js';

export interface Questions {
  /** What was typed, without what surrounds it; `isSecret`: it does not stay on the screen. */
  ask(question: string, isSecret?: boolean): Promise<string>;
  close(): void;
}

/** Whoever ends the input or interrupts the question has answered nothing. */
export function openQuestions(cli: CommandContext): Questions {
  const { stdin: input, stdout } = cli.shell;
  let isHidden = false;
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) stdout.write(chunk);
      done();
    },
  });
  // Without a history: an arrow key would bring back a secret at the next question.
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  const end = new AbortController();
  lines.once('SIGINT', () => end.abort());
  lines.once('close', () => end.abort());
  return {
    async ask(question, isSecret = false) {
      try {
        isHidden = isSecret;
        // Readline draws what was typed ahead together with its question: of a secret it draws neither.
        if (isSecret) stdout.write(question);
        return (await lines.question(isSecret ? '' : question, { signal: end.signal })).trim();
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
