import { BosunError } from '../../base/index.js';
import type { CommandContext } from '../command-context.js';

export async function readStdin(cli: CommandContext, maxChars: number): Promise<string> {
  let text = '';
  for await (const part of cli.shell.stdin) {
    text += String(part);
    if (text.length > maxChars) throw new BosunError('limit', `Standard input is longer than ${maxChars} characters`);
  }
  return text;
}
