// Asks a person at a terminal, one question after another.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { BosunError } from '../base/index.js';
import type { CommandContext } from './command-context.js';

export interface Questions {
  /** Returns the trimmed answer. `isSecret`: the input is not echoed. */
  ask(question: string, isSecret?: boolean): Promise<string>;
  close(): void;
}

/** Closing the input or interrupting a question rejects it: neither is an answer. */
export function openQuestions(cli: CommandContext): Questions {
  const { stdin: input, stdout } = cli.shell;
  let isHidden = false;
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) stdout.write(chunk);
      done();
    },
  });
  // No history: an arrow key would bring a secret back at the next question.
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  const end = new AbortController();
  lines.once('SIGINT', () => end.abort());
  lines.once('close', () => end.abort());
  return {
    async ask(question, isSecret = false) {
      try {
        isHidden = isSecret;
        // Readline redraws input that was typed ahead together with the question, so for a secret it gets neither.
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
