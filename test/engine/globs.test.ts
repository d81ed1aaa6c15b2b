import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcher, meetAnywhere, overlap, ownerOf } from '../../src/engine/text/globs.js';

const matches = (glob: string, file: string) => matcher([glob])(file);

describe('a glob pattern', () => {
  it.each([
    // One name with a wildcard: such names in every folder.
    ['*.go', 'main.go', true],
    ['*.go', 'src/api/main.go', true],
    ['*.go', 'main.got', false],
    ['?.ts', 'a/b.ts', true],
    ['?.ts', 'ab.ts', false],
    ['*', 'a/b', true],
    // With folders it begins at the top.
    ['/*.go', 'main.go', true],
    ['./*.go', 'src/main.go', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/api/a.ts', false],
    ['src/*.ts', 'lib/src/a.ts', false],
    ['src/*/a.ts', 'src/x/a.ts', true],
    ['src/a*b*c', 'src/a1b2b3c', true],
    ['src/a*b*c', 'src/a1c', false],
    // Across folders.
    ['src/**', 'src/a', true],
    ['src/**', 'src/a/b/c.ts', true],
    ['src/**', 'src', false],
    ['src/**', 'srcs/a', false],
    ['**', 'a', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**/z', 'a/b', false],
    ['a/**/m/**/z', 'a/m/m/z', true],
    // Plain paths.
    ['docs/sdd.md', 'docs/sdd.md', true],
    ['docs/sdd.md', './docs//sdd.md', true],
    ['sdd.md', 'docs/sdd.md', false],
    ['src/api', 'src/api/deep/a.ts', true],
    ['src/api', 'src/apis', false],
    ['src/api/', 'src/api/a.ts', true],
    ['src/api/', 'src/api', false],
    ['src/*/', 'src/api/a.ts', true],
    ['src/*/', 'src/api', false],
    // Either.
    ['src/{api,web}/*.{ts,tsx}', 'src/web/a.tsx', true],
    ['src/{api,web}/*.{ts,tsx}', 'src/cli/a.ts', false],
    ['{a,b{c,d}}.ts', 'bd.ts', true],
    ['{}.ts', '.ts', true],
    ['a{b', 'a{b', true],
    // What only looks like a wildcard.
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['app/[id]/page.tsx', 'app/i/page.tsx', false],
    ['a.ts', 'abts', false],
    ['ab', 'a*', false],
    ['ab', 'a?', false],
    ['a*', 'a*', true],
    // Nothing, and too much.
    ['', 'a', false],
    ['./', 'a', false],
    ['*', '', false],
    [`${'a'.repeat(1001)}`, 'a'.repeat(1001), false],
    ['*', 'a'.repeat(1001), false],
    ['{a,b,c}{a,b,c}{a,b,c}{a,b,c}', 'abca', false],
  ])('%j matches %j: %j', (glob, file, expected) => {
    expect(matches(glob, file)).toBe(expected);
  });

  it('with hundreds of wildcards is matched in reasonable time', () => {
    const file = `${'a/'.repeat(300)}b`;
    expect(matches(`${'**/a/'.repeat(150)}c`, file)).toBe(false);
    expect(matches(`x/${'*a'.repeat(300)}c`, `x/${'a'.repeat(900)}b`)).toBe(false);
  });
});

describe('the owner of a file', () => {
  const globs = {
    backend: ['*.go', 'docs/api/**'],
    test: ['*_test.go', 'docs/**/*.feature'],
    frontend: ['web/**', '*.ts'],
    spec: ['*.spec.ts', 'web/{a,api}/**'],
    other: ['web/**'],
  };
  it.each([
    ['src/cart.go', 'backend'],
    ['src/cart_test.go', 'test'],
    ['web/cart.spec.ts', 'spec'],
    ['src/cart.ts', 'frontend'],
    ['web/api/x.css', 'spec'],
    ['docs/api/openapi.yaml', 'backend'],
    ['docs/api/cart.feature', 'test'],
    ['web/x.css', null],
    ['README.md', null],
  ])('of %s is %j: the most specific pattern wins', (file, owner) => {
    expect(ownerOf(file, globs)).toBe(owner);
  });

  it('is null when the two most specific patterns tie', () => {
    expect(ownerOf('a.go', { one: ['*.go'], two: ['*.go'], three: ['*'] })).toBeNull();
    expect(ownerOf('a.go', { one: ['*.go'], two: ['*.go'], three: ['a.go'] })).toBe('three');
    expect(ownerOf('a.go', {})).toBeNull();
  });
});

describe('two sets of glob patterns', () => {
  it.each([
    [['*.go'], ['*.go'], true],
    [['*.go'], ['*_test.go'], false],
    [['*.ts'], ['*.spec.ts'], false],
    [['src/**'], ['src/api/**'], false],
    [['src/**'], ['src/**/*'], true],
    [['src/api/**'], ['src/web/**'], false],
    [['src/a*'], ['src/*b'], true],
    [['src/a*c'], ['src/b*d'], false],
    [['src/a?'], ['src/?b'], true],
    [['a/**/b'], ['a/*/c'], false],
    [['**/x/**'], ['**/y/**'], true],
    [['src/api'], ['src/api/'], true],
    [['{a,b}.ts'], ['{b,c}.ts'], true],
    [['{a,b}.ts'], ['{c,d}.ts'], false],
    [['docs/x.md', '*.go'], ['docs/y.md', '*.go'], true],
    [[], ['*'], false],
    [['*'], [], false],
  ])('%j and %j collide: %j', (one, other, expected) => {
    expect(overlap(one, other)).toBe(expected);
    expect(overlap(other, one)).toBe(expected);
  });

  it('that do not collide leave every file that either matches with an owner', () => {
    const glob = fc
      .array(fc.constantFrom('a', 'b', '*', '**', '?', 'a*', '*b', 'ab'), { minLength: 1, maxLength: 3 })
      .map((names) => names.join('/'));
    const file = fc.array(fc.constantFrom('a', 'b', 'ab', 'aab'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(glob, glob, file, (one, other, names) => {
        const path = names.join('/');
        const isMeant = matches(one, path) || matches(other, path);
        const owner = ownerOf(path, { one: [one], other: [other] });
        expect(isMeant && owner === null && !overlap([one], [other])).toBe(false);
      }),
    );
  });
});

describe('write patterns of neighbouring steps', () => {
  it.each([
    [['src/**'], ['src/a.ts'], true],
    [['src/a.ts'], ['src/**'], true],
    [['*.go'], ['cart_test.go'], true],
    [['src/**'], ['docs/**'], false],
    [['src/a.ts'], ['src/b.ts'], false],
    [[], ['src/**'], false],
  ])('%j and %j meet: %s', (one, other, expected) => {
    expect(meetAnywhere(one, other)).toBe(expected);
  });
});
