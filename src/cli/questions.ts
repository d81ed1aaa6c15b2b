import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { BosunError } from '../base/index.js';
import type { CommandContext } from './command-context.js';

export interface Questions {
  /** Trimmed. `isSecret`: not echoed. */
  ask(question: string, isSecret?: boolean): Promise<string>;
  close(): void;
}

/** Rejects when the input closes or is interrupted. */
export function openQuestions(cli: CommandContext): Questions {
  const { stdin: input, stdout } = cli.shell;
  let isHidden = false;
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) stdout.write(chunk);
      done();
    },
  });
  // No history: an arrow key would bring back a secret.
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  const end = new AbortController();
  lines.once('SIGINT', () => end.abort());
  lines.once('close', () => end.abort());
  return {
    async ask(question, isSecret = false) {
      try {
        isHidden = isSecret;
        // Readline redraws typed-ahead input with the question, so it gets neither for a secret.
        if (isSecret) stdout.write(question);
        return (await lines.question(isSecret ? '' : question, { signal: end.signal })).trim();
      } catch (cause) {
        throw new BosunError('not_now', 'The question got no answer', { hint: 'Run the command again.', cause });
      } finally {
        if (isHidden || end.signal.aborted) stdout.write('\n');
        isHidden = false;
      }
    },
    close: () => lines.close(),
  };
}
