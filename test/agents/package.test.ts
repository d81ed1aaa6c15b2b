// What CI installs to test with: exactly these versions, on every platform, from no named host.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { proofAgents } from './proof/proof-agents.js';
import { pagePath } from './proof/proof-table.js';

const versions = z.record(z.string(), z.string()).default({});
const locked = z.looseObject({ version: z.string().optional(), optionalDependencies: versions });
const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const { dependencies } = z.looseObject({ dependencies: versions }).parse(JSON.parse(read('package.json')));
const { packages } = z
  .looseObject({ packages: z.record(z.string(), locked) })
  .parse(JSON.parse(read('package-lock.json')));

it('the coding agents are pinned to exact versions', () => {
  expect(Object.keys(dependencies)).toHaveLength(5);
  for (const [name, version] of Object.entries(dependencies)) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packages[`node_modules/${name}`]?.version).toBe(version);
  }
});

it('the agents’ lock file names no host, and has an entry for every platform', () => {
  expect(read('package-lock.json')).not.toMatch(/resolved|https?:/);
  const optional = Object.values(packages).flatMap((one) => Object.keys(one.optionalDependencies));
  expect(optional.length).toBeGreaterThan(20);
  expect(optional.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([]);
});

it('each agent of the proof table has one test file that proves its column', () => {
  const folder = join(import.meta.dirname, '../e2e');
  const files = readdirSync(folder).filter((name) => name.startsWith('agents-proof-'));
  const proven = files.flatMap((name) => {
    const [, list = ''] = /^proveAgents\((.*)\);$/m.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
    return list.split(', ').map((title) => title.slice(1, -1));
  });
  const titles = proofAgents.map(({ title }) => title);
  expect(proven.toSorted()).toEqual(titles.toSorted());
  const [, table = ''] = readFileSync(pagePath, 'utf8').split('<!-- proof: ');
  const [, header = ''] = table.split('\n');
  const columns = header.slice(2, -2).split(' | ').slice(1);
  expect(columns.map((column) => column.replace(/ \d[\d.]*$/, ''))).toEqual(titles);
});
