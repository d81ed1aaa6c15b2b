// Writes that the database refuses: how long each is retried, and what the log and the threads hear. The clock is handed in.
import { describe, expect, it } from 'vitest';
import { BosunError } from '../../src/base/error.js';
import { DamagedError } from '../../src/base/write-failure.js';
import { WriteRetry } from '../../src/dispatch/commit/write-retry.js';
import { stoppedClock } from '../queue/stopped-clock.js';

const locked = new BosunError('busy_home', 'bosun.db: is held by another process (SQLITE_BUSY)');
const full = new BosunError('disk', 'bosun.db: no space left to write to (SQLITE_FULL)');
const damaged = new DamagedError('bosun.db was deleted');

/** A database that fails with `error` until it is cleared, and a clock that only `pass` moves. */
function given(error: Error | null) {
  const { clock, waiting, move } = stoppedClock();
  const log: string[] = [];
  const told: number[] = [];
  const state = { error, tries: 0, probes: 0 };
  const write = () => {
    state.tries += 1;
    if (state.error !== null) throw state.error;
    writes.written();
    return 'written';
  };
  const writes = new WriteRetry({
    clock,
    log: (message, level) => log.push(`${level} ${message.split(':')[0]}`),
    onRecovered: ({ forMs }) => told.push(forMs),
    probe: () => {
      state.probes += 1;
      write();
    },
  });
  const pass = async (ms: number) => {
    for (let leftMs = ms; leftMs >= 0; leftMs -= 50) {
      await new Promise((resolve) => setImmediate(resolve));
      move(Math.min(50, leftMs));
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { writes, state, write, log, told, pass, waiting };
}

describe('a database write that fails', () => {
  it.each([
    [5, locked],
    [30, locked],
    [120, full],
  ])('is retried for %i s, with one log line and one chat message', async (seconds, error) => {
    const { writes, state, write, log, told, pass } = given(error);
    const kept = writes.kept(write);
    await pass(seconds * 1_000 - 1);
    expect(writes).toMatchObject({ problem: error.message, waiting: 1 });
    expect(state.tries).toBeLessThan(8 + seconds / 2);
    state.error = null;
    await pass(2_001);
    expect(await kept).toBe('written');
    expect(writes).toMatchObject({ problem: null, waiting: 0 });
    expect(log).toEqual([
      'error cannot write the database, so results wait in memory',
      expect.stringMatching(/^info the database accepts writes again after/),
    ]);
    expect(told).toHaveLength(1);
  });

  it('is retried at once when another write succeeds', async () => {
    const { writes, state, write, pass } = given(full);
    const kept = writes.kept(write);
    await pass(10_000);
    state.error = null;
    write();
    await pass(0);
    expect(await Promise.race([kept, 'waits'])).toBe('written');
  });

  it('waits a few seconds for a lock while a person waits, and fails if the lock lasts', async () => {
    const { writes, state, write, pass } = given(locked);
    const short = writes.patient(write);
    await pass(4_000);
    state.error = null;
    await pass(2_000);
    expect(await short).toBe('written');
    state.error = locked;
    const long = writes.patient(write).catch(String);
    await pass(10_000);
    expect(await long).toContain('SQLITE_BUSY');
  });

  it.each([
    ['a full disk is reported at once where a person waits', 'patient', full],
    ['a damaged file is not retried', 'kept', damaged],
    ['a bug is not retried', 'kept', new TypeError('a bug')],
  ] as const)('%s', async (_title, how, error) => {
    const { writes, state, write } = given(error);
    await expect(writes[how](write)).rejects.toBe(error);
    expect(state.tries).toBe(1);
    expect(writes.waiting).toBe(0);
  });

  it('is not reported if the lock is brief', async () => {
    const { writes, state, write, log, told, pass } = given(locked);
    const kept = writes.kept(write);
    await pass(200);
    state.error = null;
    await pass(100);
    await kept;
    expect([log, told]).toEqual([[], []]);
  });

  it('is probed for while nothing waits, so that readiness recovers by itself', async () => {
    const { writes, state, pass, waiting } = given(full);
    writes.failed(full);
    await pass(10_000);
    expect(writes.problem).toBe(full.message);
    state.error = null;
    await pass(2_000);
    expect(writes.problem).toBe(null);
    expect(state.probes).toBeGreaterThan(4);
    expect(waiting()).toBe(0);
  });

  it('is tried once more on close, and then rejected', async () => {
    const { writes, state, write, pass } = given(full);
    const kept = writes.kept(write).catch(String);
    await pass(1_000);
    const before = state.tries;
    writes.close();
    expect(await kept).toContain('SQLITE_FULL');
    expect(state.tries).toBe(before + 1);
    await expect(writes.kept(write)).rejects.toBe(full);
  });
});
