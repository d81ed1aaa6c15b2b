import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchNameFrom } from '../../src/workspace/index.js';

describe('the name of a branch that an agent proposed', () => {
  it.each([
    ['feature/order-history', 'feature/order-history'],
    ['  `feature/count`\nand more', 'feature/count'],
    ['refs/heads/feature/count', 'feature/count'],
    ['Größe & Gewicht', 'Gro-e-Gewicht'],
    ['-rf/..hidden/x..y.lock/', 'rf/hidden/x.y'],
    ['a//b@{1}~^:?*[\\', 'a/b-1'],
    ['HEAD', null],
    ['refs/tags/v1', null],
    ['…', null],
    ['', null],
  ])('%j becomes %j', (proposed, name) => expect(branchNameFrom(proposed)).toBe(name));

  it('is one that git accepts, whatever was proposed', () => {
    const some = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(some, (texts) => {
        for (const name of texts.map(branchNameFrom)) {
          if (name !== null) execFileSync('git', ['check-ref-format', '--branch', name]);
        }
      }),
      { numRuns: 1 },
    );
  });
});
