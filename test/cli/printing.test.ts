import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { CommandContext, type Rooms } from '../../src/cli/command-context.js';

it.each(['\u061c', '\u200e', '\u200f', '\u202e', '\u2069', '\u0007', '\r'])('strips %j from printed text', (char) => {
  const stdout = new PassThrough();
  const shell = { env: {}, cwd: '/', stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const startWeb: Rooms['startWeb'] = () => Promise.reject(new Error('not used'));
  new CommandContext(shell, { startWeb }, [], () => undefined).print(`a${char}b\tc`);
  expect(String(stdout.read())).toBe('ab\tc\n');
});
