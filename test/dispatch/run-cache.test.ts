import { describe, expect, it } from 'vitest';
import { RunCache } from '../../src/dispatch/commit/run-cache.js';
import type { State } from '../../src/engine/index.js';
import type { Store } from '../../src/store/index.js';
import { openStore } from '../open-store.js';
import { aChain, aNode, anItem, aRun, aState, batch } from '../store/values.js';
import { tempFolder } from './given.js';

/** A store that counts what is read of it. */
function counted(): { readonly store: Store; readonly reads: string[]; keep(states: readonly State[]): void } {
  const real = openStore(`${tempFolder()}/bosun.db`);
  const reads: string[] = [];
  const spine: Store['spine'] = (run) => {
    reads.push(run);
    return real.spine(run);
  };
  const chain: Store['chain'] = (run, key) => {
    reads.push(`${run}/${key}`);
    return real.chain(run, key);
  };
  return {
    store: { ...real, spine, chain },
    reads,
    keep: (states) => real.commit(batch({ states: states.map((after) => ({ before: null, after })) })),
  };
}

const state = (number: number, parts: Partial<State> = {}) =>
  aState(aRun(number), { chain: aChain('', [aNode('n1')]), ...parts });

describe('the run cache', () => {
  it('reads a run from disk once', () => {
    const { store, reads, keep } = counted();
    keep([state(1)]);
    const cache = new RunCache(store);
    for (const _ of [1, 2, 3]) expect(cache.state('r1', '')?.run.id).toBe('r1');
    expect(reads).toEqual(['r1', 'r1/']);
    expect(cache.state('r9', '')).toBeNull();
  });

  it('evicts the least recently used runs beyond 300', () => {
    const { store, reads, keep } = counted();
    const all = Array.from({ length: 400 }, (_, at) => state(at + 1));
    keep(all);
    const cache = new RunCache(store);
    for (const one of all) cache.put(one);
    cache.put(state(1));
    cache.trim();
    for (const one of [...all.slice(-299), state(1)]) cache.spine(one.run.id);
    expect(reads).toEqual([]);
    for (const one of all.slice(1, 101)) expect(cache.spine(one.run.id)?.run.id).toBe(one.run.id);
    expect(reads).toHaveLength(100);
  });

  it('evicts no run before it is stored, however many there are', () => {
    const { store, reads } = counted();
    const cache = new RunCache(store);
    const all = Array.from({ length: 400 }, (_, at) => state(at + 1));
    for (const one of all) cache.put(one);
    for (const one of all) expect(cache.spine(one.run.id)).not.toBeNull();
    expect(reads).toEqual([]);
  });

  it('keeps the chain of a finished story only until it is stored', () => {
    const { store, reads, keep } = counted();
    const done = state(1, {
      items: [anItem('US-1', 1, { status: 'done' })],
      chain: aChain('US-1', [aNode('n2', { state: 'passed' })]),
    });
    const cache = new RunCache(store);
    cache.put(done);
    expect(cache.chain('r1', 'US-1')?.nodes[0]?.state).toBe('passed');
    expect(reads).toEqual([]);
    keep([done]);
    cache.trim();
    expect(cache.chain('r1', 'US-1')?.nodes[0]?.state).toBe('passed');
    expect(reads).toEqual(['r1/US-1']);
  });

  it('looks up the chain of each story on disk once, even if it does not exist', () => {
    const { store, reads, keep } = counted();
    const items = [anItem('US-1', 1, { status: 'done' }), anItem('US-2', 2)];
    const done = state(1, { items, chain: aChain('US-1', [aNode('n2', { state: 'passed' })]) });
    const cache = new RunCache(store);
    cache.put(done);
    keep([done]);
    for (const _ of [1, 2, 3]) {
      cache.trim();
      expect([cache.chain('r1', 'US-1')?.key, cache.chain('r1', 'US-2')]).toEqual(['US-1', null]);
    }
    expect(reads).toEqual(['r1/US-1', 'r1/US-2']);
    cache.put(state(1, { items, chain: aChain('US-2', [aNode('n3')]) }));
    expect(cache.chain('r1', 'US-2')?.nodes).toHaveLength(1);
  });

  it('reloads a forgotten run from disk', () => {
    const { store, keep } = counted();
    keep([state(1)]);
    const cache = new RunCache(store);
    cache.put({ ...state(1), run: aRun(1, { task: 'never written' }) });
    cache.forget('r1');
    expect(cache.spine('r1')?.run.task).toBe(aRun(1).task);
  });
});
