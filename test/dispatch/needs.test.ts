// What a worker must be able to do for a job: what its executor needs, and the home's disk where a checkout cannot travel.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Config } from '../../src/config/index.js';
import { needsBy } from '../../src/dispatch/choose-queue.js';
import { makeRepository } from '../workspace/repository.js';

function given() {
  const { root } = makeRepository({ 'a.txt': 'a\n' });
  let remote: string | null = null;
  const config = () => ({ projects: [{ name: 'shop', git: { remote, base: null } }] }) as unknown as Config;
  const needs = (own: readonly string[] = [], project = 'shop') =>
    needsBy(config)({ project, workdir: root, ...(own.length > 0 && { needs: own }) });
  return {
    ...{ root, needs },
    name(to: string | null) {
      remote = to;
    },
  };
}

it('an attempt needs the home’s disk as long as no git remote is reachable from other machines', () => {
  const { needs, name } = given();
  expect([needs(), needs(['gpu'])]).toEqual([['home-disk'], ['gpu', 'home-disk']]);
  name('origin');
  expect([needs(), needs(['gpu'])]).toEqual([[], ['gpu']]);
  name(null);
  expect(needs()).toEqual(['home-disk']);
});

it('an attempt needs the home’s disk during a merge, which cannot travel, and for a project no longer configured', () => {
  const { root, needs, name } = given();
  name('origin');
  const merge = join(root, '.git', 'MERGE_HEAD');
  writeFileSync(merge, 'x');
  expect(needs()).toEqual(['home-disk']);
  rmSync(merge);
  expect([needs(), needs([], 'gone')]).toEqual([[], ['home-disk']]);
});
