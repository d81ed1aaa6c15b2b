import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { BosunError } from '../../../src/base/error.js';
import { FailedStep, faultOf, withHint } from '../../../src/worker/remote/worker-faults.js';

const here = { name: 'far', dir: '/home/w/.bosun' };

describe('a fault on a remote worker', () => {
  it('names machine and worker, and asks a person', () => {
    expect(faultOf(new FailedStep('worker_setup', 'npm ci failed'), here)).toEqual({
      code: 'worker_setup',
      message: `On ${hostname()}, with the worker far: npm ci failed`,
      remedy: 'ask',
    });
    const error = new BosunError('git', 'no such branch', { hint: 'Make it.' });
    expect(faultOf(error, here).message).toContain('no such branch. Make it.');
  });

  it.each([
    new FailedStep(
      'worker_fetch',
      'x could not be cloned: it gave no reason\nfatal: write error: No space left on device',
    ),
    new BosunError('disk', 'Cannot lock x', { cause: new Error('ENOSPC: no space left on device, write') }),
    new Error('EDQUOT: disk quota exceeded, open'),
  ])('reports a full disk with its folder: %s', (error) => {
    const fault = faultOf(error, here);
    expect(fault.code).toBe('worker_disk');
    expect(fault.message).toContain('the disk of /home/w/.bosun is full. Make room there, then retry.');
  });

  it('distinguishes the remote’s full disk from its own', () => {
    const said = 'it could not be pushed: origin rejected it\nremote: fatal: write error: No space left on device';
    expect(faultOf(new FailedStep('worker_push', said), here).code).toBe('worker_push');
  });

  it.each([
    ['it is away', 'Try again.', 'it is away. Try again.'],
    ['it is away.', 'Try again.', 'it is away. Try again.'],
    ['it is away', null, 'it is away'],
  ])('turns %s into a sentence with a hint', (message, hint, whole) => expect(withHint(message, hint)).toBe(whole));
});
