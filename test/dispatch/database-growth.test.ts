// How much of the disk a run takes for good, as docs/operations.md says.
import { expect, it } from 'vitest';
import { openWriter } from '../../src/store/open-store.js';
import { def, workflow } from '../engine/builders.js';
import { begun, givenBench, settle } from './given.js';

const ten = workflow(Array.from({ length: 10 }, (_, at) => def(`step${at}`)));
const runs = 10;

it('grows by at most 40 KB for a run of ten steps', async () => {
  const bench = givenBench();
  const file = openWriter(bench.store.path, {});
  const bytes = () =>
    Number(file.prepare('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size').pluck().get());
  const walk = async (number: number) => {
    const run = await begun(bench, number, { workflow: ten, project: `p${number}` });
    for (const _ of ten.chain) await settle(bench, run);
  };
  await walk(1);
  const before = bytes();
  for (let number = 2; number < 2 + runs; number += 1) await walk(number);
  expect(bench.store.run('r2')?.live).toEqual([]);
  const each = (bytes() - before) / runs;
  file.close();
  expect(each).toBeGreaterThan(5_000);
  expect(each).toBeLessThan(40_000);
});
