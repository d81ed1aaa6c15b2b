// What CI installs to test with: exactly these versions, on every platform, from no named host.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

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
