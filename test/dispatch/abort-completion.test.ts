import { expect, it, onTestFinished } from 'vitest';
import { present } from '../../src/bot/index.js';
import { AttemptEvents } from '../../src/dispatch/attempts/attempt-events.js';
import { emptyEnvelope } from '../../src/engine/index.js';
import type { ListedWorker } from '../../src/queue/index.js';
import { begun, givenBench, liveOf } from './given.js';

const cancelled = { ...emptyEnvelope, killed: 'cancel' } as const;

async function atWork(
  worker: string,
  workers: readonly (Pick<ListedWorker, 'name' | 'heardAt'> & { readonly host?: string })[] = [],
) {
  const bench = givenBench({ present });
  bench.clock = 100_000;
  await begun(bench, 1, { threads: ['t1'] });
  const attempts = new AttemptEvents({
    ...{ store: bench.store, present, now: () => bench.clock, leaseMs: 15_000, stallAfterMs: () => 600_000 },
    executorsOf: () => null,
    queue: { cancel: async () => 'signalled', listWorkers: () => workers } as never,
    submit: (work) => bench.dispatcher.submit(work),
    keep: (work) => bench.dispatcher.submit(work),
    exportLog: async () => null,
    onRest: () => undefined,
    onError: (error) => expect(error).toBeNull(),
  });
  onTestFinished(() => attempts.close());
  const { attempt } = liveOf(bench, 'r1');
  await attempts.started(attempt, worker);
  const abort = async () => {
    const by = { run: 'r1', chain: '', at: bench.clock, by: 'owner' };
    await bench.dispatcher.submitEvent({ ...by, type: 'abort' });
    const [asked] = bench.store.openInteractions('shop');
    const answer = { interaction: asked?.interaction.id ?? '', option: 'abort', text: null, behind: null };
    await bench.dispatcher.submitEvent({ ...by, ...answer, type: 'answered' });
  };
  const told = () =>
    bench.store
      .messages('t1', null, 1_000)
      .filter(({ view }) => view.text.includes('aborted before it was done'))
      .map(({ view }) => view.text.split('\n')[2] ?? '');
  return { bench, attempts, attempt, abort, told };
}

it('an abort reports that nothing runs only after the remote worker has ended its agent', async () => {
  const { attempts, attempt, abort, told } = await atWork('w2');
  await abort();
  expect(told()).toEqual(['Its agent ends as soon as the worker w2 hears of it.']);
  await attempts.finished(attempt, cancelled);
  expect(told().at(-1)).toBe('Nothing runs any more.');
});

it('an abort reports the lost worker instead of claiming that nothing runs', async () => {
  const { attempts, attempt, abort, told } = await atWork('w2');
  await abort();
  await attempts.lost(attempt, 'w2');
  expect(told().at(-1)).toBe('The worker w2 gives no sign any more: its agent is ended where Bosun can reach it.');
});

it('an abort of a local agent names no worker', async () => {
  const { attempts, attempt, abort, told } = await atWork('local-1');
  await abort();
  await attempts.finished(attempt, cancelled);
  expect(told()).toEqual(['']);
});

it.each<[string, readonly Pick<ListedWorker, 'name' | 'heardAt'>[], string]>([
  ['was silent', [{ name: 'w2', heardAt: 80_000 }], 'its worker w2 sent no heartbeat for 20 s'],
  ['has given its sign', [{ name: 'w2', heardAt: 99_000 }], 'Redis or its worker w2 lost the job'],
  ['is not heard of', [{ name: 'w1', heardAt: 99_000 }], 'its worker w2 stopped sending heartbeats'],
])('an interrupted attempt names its lost worker, which %s', async (_, workers, why) => {
  const { bench, attempts, attempt } = await atWork('w2', workers);
  bench.clock = 100_000;
  await attempts.lost(attempt, 'w2');
  const texts = bench.store.messages('t1', null, 1_000).map(({ view }) => view.text);
  expect(texts.join('\n')).toContain(`It was interrupted: ${why}.`);
});

it('a job that its worker could not read names the worker and its machine', async () => {
  const workers = [{ name: 'w2', heardAt: 99_000, host: 'anvil' }];
  const { bench, attempts, attempt } = await atWork('w2', workers);
  const message = 'It uses version 2 of the job protocol, but this worker speaks 99.';
  await attempts.finished(attempt, { ...emptyEnvelope, fault: { code: 'worker_version', message, remedy: 'ask' } });
  const texts = bench.store.messages('t1', null, 1_000).map(({ view }) => view.text);
  expect(texts.join('\n')).toContain('this worker speaks 99. The worker is w2 on anvil.');
});
