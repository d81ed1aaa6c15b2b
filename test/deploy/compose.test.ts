import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, listOf, partOf, root, stagesOf, textOf, yamlOf } from './given.js';

const compose = yamlOf('docker-compose.yml');
const services = Object.entries(partOf(compose['services']));
const service = (name: string) => partOf(at(compose, `services.${name}`));

/** `11m`, `20s` in seconds. */
function secondsOf(said: unknown): number {
  const [, count = '', unit = ''] = /^(\d+)(m|s)$/.exec(String(said)) ?? [];
  return Number(count) * (unit === 'm' ? 60 : 1);
}

describe('docker-compose.yml', () => {
  it('has Redis, Bosun, workers and a backup', () => {
    expect(services.map(([name]) => name)).toEqual(['redis', 'bosun', 'worker', 'litestream']);
  });

  it('publishes ports on loopback only, under the same number inside', () => {
    const ports = services.flatMap(([, one]) => listOf(partOf(one)['ports']).map(String));
    expect(ports).toHaveLength(1);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
  });

  it.each(services)('restricts %s: read-only, no capabilities, no new privileges, no Docker socket', (_name, given) => {
    const one = partOf(given);
    expect(one['read_only']).toBe(true);
    expect(one['cap_drop']).toEqual(['ALL']);
    expect(one['security_opt']).toContain('no-new-privileges:true');
    expect(one['privileged']).toBeUndefined();
    expect(JSON.stringify(one['volumes'])).not.toContain('docker.sock');
    const isOwnImage = one['build'] !== undefined;
    expect(isOwnImage || (one['user'] !== undefined && !/^(root|0)\b/.test(String(one['user'])))).toBe(true);
    expect(one['restart']).toBe('unless-stopped');
  });

  it.each(services)('checks the health of %s, or says why not', (name, given) => {
    const check = partOf(partOf(given)['healthcheck']);
    if (check['disable'] !== true) expect(listOf(check['test'])[0]).toMatch(/^CMD/);
    else
      expect(textOf('docker-compose.yml')).toMatch(new RegExp(`\\n {2}${name}:[^]*# Nothing in its image could look`));
  });

  it('builds targets of the Dockerfile with the same health checks', () => {
    const stages = stagesOf('Dockerfile');
    for (const name of ['bosun', 'worker']) {
      const stage = stages.find((one) => one.name === at(service(name), 'build.target'));
      const check = stage?.instructions.find(({ word }) => word === 'HEALTHCHECK')?.rest ?? '';
      const command = JSON.parse(/CMD (\[.*\])/.exec(check)?.[1] ?? '[]') as unknown[];
      expect(listOf(at(service(name), 'healthcheck.test'))).toEqual(['CMD', ...command]);
    }
  });

  it('starts Bosun and workers once Redis is healthy, and the backup once Bosun is', () => {
    for (const name of ['bosun', 'worker']) {
      expect(at(service(name), 'depends_on.redis.condition')).toBe('service_healthy');
    }
    expect(at(service('litestream'), 'depends_on.bosun.condition')).toBe('service_healthy');
  });

  it('allows longer grace periods than draining and shutdown take', () => {
    const command = listOf(service('worker')['command']).map(String);
    const drainS = Number(command[command.indexOf('--drain') + 1]);
    expect(drainS).toBeGreaterThan(0);
    expect(secondsOf(service('worker')['stop_grace_period'])).toBeGreaterThan(drainS);
    expect(secondsOf(service('bosun')['stop_grace_period'])).toBeGreaterThan(5);
  });

  it('takes the number of workers from .env', () => {
    expect(service('worker')['scale']).toMatch(/^\$\{WORKERS:-1\}$/);
    for (const page of ['docs/deployment.md', 'docs/operations.md']) expect(textOf(page)).not.toContain('--scale');
  });

  it('requires HOOK_SECRET for Bosun, and does not give it to workers', () => {
    expect(at(service('bosun'), 'environment.HOOK_SECRET')).toMatch(/^\$\{HOOK_SECRET:\?/);
    expect(JSON.stringify(service('worker'))).not.toContain('HOOK_SECRET');
  });

  it('allows many workers, each with its own volume, and one Bosun', () => {
    expect(service('worker')['container_name']).toBeUndefined();
    expect(service('worker')['hostname']).toBeUndefined();
    expect(listOf(service('worker')['command'])).not.toContain('--name');
    expect(listOf(service('worker')['volumes'])).toContain('/data');
    expect(service('bosun')['container_name']).toBe('bosun');
    expect(listOf(service('bosun')['volumes'])).toContain('bosun:/data');
  });

  it('keeps Redis on internal networks, with a required password', () => {
    expect(service('redis')['networks']).toEqual(['queue', 'jobs']);
    for (const name of ['queue', 'jobs']) expect(at(compose, `networks.${name}.internal`)).toBe(true);
    expect(at(service('redis'), 'environment.REDIS_PASSWORD')).toMatch(/^\$\{REDIS_PASSWORD:\?/);
  });

  it('pins third-party images by digest, the same everywhere', () => {
    const kubernetes = ['redis.yaml', 'litestream/bosun.yaml'].map((file) => `deploy/kubernetes/${file}`);
    const places = ['docker-compose.yml', ...kubernetes, 'Dockerfile'].map(textOf).join('\n');
    const named = [...places.matchAll(/(?:image: |NODE_IMAGE=)((?:redis|node|litestream\/litestream):\S+)/g)].map(
      ([, image = '']) => image,
    );
    expect(named.map((image) => image.split(':')[0])).toEqual([
      ...['redis', 'litestream/litestream', 'redis', 'litestream/litestream', 'node'],
    ]);
    for (const image of named) expect(image).toMatch(/^[\w/-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    expect(new Set(named).size).toBe(3);
  });

  it('puts agents on no network with Bosun', () => {
    const networksOf = (name: string) => listOf(service(name)['networks']).map(String);
    expect(networksOf('worker').filter((one) => networksOf('bosun').includes(one))).toEqual([]);
    for (const name of ['bosun', 'worker']) {
      expect(networksOf(name).filter((one) => networksOf('redis').includes(one))).toHaveLength(1);
    }
  });

  it('gives no service the secrets of another', () => {
    const files = services.map(([, one]) => at(one, 'env_file.0.path')).filter((path) => path !== undefined);
    expect(new Set(files).size).toBe(files.length);
    expect(files).toContain('./deploy/bosun.env');
    expect(files).toContain('./deploy/worker.env');
    const keys = services
      .flatMap(([, one]) => listOf(partOf(one)['volumes']).map(String))
      .filter((it) => it.includes('/run/keys'));
    expect(new Set(keys).size).toBe(2);
  });

  it('uses only variables of .env.example, and mounts only files that exist', () => {
    const text = textOf('docker-compose.yml');
    const example = textOf('.env.example');
    for (const [, name] of text.matchAll(/(?<!\$)\$\{(\w+)/g)) expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
    const mounted = services
      .flatMap(([, one]) => listOf(partOf(one)['volumes']).map(String))
      .filter((it) => it.startsWith('./') && !it.startsWith('./deploy/keys/'));
    expect(mounted.length).toBeGreaterThan(1);
    for (const mount of mounted) expect(existsSync(join(root, mount.split(':')[0] ?? '')), mount).toBe(true);
  });
});

const examples = ['.env', 'deploy/bosun.env', 'deploy/worker.env', 'deploy/litestream.env'].map(
  (it) => `${it}.example`,
);

it.each(examples)('%s has comments only on lines of their own, since some parsers treat others as values', (path) => {
  for (const line of textOf(path).split('\n')) expect(line).toMatch(/^(# .*|(# )?\w+=[^\s#]*|)$/);
  for (const [, value = ''] of textOf(path).matchAll(/^# \w+=(.*)$/gm)) expect(value).toBe('');
});

it('litestream.yml replicates the image’s database, with variables that the example lists', () => {
  const home = /BOSUN_HOME=(\S+)/.exec(textOf('Dockerfile'))?.[1];
  expect(at(yamlOf('deploy/litestream.yml'), 'dbs.0.path')).toBe(`${home}/bosun.db`);
  const example = textOf('deploy/litestream.env.example');
  const names = [...textOf('deploy/litestream.yml').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) expect(example).toMatch(new RegExp(`^# ${name}=`, 'm'));
});
