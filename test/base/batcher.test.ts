import { expect, it } from 'vitest';
import { batched } from '../../src/base/async/batcher.js';

function given() {
  const gone: { readonly all: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const ask = batched<string>(
    (all) =>
      new Promise((resolve, reject) => {
        gone.push({ all, end: (error) => (error ? reject(error) : resolve(null)) });
      }),
  );
  return { gone, ask, all: () => gone.map(({ all }) => all) };
}

it('calls made together share a run, and those made during it share the next run', async () => {
  const { gone, ask, all } = given();
  const first = [ask(['a']), ask(['b'])];
  await expect.poll(() => gone).toHaveLength(1);
  const second = [ask(['c']), ask(['d', 'e'])];
  gone[0]?.end();
  await Promise.all(first);
  await expect.poll(() => gone).toHaveLength(2);
  gone[1]?.end();
  await Promise.all(second);
  expect(all()).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
});

it('a failed run rejects only its own callers', async () => {
  const { gone, ask } = given();
  const first = ask(['a']);
  await expect.poll(() => gone).toHaveLength(1);
  const second = ask(['b']);
  gone[0]?.end(new Error('no /proc'));
  await expect(first).rejects.toThrow('no /proc');
  await expect.poll(() => gone).toHaveLength(2);
  gone[1]?.end();
  await second;
});
