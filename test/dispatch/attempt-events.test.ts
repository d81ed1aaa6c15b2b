import { describe, expect, it, onTestFinished } from 'vitest';
import { type AttemptEventParts, AttemptEvents } from '../../src/dispatch/attempts/attempt-events.js';
import type { Event } from '../../src/engine/index.js';

/** Only what is asked of each neighbour: an attempt that is on record, and a dispatcher that ignores a start. */
function given(ignored: string | null, state = 'queued', more: object = {}) {
  const events: Event[] = [];
  const store = {
    run: () => ({ project: 'shop' }),
    attempt: (id: string) => ({ attempt: { id, state }, run: 'r1', chain: '', node: 'n1', checkpoint: null }),
  };
  const submit = (work: (now: { at: number; reader: typeof store }) => { events: readonly Event[] }) => {
    events.push(...work({ at: 5, reader: store }).events);
    return Promise.resolve({ ignored: [ignored], replies: [], messages: [], exit: 0 });
  };
  const parts = {
    store,
    queue: { cancel: () => Promise.resolve('signalled') },
    now: () => 5,
    stallAfterMs: () => 600_000,
    executorsOf: () => null,
    exportLog: () => Promise.resolve(null),
    onRest: () => undefined,
    onError: (error: unknown) => expect(error).toBeNull(),
    submit,
    keep: submit,
    ...more,
  };
  const attempts = new AttemptEvents(parts as unknown as AttemptEventParts);
  onTestFinished(() => attempts.close());
  return { events, attempts };
}

describe('a job claimed by a worker', () => {
  it('runs once its attempt has started', async () => {
    const { events, attempts } = given(null);
    expect(await attempts.started('a1', 'w1')).toBe(true);
    expect(events.map((event) => event.type)).toEqual(['attempt_started']);
  });

  it('does not run if its attempt was cancelled meanwhile, and is settled as cancelled', async () => {
    const { events, attempts } = given('superseded');
    expect(await attempts.started('a1', 'w1')).toBe(false);
    expect(events).toMatchObject([
      { type: 'attempt_started' },
      { type: 'attempt_settled', attempt: 'a1', envelope: { killed: 'cancel' } },
    ]);
  });

  it('submits no second settlement if its attempt is already settled', async () => {
    const { events, attempts } = given('superseded', 'settled');
    expect(await attempts.started('a1', 'w1')).toBe(false);
    expect(events.map((event) => event.type)).toEqual(['attempt_started']);
  });

  it('reports an error when the expiry warning cannot be stored', async () => {
    const told = new Promise((resolve) => {
      const onError = (error: unknown, id: string) => resolve([String(error), id]);
      const { attempts } = given(null, 'running', { submit: () => Promise.reject(new Error('disk full')), onError });
      attempts.progress('a1', { type: 'expiring', inMs: 60_000 });
    });
    expect(await told).toEqual(['Error: disk full', 'a1']);
  });

  it('is not settled by the dispatcher when cancelling signals its worker', async () => {
    const { events, attempts } = given(null);
    await attempts.cancel('a1');
    expect(events).toEqual([]);
  });
});
