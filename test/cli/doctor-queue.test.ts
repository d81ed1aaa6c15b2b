import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openHome } from '../../src/dispatch/index.js';
import { describeRedis } from '../redis/describe-redis.js';
import { startRedis } from '../redis/server.js';
import { bosun, newFolder } from './given.js';

function homeWith(redis: string): string {
  const home = openHome(newFolder());
  writeFileSync(home.configPath, `queue: { redis: "${redis}" }\n`, { mode: 0o600 });
  return home.dir;
}

async function queueLines(home: string): Promise<readonly string[]> {
  const { out } = await bosun(['doctor'], { home });
  return out.split('\n').filter((line) => /^\w+ +queue/.test(line));
}

describeRedis('the doctor', () => {
  it('finds a Redis that may throw jobs away or forget them, and that nobody works', async () => {
    const redis = await startRedis(['--maxmemory-policy', 'allkeys-lru', '--appendonly', 'no']);
    try {
      expect(await queueLines(homeWith(redis.url))).toEqual([
        expect.stringMatching(/^ok {4}queue: Redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+$/),
        'warn  queue memory: maxmemory-policy is allkeys-lru',
        'warn  queue file: appendonly is no',
        'warn  queue workers: no worker gave a sign',
      ]);
    } finally {
      await redis.end();
    }
  });

  it('says that Redis wants a password, without telling the one it tried; so does the status, and goes on', async () => {
    const redis = await startRedis(['--requirepass', 'right-one']);
    try {
      const home = homeWith(redis.url.replace('//', '//:wrong-one@'));
      const [line, ...more] = await queueLines(home);
      expect(line).toMatch(/^bad +queue: Redis at \S+ does not let Bosun in\./);
      expect(more).toEqual([]);
      const status = await bosun(['status'], { home });
      expect([status.code, status.out]).toEqual([0, 'No project yet: bosun init registers one.\n']);
      expect(status.err).toMatch(/^warning: Redis at \S+ does not let Bosun in\./);
      expect(status.err + line).not.toContain('wrong-one');
    } finally {
      await redis.end();
    }
  });
});
