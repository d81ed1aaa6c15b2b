import { describe, expect, it, onTestFinished } from 'vitest';
import { Deadline } from '../../../src/agents/processes/deadline.js';
import { LineSplitter, TailText } from '../../../src/agents/processes/text-flow.js';

function given(limitMs: number) {
  let nowMs = 0;
  const calls: string[] = [];
  const deadline = new Deadline({
    limitMs,
    now: () => nowMs,
    onExpired: () => calls.push('expired'),
    onExpiring: (inMs) => calls.push(`expiring in ${inMs}`),
  });
  onTestFinished(() => deadline.stop());
  const pass = (...stepsMs: readonly number[]): void => {
    for (const stepMs of stepsMs) {
      nowMs += stepMs;
      deadline.tick();
    }
  };
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { deadline, calls, pass, wait };
}

const seconds = (count: number): readonly number[] => Array.from({ length: count }, () => 1000);

describe('a time limit', () => {
  it('expires after its time, with or without output', () => {
    const { calls, pass } = given(60_000);
    pass(...seconds(59));
    expect(calls).toEqual([]);
    pass(1000);
    expect(calls).toEqual(['expired']);
  });

  it('does not count time that the machine slept', () => {
    const { calls, deadline, pass } = given(60_000);
    pass(...seconds(10), 8 * 3_600_000);
    expect(calls).toEqual([]);
    expect(deadline.leftMs).toBe(49_000);
  });

  it('accounts for time up to the moment it is stopped', () => {
    const { deadline, pass, wait } = given(60_000);
    pass(1000);
    wait(600);
    deadline.stop();
    expect(deadline.spentMs).toBe(1600);
  });

  it('pauses while the agent waits for a person', () => {
    const { calls, deadline, pass, wait } = given(60_000);
    pass(...seconds(10));
    wait(500);
    deadline.pause();
    pass(...seconds(300));
    expect(deadline.spentMs).toBe(10_500);
    wait(200);
    deadline.resume();
    expect(deadline.spentMs).toBe(10_500);
    pass(...seconds(49));
    expect(calls).toEqual([]);
    pass(1000);
    expect(calls).toEqual(['expired']);
  });

  it('counts a late tick', () => {
    const { deadline, pass } = given(60_000);
    pass(4000);
    expect(deadline.leftMs).toBe(56_000);
  });

  it('announces its end once, a tenth before, if there was recent output', () => {
    const { calls, deadline, pass } = given(60_000);
    pass(...seconds(40));
    deadline.noteOutput();
    pass(...seconds(19));
    expect(calls).toEqual(['expiring in 6000']);
  });

  it('announces its end two minutes before if a tenth would be more', () => {
    const { calls, deadline, pass } = given(3_600_000);
    pass(...seconds(3470));
    deadline.noteOutput();
    pass(...seconds(15));
    expect(calls).toEqual(['expiring in 120000']);
  });

  it.each([
    ['nothing was ever printed', null],
    ['nothing was printed for long', 5],
  ])('does not announce its end if %s', (_title, printedAt) => {
    const { calls, deadline, pass } = given(60_000);
    pass(...seconds(printedAt ?? 0));
    if (printedAt !== null) deadline.noteOutput();
    pass(...seconds(60 - (printedAt ?? 0)));
    expect(calls).toEqual(['expired']);
  });

  it('moves when extended, and announces its end again', () => {
    const { calls, deadline, pass } = given(60_000);
    pass(...seconds(55));
    deadline.noteOutput();
    pass(1000);
    deadline.extend(60_000);
    deadline.extend(-5);
    pass(...seconds(50));
    deadline.noteOutput();
    pass(...seconds(14));
    expect(calls).toEqual(['expiring in 4000', 'expiring in 12000', 'expired']);
  });
});

describe('the tail of a text', () => {
  it('keeps whole lines', () => {
    const tail = new TailText(10);
    for (const piece of ['STATUS: old\n', 'abc\nde', 'f\nghi\n']) tail.push(piece);
    expect([tail.isCut, tail.read()]).toEqual([true, 'def\nghi\n']);
  });

  it('is the whole text while that is short', () => {
    const tail = new TailText(10);
    tail.push('short');
    expect([tail.isCut, tail.read()]).toEqual([false, 'short']);
  });
});

describe('splitting a stream into lines', () => {
  it('joins pieces of a line', () => {
    const lines = new LineSplitter();
    expect([...lines.push('a\nb'), ...lines.push('c\r\n\nd'), ...lines.end(), ...lines.end()]).toEqual([
      'a',
      'bc',
      '',
      'd',
    ]);
  });

  it('cuts an endless line once, and returns the next one in full', () => {
    const lines = new LineSplitter();
    const all = [
      ...lines.push('x'.repeat(20_000)),
      ...lines.push('x'.repeat(50_000)),
      ...lines.push('x\nnext\n'),
      ...lines.push(`${'y'.repeat(20_000)}\nz`),
    ];
    expect(all.map((line) => line.slice(0, 4))).toEqual(['xxxx', 'next', 'yyyy']);
    expect(all[0]).toMatch(/x… \(line cut\)$/);
  });
});
