import { describe, expect, it } from 'vitest';
import { BosunError } from '../../src/base/index.js';
import { messageJson } from '../../src/bot/index.js';
import { failureLine, failureOf } from '../../src/cli/failure.js';
import { messageLines } from '../../src/cli/service/say.js';
import type { Message } from '../../src/store/messages/message-types.js';

const buttons = [
  { label: 'Approve', press: 'i7-1.approve' },
  { label: 'status', press: '.0' },
];
const view = { kind: 'review', text: 'Review: shop\nUS-001', buttons, offers: ['status'], rings: true, file: null };
const message: Message = {
  ...{ id: 'm31', thread: 't1', edits: 'm30', run: 'r1', interaction: 'i7-1', card: null, at: 0 },
  view,
};

describe('a printed message', () => {
  it('is one JSON object whose buttons can be pressed as printed', () => {
    expect(messageJson(message)).toEqual({
      message: 'm31',
      thread: 't1',
      edits: 'm30',
      kind: 'review',
      text: 'Review: shop\nUS-001',
      buttons: [
        { label: 'Approve', press: 'i7-1.approve' },
        { label: 'status', press: 'm31.0' },
      ],
    });
  });

  it('includes its file', () => {
    const file = { name: 'history.txt', text: 'all of it' };
    expect(messageJson({ ...message, view: { ...view, file } }).file).toEqual(file);
  });

  it('has a mark, its text and a command for each button at a terminal', () => {
    expect(messageLines(messageJson(message))).toEqual([
      '? review: Review: shop',
      '  US-001',
      '  [Approve] bosun press i7-1.approve',
      '  [status] bosun press m31.0',
    ]);
  });

  it('is printed in full from its file if its text was cut', () => {
    const file = { name: 'answer.txt', text: 'the whole\n' };
    expect(messageLines(messageJson({ ...message, view: { ...view, kind: 'answer', buttons: [], file } }))).toEqual([
      '· the whole',
    ]);
  });
});

describe('a printed failure', () => {
  it('is one line: code, message and hint', () => {
    const error = new BosunError('not_found', 'No run "r9"', { hint: 'There is none yet.' });
    const failure = failureOf(error, null);
    expect(failure && failureLine(failure)).toBe('error: not_found: No run "r9". There is none yet.');
  });

  it('stays one line if the message has several', () => {
    const failure = failureOf(new BosunError('bad_workflow', 'a.yaml:1:1: x\n  a.yaml:2:1: y'), null);
    expect(failure && failureLine(failure)).toBe('error: bad_workflow: a.yaml:1:1: x; a.yaml:2:1: y');
  });

  it.each([
    ['usage', 2],
    ['not_allowed', 3],
    ['not_now', 3],
    ['busy_home', 3],
    ['timeout', 4],
    ['bad_input', 1],
    ['disk', 1],
  ] as const)('with the code %s exits %i', (code, exit) => {
    expect(failureOf(new BosunError(code, 'x'), null)?.exit).toBe(exit);
  });

  it('caused by a bug names the log and shows no stack', () => {
    const failure = failureOf(new TypeError('x is not a function'), '/home/logs/bosun.log');
    expect(failure && failureLine(failure)).toBe(
      'error: bug: x is not a function. This is a bug in Bosun; see /home/logs/bosun.log for details.',
    );
    expect(failure?.exit).toBe(1);
  });
});
