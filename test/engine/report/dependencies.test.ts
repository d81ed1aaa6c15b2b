import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycle } from '../../../src/engine/report/index.js';
import { experimentSize } from '../../size.js';

/** `a: b c` is an item "a" that waits for b and c. */
const items = (...written: readonly string[]) =>
  written.map((line) => {
    const [key = '', rest = ''] = line.split(':');
    return { key, dependsOn: rest.split(' ').filter((one) => one !== '') };
  });

describe('the dependency cycle of items that wait', () => {
  it.each<[string, readonly string[], string | null]>([
    ['no items', [], null],
    ['for none', ['a', 'b'], null],
    ['in a row', ['c: b', 'b: a', 'a'], null],
    ['for the same', ['d: b c', 'b: a', 'c: a', 'a'], null],
    ['for a missing item', ['a: x', 'b: a x'], null],
    ['for themselves', ['a: a'], 'a a'],
    ['for each other', ['a: b', 'b: a'], 'a b a'],
    ['in a ring', ['a: b', 'b: c', 'c: a'], 'a b c a'],
    ['behind a ring', ['z: y', 'y: a', 'a: b', 'b: a'], 'a b a'],
    ['in a ring that waits for a free item', ['free', 'a: free b', 'b: free a'], 'a b a'],
    ['in two rings', ['a: b', 'b: a', 'c: d', 'd: c'], 'a b a'],
  ])('%s', (_title, given, cycle) => {
    expect(findCycle(items(...given))?.join(' ') ?? null).toBe(cycle);
  });

  it('is found in a chain of 2,000 items', () => {
    const row = Array.from({ length: 2_000 }, (_, n) => ({ key: `${n}`, dependsOn: [`${n + 1}`] }));
    expect(findCycle(row)).toBeNull();
    expect(findCycle([...row, { key: '2000', dependsOn: ['0'] }])).toHaveLength(2_002);
  });

  it('is found exactly when the items cannot be done one after another', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const graph = fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }));
    fc.assert(
      fc.property(graph, (given) => {
        const all = Object.entries(given).map(([key, dependsOn]) => ({ key, dependsOn }));
        const cycle = findCycle(all);
        if (cycle === null) expect(doneInTurn(given)).toBe(true);
        else {
          expect(cycle[0]).toBe(cycle.at(-1));
          for (const [n, key] of cycle.slice(0, -1).entries()) expect(given[key]).toContain(cycle[n + 1]);
        }
      }),
      { numRuns: 300 * experimentSize },
    );
  });
});

function doneInTurn(given: Readonly<Record<string, readonly string[]>>): boolean {
  const open = new Set(Object.keys(given));
  for (const _ of Object.keys(given)) {
    const next = [...open].find((key) => !given[key]?.some((one) => open.has(one)));
    if (next !== undefined) open.delete(next);
  }
  return open.size === 0;
}
