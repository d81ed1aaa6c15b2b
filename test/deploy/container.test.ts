import { spawn } from 'node:child_process';
import { lstatSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { newFolder } from '../cli/given.js';
import { freePort } from '../free-port.js';
import { describeRedis } from '../redis/describe-redis.js';
import { startRedis } from '../redis/server.js';
import { at, documentsOf, listOf, root, textOf, yamlOf } from './given.js';
import { endAll, type Ran, type Running, run } from './running.js';

const entrypoint = 'deploy/docker/entrypoint.sh';
/** Where a platform would be; nothing listens there. */
const nobody = 'http://127.0.0.1:1';

afterAll(endAll);

async function health(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const { ended } = await run(process.execPath, [join(root, 'deploy/docker/health.mjs'), ...args], env);
  return ended;
}

describe('a container', { timeout: 60_000 }, () => {
  it('creates its config.yaml in an empty volume, becomes healthy, and exits 0 on SIGTERM', async () => {
    const volume = newFolder();
    const home = join(volume, 'bosun');
    const env = { HOME: volume, BOSUN_HOME: home };
    expect(await health(['up'], env)).toMatchObject({ code: 1, err: expect.stringContaining('lock') });
    const bosun = await run(entrypoint, ['up', '--port', '0', '--no-worker'], env);
    await bosun.line(/^ready http:/);
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe(textOf('deploy/docker/config.yaml'));
    for (const path of [home, join(home, 'config.yaml')]) expect(statSync(path).mode & 0o077).toBe(0);
    expect(await health(['up'], env)).toMatchObject({ code: 0, err: '' });
    bosun.child.kill('SIGTERM');
    expect(await bosun.ended).toMatchObject({ code: 0 });
    expect((await health(['up'], env)).code).toBe(1);
  });

  it.each([
    ['Telegram', { TELEGRAM_BOT_TOKEN: '7000000001:AAof_nobody', TELEGRAM_API_ROOT: nobody }],
    ['Slack', { SLACK_BOT_TOKEN: 'xoxb-nobody', SLACK_APP_TOKEN: 'xapp-nobody', SLACK_API_URL: `${nobody}/api/` }],
  ])('starts and restarts with only a token of %s, without a demo', async (_name, tokens) => {
    const volume = newFolder();
    const home = join(volume, 'bosun');
    const env = { HOME: volume, BOSUN_HOME: home, BOSUN_WEB_HOST: '0.0.0.0', ...tokens };
    for (const args of [['--no-worker'], []]) {
      const bosun = await run(entrypoint, ['up', '--port', '0', ...args], env);
      await bosun.line(/^ready http:/);
      expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe(textOf('deploy/docker/config.yaml'));
      bosun.child.kill('SIGTERM');
      expect(await bosun.ended).toMatchObject({ code: 0 });
    }
  });

  it('keeps an existing config.yaml', async () => {
    const home = newFolder();
    writeFileSync(join(home, 'config.yaml'), 'web: { port: 0 }\n', { mode: 0o600 });
    const bosun = await run(entrypoint, ['projects', '--json'], { HOME: home, BOSUN_HOME: home });
    expect(await bosun.ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe('web: { port: 0 }\n');
  });

  it('includes the git config beside the keys only if it exists', async () => {
    const [home, keys] = [newFolder(), newFolder()];
    const env = { HOME: home, BOSUN_HOME: join(home, 'bosun'), BOSUN_KEYS: keys };
    const link = join(home, '.gitconfig-keys');
    const [, included = ''] = /include\.path (\S+)/.exec(textOf('Dockerfile')) ?? [];
    expect(included).toBe('/data/.gitconfig-keys');
    writeFileSync(join(keys, 'gitconfig'), '[user]\n  name = Agent\n');
    await (await run(entrypoint, ['--version'], env)).ended;
    expect(readFileSync(link, 'utf8')).toContain('name = Agent');
    rmSync(join(keys, 'gitconfig'));
    await (await run(entrypoint, ['--version'], env)).ended;
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('is healthy as a waiting standby, but not before it listens', async () => {
    const home = newFolder();
    const waiting = await run(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', 'up', '--standby'], {});
    const beginning = await run(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', 'up'], {});
    const lockOf = ({ child }: Running) =>
      writeFileSync(join(home, 'lock'), JSON.stringify({ pid: child.pid, port: null, role: 'up' }));
    lockOf(waiting);
    expect(await health(['up'], { BOSUN_HOME: home })).toMatchObject({ code: 0, err: '' });
    lockOf(beginning);
    expect(await health(['up'], { BOSUN_HOME: home })).toMatchObject({ code: 1, err: 'Bosun does not listen yet\n' });
  });

  it('listens on BOSUN_WEB_HOST', async () => {
    const home = newFolder();
    const told = { HOME: home, BOSUN_HOME: home, BOSUN_WEB_HOST: '127.0.0.9' };
    const bosun = await run(entrypoint, ['up', '--port', '0'], told);
    expect(await bosun.line(/^ready http:/)).toContain('http://127.0.0.9:');
    bosun.child.kill('SIGTERM');
    await bosun.ended;
  });
});

/** As arguments, without the addresses to listen on: a test listens on the loopback alone. */
function redisArgs(): readonly string[] {
  const lines = textOf('deploy/redis.conf').split('\n');
  return lines
    .filter((line) => /^\w/.test(line) && !line.startsWith('bind '))
    .flatMap((line) => {
      const [name, ...values] = line.split(' ');
      return [`--${name}`, ...values.map((value) => value.replaceAll('"', ''))];
    });
}

/** How each of the two starts Redis, with the port and the folder of a test in its configuration. */
const redisCommands = [
  ['Compose', at(yamlOf('docker-compose.yml'), 'services.redis.command')],
  [
    'Kubernetes',
    at(
      documentsOf('deploy/kubernetes/redis.yaml').find((one) => one['kind'] === 'StatefulSet'),
      'spec.template.spec.containers.0.command',
    ),
  ],
] as const;

describeRedis('a container of Redis', () => {
  it.each(redisCommands)('of %s requires its password, which is not in its arguments', async (_, command) => {
    const folder = newFolder();
    const conf = join(folder, 'redis.conf');
    const port = await freePort();
    const kept = textOf('deploy/redis.conf').replace(/^bind .*$/m, '');
    writeFileSync(conf, `${kept}\nbind 127.0.0.1\nport ${port}\ndir ${folder}\n`);
    const [shell = '', ...args] = listOf(command).map((one) =>
      String(one)
        .replaceAll('$$', '$')
        .replace(/\/etc\/(?:redis\/)?redis\.conf/, conf),
    );
    const child = spawn(shell, args, {
      env: { PATH: process.env['PATH'], REDIS_PASSWORD: 'c0ffee99' },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const client = new Redis(port, '127.0.0.1', { password: 'c0ffee99', retryStrategy: () => 50 });
    client.on('error', () => undefined);
    try {
      expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
      const stranger = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 0 });
      stranger.on('error', () => undefined);
      await expect(stranger.ping()).rejects.toThrow(/NOAUTH/);
      stranger.disconnect();
      // The shell has become the server, which gets the platform's signals.
      const said = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
      expect(said).toContain('redis-server');
      expect(said).not.toContain('c0ffee99');
    } finally {
      client.disconnect();
      child.kill('SIGTERM');
      await ended;
    }
  });
});

describeRedis('a container of a worker', () => {
  it('takes jobs from a Redis with deploy/redis.conf, reports its health by heartbeats, and drains on SIGTERM', async () => {
    const redis = await startRedis(redisArgs());
    try {
      const volume = newFolder();
      const env = { HOME: volume, BOSUN_HOME: join(volume, 'bosun'), REDIS_URL: redis.url };
      const config = await redis.client.config('GET', 'maxmemory*');
      expect(config).toEqual(
        expect.arrayContaining(['maxmemory-policy', 'noeviction', 'maxmemory', String(256 * 1024 * 1024)]),
      );
      expect(await redis.client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);

      const bosun = await run(entrypoint, ['up', '--no-worker', '--port', '0'], env);
      await bosun.line(/^ready /);
      const worker = await run(entrypoint, ['worker', '--drain', '5'], env);
      expect(await worker.line(/^ready /)).toBe(`ready ${hostname()}`);
      await expect.poll(() => redis.client.keys('bosun-*:worker:*'), { timeout: 20_000 }).toHaveLength(1);
      expect(await health(['worker'], env)).toMatchObject({ code: 0, err: '' });
      const other = await health(['worker', 'another'], env);
      expect(other).toMatchObject({ code: 1, err: 'the worker another gave no sign for 60 s\n' });

      const [key = ''] = await redis.client.keys('bosun-*:worker:*');
      worker.child.kill('SIGTERM');
      expect(await worker.ended).toMatchObject({ code: 0 });
      const silentFor = (ms: number) => JSON.stringify({ name: hostname(), slots: 4, runs: 0, at: Date.now() - ms });
      await redis.client.set(key, silentFor(61_000));
      expect((await health(['worker'], env)).code).toBe(1);
      // With a lease of ten minutes a sign comes every 100 s, and is kept for eight leases.
      const keptMs = 8 * 600_000;
      await redis.client.set(key, silentFor(150_000), 'PX', keptMs - 150_000);
      expect(await health(['worker'], env)).toMatchObject({ code: 0, err: '' });
      await redis.client.set(key, silentFor(230_000), 'PX', keptMs - 230_000);
      expect((await health(['worker'], env)).code).toBe(1);
      expect((await health(['worker'], { ...env, REDIS_URL: 'redis://127.0.0.1:1' })).code).toBe(1);
      bosun.child.kill('SIGTERM');
      await bosun.ended;
      // Nobody is there for whom it could work: it waits.
      await redis.client.flushall();
      expect(await health(['worker'], env)).toMatchObject({ code: 0, err: '' });
    } finally {
      await redis.end();
    }
  });
});
