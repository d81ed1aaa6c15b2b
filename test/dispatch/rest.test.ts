import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { IdleWatch } from '../../src/dispatch/health/idle-watch.js';

const longMs = 60_000;

function given(...busyProjects: readonly string[]) {
  const busy = new Set(busyProjects);
  const watch = new IdleWatch({ isBusy: (project) => (project === null ? busy.size > 0 : busy.has(project)) });
  return { busy, watch };
}

describe('waiting until idle', () => {
  it('returns at once if nothing is under way', async () => {
    expect(await given().watch.whenAtRest(null, longMs)).toBe(true);
  });

  it('returns true when the last work has ended', async () => {
    const { busy, watch } = given('shop');
    const waiting = watch.whenAtRest(null, longMs);
    watch.look();
    busy.clear();
    watch.look();
    expect(await waiting).toBe(true);
  });

  it('returns false on timeout', async () => {
    expect(await given('shop').watch.whenAtRest(null, 1)).toBe(false);
  });

  it('considers one project only if one is named', async () => {
    const { watch } = given('shop');
    expect(
      await Promise.all([watch.whenAtRest('blog', longMs), watch.whenAtRest('shop', 1), watch.whenAtRest(null, 1)]),
    ).toEqual([true, false, false]);
  });

  it('accepts a timeout longer than the maximum of a timer', async () => {
    const { busy, watch } = given('shop');
    const warned = vi.fn();
    process.on('warning', warned);
    const waiting = watch.whenAtRest('shop', 2 ** 40);
    await new Promise((resolve) => setImmediate(resolve));
    busy.clear();
    watch.look();
    expect(await waiting).toBe(true);
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });

  it('returns false at once for a signal that is already aborted', async () => {
    const { watch } = given('shop');
    expect(await watch.whenAtRest('shop', longMs, AbortSignal.abort())).toBe(false);
    expect(await given().watch.whenAtRest(null, longMs, AbortSignal.abort())).toBe(false);
  }, 1_000);

  it('returns false when the signal is aborted during the wait', async () => {
    const aborting = new AbortController();
    const waiting = given('shop').watch.whenAtRest('shop', longMs, aborting.signal);
    aborting.abort();
    expect(await waiting).toBe(false);
  }, 1_000);

  it('removes its abort listener when the wait ends, times out or is closed', async () => {
    const { watch } = given('shop');
    const { signal } = new AbortController();
    const waits = [await watch.whenAtRest('blog', longMs, signal), await watch.whenAtRest('shop', 1, signal)];
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const closed = watch.whenAtRest('shop', longMs, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    watch.close();
    expect([...waits, await closed]).toEqual([true, false, false]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('returns false to all waiters on close, without querying the closed store', async () => {
    let isClosed = false;
    const watch = new IdleWatch({
      isBusy: () => {
        if (isClosed) throw new Error('the database is closed');
        return true;
      },
    });
    const waiting = [watch.whenAtRest(null, longMs), watch.whenAtRest('shop', longMs)];
    watch.look();
    watch.close();
    isClosed = true;
    watch.look();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    expect(await watch.whenAtRest(null, longMs)).toBe(false);
  });
});
