import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { endProcessesMarked } from '../../../src/agents/index.js';

it('ends processes by a mark with a value, and none by a mark without one', async () => {
  // The name is unique, so that a fault here ends only this child.
  const name = `BOSUN_TEST_${process.pid}`;
  const start = (value: string) => {
    const child = spawn('sleep', ['60'], { env: { [name]: value, PATH: process.env['PATH'] }, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const [bare, marked] = [start(''), start('mine')];
  const gone = once(marked, 'exit');
  await Promise.all([once(bare, 'spawn'), once(marked, 'spawn')]);
  expect(await endProcessesMarked([`${name}=`])).toBe(0);
  expect(bare.exitCode ?? bare.signalCode).toBeNull();
  await expect.poll(() => endProcessesMarked([`${name}=mine`]), { interval: 20 }).toBe(1);
  expect((await gone)[1]).toBe('SIGKILL');
  expect(bare.exitCode ?? bare.signalCode).toBeNull();
});
