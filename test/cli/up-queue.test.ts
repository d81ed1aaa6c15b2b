import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openHome } from '../open-home.js';
import { describeRedis } from '../redis/describe-redis.js';
import { startRedis } from '../redis/server.js';
import { bosun, errorLine, newFolder, start } from './given.js';

async function saidAtStart(config: string | null, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = openHome(newFolder());
  if (config !== null) writeFileSync(home.configPath, config, { mode: 0o600 });
  const { child, line, ended } = await start(['up', '--port', '0', ...args], { home: home.dir, env });
  await line(/^Open in a browser/);
  const { out: doctor } = await bosun(['doctor'], { home: home.dir, env });
  child.kill('SIGTERM');
  const { code, out } = await ended;
  expect(code).toBe(0);
  return { up: out.split('\n').filter((one) => one.startsWith('queue: ')), doctor };
}

const fromVariable = `queue: { redis: "$${'{REDIS_URL}'}" }\n`;

describe('bosun up at a terminal', () => {
  it('warns that no worker will take jobs, and why', async () => {
    const unnamed = await saidAtStart(null, ['--no-worker'], { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(unnamed.up).toEqual([
      expect.stringMatching(
        /^queue: --no-worker without Redis leaves no worker .*: REDIS_URL is set, but queue.redis in .* does not use it/,
      ),
    ]);
    expect(unnamed.doctor).toMatch(/^warn {2}queue: embedded: .*REDIS_URL is set/m);
    const unset = await saidAtStart(fromVariable, ['--no-worker'], { REDIS_URL: '' });
    expect(unset.up).toEqual([expect.stringMatching(/queue\.redis comes from REDIS_URL, which is not set here/)]);
    expect(unset.doctor).toMatch(/^warn {2}queue: embedded: .*comes from REDIS_URL, which is not set/m);
    const works = await saidAtStart(null, [], { REDIS_URL: '' });
    expect(works.up).toEqual([]);
    expect(works.doctor).toMatch(/^ok {4}queue: embedded: jobs are stored in the database$/m);
  });

  it('warns that the Redis host is not found, and starts anyway', async () => {
    const { up } = await saidAtStart('queue: { redis: "redis://nowhere.invalid:1" }\n', []);
    expect(up).toEqual([expect.stringMatching(/^queue: Cannot find Redis at nowhere\.invalid:1: DNS/)]);
  });
});

describeRedis('bosun up with Redis', () => {
  it('warns of a wrong Redis password and of a missing Redis database', async () => {
    const redis = await startRedis(['--requirepass', 'right-one']);
    try {
      const wrong = await saidAtStart(`queue: { redis: "${redis.url.replace('//', '//:wrong-one@')}" }\n`, []);
      expect(wrong.up).toEqual([expect.stringMatching(/^queue: Redis at \S+ denies Bosun access/)]);
      const lost = await saidAtStart(`queue: { redis: "${redis.url.replace('//', '//:right-one@')}/99" }\n`, []);
      expect(lost.up).toEqual([expect.stringMatching(/^queue: Redis at \S+ has no database 99/)]);
    } finally {
      await redis.end();
    }
  });
});

describe('bosun worker', () => {
  const worker = (args: readonly string[], REDIS_URL = 'redis://127.0.0.1:1') =>
    bosun(['worker', ...args], { home: newFolder(), env: { REDIS_URL } });

  it('rejects an invalid REDIS_URL, and names the variable that queue.redis needs', async () => {
    for (const address of ['http://h', 'nonsense', 'redis://', '127.0.0.1:6391', 'redis://:Ab/secret-word@h']) {
      const ended = await worker([], address);
      expect([ended.code, errorLine(ended)]).toEqual([2, expect.stringMatching(/^error: usage: REDIS_URL /)]);
      expect(ended.err).not.toContain('secret-word');
    }
    const home = openHome(newFolder());
    writeFileSync(home.configPath, fromVariable, { mode: 0o600 });
    const unset = await bosun(['worker'], { home: home.dir, env: { REDIS_URL: '' } });
    expect([unset.code, errorLine(unset)]).toEqual([
      1,
      expect.stringMatching(/^error: bad_config: queue\.redis in \S+ comes from REDIS_URL, which is not set here/),
    ]);
  });
});
