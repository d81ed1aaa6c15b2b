// What a clone installs: pinned, complete, from no named host, and small.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));
const versions = z.record(z.string(), z.string()).default({});
const locked = z.object({
  version: z.string().optional(),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  devOptional: z.boolean().default(false),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  os: z.array(z.string()).default([]),
  optionalDependencies: versions,
});
const lock = z.object({ packages: z.record(z.string(), locked) }).parse(readJson('package-lock.json'));
const manifest = z
  .object({ dependencies: versions, optionalDependencies: versions, devDependencies: versions })
  .parse(readJson('package.json'));
const packages = Object.entries(lock.packages);

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

function sizeOf(folder: string): number {
  const sizes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : sizeOf(path);
    return entry.isFile() ? statSync(path).size : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function productionMegabytes(): number {
  const needed = packages.filter(([path, it]) => path !== '' && !it.dev && !it.optional && !it.devOptional);
  const folders = needed.map(([path]) => join(root, path)).filter((folder) => existsSync(folder));
  return Math.round(folders.reduce((sum, folder) => sum + sizeOf(folder), 0) / 1e6);
}

describe('the dependencies', () => {
  it('are pinned to exact versions in package.json', () => {
    const all = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies };
    expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('are locked at the versions that package.json names', () => {
    const all = { ...manifest.dependencies, ...manifest.devDependencies };
    const wrong = Object.entries(all).filter(
      ([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version,
    );
    expect(wrong).toEqual([]);
  });

  it('are locked without a registry URL', () => {
    expect(packages.filter(([, it]) => it.resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it('are locked with integrity hashes, also those of other platforms', () => {
    const without = packages.filter(([path, it]) => path !== '' && !/^sha512-\S{88}$/.test(it.integrity ?? ''));
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it('are locked for every platform, because npm ci refuses a lock file with gaps (npm run lock fills them)', () => {
    const gaps = packages.flatMap(([path, it]) =>
      Object.keys(it.optionalDependencies).filter(
        (name) => !(`${path}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages),
      ),
    );
    expect(gaps).toEqual([]);
  });

  it(`take less than 100 MB in production (${productionMegabytes()} MB here)`, () => {
    expect(productionMegabytes()).toBeGreaterThan(1);
    expect(productionMegabytes()).toBeLessThan(100);
  });
});
