import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { CommandContext } from '../../src/cli/command-context.js';
import { openQuestions } from '../../src/cli/questions.js';

function atTerminal() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let shown = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const questions = openQuestions({ shell: { stdin, stdout } } as unknown as CommandContext);
  return { questions, types: (text: string) => stdin.write(text), shown: () => shown };
}

it('a prompt never echoes a secret: not while typing, not typed ahead, not from the history', async () => {
  const { questions, types, shown } = atTerminal();
  const first = questions.ask('Bot token: ', true);
  types('xoxb-1-secret\rxapp-1-');
  expect(await first).toBe('xoxb-1-secret');
  const second = questions.ask('App token: ', true);
  types('secret\r');
  expect(await second).toBe('xapp-1-secret');
  const third = questions.ask('Where? ');
  types('\u001b[A\u001b[Afile\r');
  expect(await third).toBe('file');
  questions.close();
  expect(shown()).not.toMatch(/xoxb|xapp|secret/);
  expect(shown()).toMatch(/Bot token: \s+App token: [\s\S]*Where\? [\s\S]*file/);
});
