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

it('goes once for those who ask at once, and once more for those who ask meanwhile', async () => {
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

it('tells a failure to those whom it concerns alone', async () => {
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
