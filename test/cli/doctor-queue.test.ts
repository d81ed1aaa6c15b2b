import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { protocolVersion } from '../../src/queue/redis/protocol/messages.js';
import { openHome } from '../open-home.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { bosun, newFolder } from './given.js';

function homeWith(redis: string, more = ''): string {
  const home = openHome(newFolder());
  writeFileSync(home.configPath, `queue: { redis: "${redis}" }\n${more}`, { mode: 0o600 });
  return home.dir;
}

const far = { name: 'far', slots: 4, runs: 1, ids: ['a'], host: 'box', isAway: true, can: [], bosun: '1.2.3' };

async function show(redis: RedisServer, home: string, worker: object): Promise<void> {
  const key = `bosun-${openHome(home).homeId}:worker:w-${JSON.stringify(worker).length}`;
  await redis.client.set(key, JSON.stringify({ ...far, version: protocolVersion, at: Date.now(), ...worker }));
}

const twoProjects = () => `executors:
  agent: { kind: command, run: [ls], needs: [gpu] }
projects:
  shop: { root: "${newFolder()}", git: { remote: origin } }
  blog: { root: "${newFolder()}" }
`;

async function queueLines(home: string): Promise<readonly string[]> {
  const { out } = await bosun(['doctor'], { home });
  return out.split('\n').filter((line) => /^\w+ +queue/.test(line));
}

