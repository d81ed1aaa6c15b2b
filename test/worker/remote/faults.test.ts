import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { BosunError } from '../../../src/base/error.js';
import { FailedStep, faultOf, withHint } from '../../../src/worker/remote/worker-faults.js';

const here = { name: 'far', dir: '/home/w/.bosun' };

describe('what goes wrong around an attempt on another machine', () => {
  it('names the machine and the worker, and waits for a person', () => {
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
  ])('says that a disk is full, and whose: %s', (error) => {
    const fault = faultOf(error, here);
    expect(fault.code).toBe('worker_disk');
    expect(fault.message).toContain('the disk of /home/w/.bosun is full. Make room there, then retry.');
  });

  it('does not take a remote’s full disk for its own', () => {
    const said = 'it could not be pushed: origin rejected it\nremote: fatal: write error: No space left on device';
    expect(faultOf(new FailedStep('worker_push', said), here).code).toBe('worker_push');
  });

  it.each([
    ['it is away', 'Try again.', 'it is away. Try again.'],
    ['it is away.', 'Try again.', 'it is away. Try again.'],
    ['it is away', null, 'it is away'],
  ])('ends %s with what to do', (message, hint, whole) => expect(withHint(message, hint)).toBe(whole));
});