describeRedis('bosun doctor', () => {
  it('warns of a Redis that may evict or lose jobs, and of missing workers', async () => {
    const redis = await startRedis(['--maxmemory-policy', 'allkeys-lru', '--appendonly', 'no']);
    try {
      expect(await queueLines(homeWith(redis.url))).toEqual([
        expect.stringMatching(/^ok {4}queue: Redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+, home id \w+$/),
        'warn  queue memory: maxmemory-policy is allkeys-lru',
        'warn  queue file: appendonly is no',
        'warn  queue workers: no worker is running',
      ]);
    } finally {
      await redis.end();
    }
  });

  it('reports a Redis that is full, and so does bosun status', async () => {
    const redis = await startRedis();
    try {
      const home = homeWith(redis.url);
      await redis.client.config('SET', 'maxmemory', '100kb');
      const full = /Redis at \S+ is out of memory: nothing new starts until it has room\. Raise maxmemory/;
      const lines = await queueLines(home);
      expect(lines.filter((line) => line.startsWith('bad'))).toEqual([expect.stringMatching(full)]);
      expect((await bosun(['status'], { home })).err).toMatch(new RegExp(`^warning: ${full.source}`));
      await redis.client.config('SET', 'maxmemory', '1gb');
      expect(await queueLines(home)).toContain('ok    queue memory: maxmemory-policy noeviction');
      expect((await bosun(['status'], { home })).err).toBe('');
    } finally {
      await redis.end();
    }
  });

  it('reports that Redis needs another password without printing the one tried, and so does bosun status', async () => {
    const redis = await startRedis(['--requirepass', 'right-one']);
    try {
      const home = homeWith(redis.url.replace('//', '//:wrong-one@'));
      const [line, ...more] = await queueLines(home);
      expect(line).toMatch(/^bad +queue: Redis at \S+ denies Bosun access\./);
      expect(more).toEqual([]);
      const status = await bosun(['status'], { home });
      expect([status.code, status.out]).toEqual([0, 'No project yet. Register one with "bosun init".\n']);
      expect(status.err).toMatch(/^warning: Redis at \S+ denies Bosun access\./);
      expect(status.err + line).not.toContain('wrong-one');
    } finally {
      await redis.end();
    }
  });

  it('lists workers with their machines, and warns of projects whose needs no worker meets', async () => {
    const redis = await startRedis();
    try {
      const home = homeWith(redis.url, twoProjects());
      const about = async () => {
        const { out } = await bosun(['doctor'], { home });
        return out.split('\n').filter((line) => /queue workers|no worker can run/.test(line));
      };
      await show(redis, home, { version: 1, name: 'old', host: '', isAway: false });
      expect(await about()).toEqual([
        'warn  queue workers: no worker is running',
        expect.stringMatching(
          /^warn {2}queue workers: these workers use another protocol version, .*: old, of version 1\.2\.3: 1 of 4/,
        ),
      ]);
      await redis.client.flushall();
      await show(redis, home, {});
      expect(await about()).toEqual([
        expect.stringMatching(
          /^ok {4}queue workers: far on box, without access to the home's disk: 1 of 4 slots busy, heartbeat \d+ s ago$/,
        ),
        'warn  project shop: no worker can run its steps: none has the ability gpu',
        "warn  project blog: no worker can run its steps: none has access to the home's disk, and the project has no git.remote",
      ]);
      await show(redis, home, { name: 'near-and-able', isAway: false, can: ['gpu'] });
      expect(await about()).toHaveLength(1);
    } finally {
      await redis.end();
    }
  });

  it('tells live workers from silent and draining ones, and reports that no worker takes jobs', async () => {
    const redis = await startRedis();
    try {
      const home = homeWith(redis.url);
      const about = async () => {
        const { out } = await bosun(['doctor'], { home });
        return out.split('\n').filter((line) => /queue workers/.test(line));
      };
      await show(redis, home, { at: Date.now() - 58_000 });
      const dead = "far on box, without access to the home's disk: 1 of 4 slots busy, no heartbeat for 5";
      expect(await about()).toEqual([
        expect.stringContaining(`bad   queue workers: no worker is alive; no recent heartbeat from: ${dead}`),
      ]);
      const { code, out } = await bosun(['status'], { home });
      expect([code, out]).toEqual([
        0,
        expect.stringMatching(/\n {2}far on box, .*: 1 of 4 slots busy, no heartbeat for 5\d s\n/),
      ]);
      await show(redis, home, { name: 'ending', isAway: false, isDraining: true });
      expect(await about()).toEqual([
        expect.stringMatching(
          /^bad {3}queue workers: no worker takes new jobs, .*: ending on box: .*, shutting down, /,
        ),
        expect.stringContaining(`warn  queue workers: may be dead: ${dead}`),
      ]);
      await show(redis, home, { name: 'near', isAway: false });
      expect((await about())[0]).toMatch(
        /^ok {4}queue workers: ending on box: .*; near on box: 1 of 4 slots busy, heartbeat \d+ s ago$/,
      );
    } finally {
      await redis.end();
    }
  });

  it('bosun status of all projects lists the workers, and that of one project does not', async () => {
    const redis = await startRedis();
    try {
      const home = homeWith(redis.url, twoProjects());
      expect((await bosun(['status'], { home })).out).toMatch(/\n\nWorkers: none running\n$/);
      await show(redis, home, {});
      await show(redis, home, { name: 'and another', host: 'here', isAway: false });
      expect((await bosun(['status'], { home })).out).toMatch(
        /\n\nWorkers\n {2}and another on here: 1 of 4 slots busy, heartbeat \d+ s ago\n {2}far on box, without access to .*\n$/,
      );
      const all: { readonly project?: string; readonly workers?: unknown }[] = JSON.parse(
        (await bosun(['status', '--json'], { home })).out,
      );
      expect(all.map(({ project }) => project)).toEqual(['shop', 'blog', undefined]);
      const signed = { seen_at: expect.stringMatching(/^20.*Z$/), silent: false, draining: false };
      expect(all.at(-1)).toEqual({
        workers: [
          expect.objectContaining({ name: 'and another', away: false }),
          { name: 'far', host: 'box', away: true, running: 1, slots: 4, ...signed },
        ],
      });
      const one = await bosun(['status', 'shop', '--json'], { home });
      expect(JSON.parse(one.out)).toMatchObject({ project: 'shop', run: null });
      expect(one.out).not.toContain('workers');
      expect((await bosun(['status', 'shop'], { home })).out).not.toContain('Workers');
    } finally {
      await redis.end();
    }
  });
});
