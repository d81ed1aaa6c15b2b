// Who may be the active Bosun, with a real Redis.

import { copyFileSync, cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { newHolder } from '../../../src/dispatch/standby/holder.js';
import { Lease, type Moment } from '../../../src/dispatch/standby/lease.js';
import { openLeaseLink } from '../../../src/queue/index.js';
import { keepEpoch, lookAtCopy } from '../../../src/store/index.js';
import { type Home, openHome } from '../../open-home.js';
import { describeRedis } from '../../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../../redis/server.js';
import { deadHolder, givenHomes, lastsMs, taken } from './given.js';

const soon = { timeout: 8_000, interval: 10 };

describeRedis('the lease of the active process', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());
  beforeEach(() => redis.client.flushall());

  const keyOf = ({ homeId }: Home) => `bosun-${homeId}:lease`;
  const epochKeyOf = ({ homeId }: Home) => `bosun-${homeId}:epoch`;
  const holderOf = async (home: Home) => JSON.parse((await redis.client.get(keyOf(home))) ?? 'null')?.session ?? null;
  const leave = (home: Home, { text, leftMs } = deadHolder(400)) => redis.client.set(keyOf(home), text, 'PX', leftMs);

  function homes(count: number, standby?: string): readonly [Home, Home] {
    const [one, two = one] = givenHomes(count, redis.url, standby);
    if (one === undefined || two === undefined) throw new Error('no home');
    return [one, two];
  }

  it('refuses a second process on another machine, and names the first', async () => {
    const [one, two] = homes(2, '');
    await taken(one);
    await expect(taken(two)).rejects.toMatchObject({
      code: 'busy_home',
      message: expect.stringMatching(new RegExp(`, pid ${process.pid}, since 20\\d\\d-`)),
      hint: expect.stringContaining('--standby'),
    });
    expect(lookAtCopy(two.dbPath)).toBeNull();
  });

  it('raises the epoch in the database and in Redis each time it is taken', async () => {
    const [one] = homes(1, '');
    const first = await taken(one);
    await first.close();
    const second = await taken(one);
    expect([first.epoch, second.epoch]).toEqual([`1.${first.session}`, `2.${second.session}`]);
    expect(lookAtCopy(one.dbPath)).toEqual({ homeId: one.homeId, epoch: second.epoch });
    expect(await redis.client.get(epochKeyOf(one))).toBe(second.epoch);
  });

  it('waits for a holder killed elsewhere to expire, but not for one killed in the same home', async () => {
    const [one, two] = homes(2, '');
    await leave(one);
    const begun = Date.now();
    const lease = await taken(one);
    expect(Date.now() - begun).toBeGreaterThan(350);
    const here = await redis.client.get(keyOf(one));
    await lease.abandon();
    await leave(one, { text: here ?? '', leftMs: 60_000 });
    expect(await holderOf(one)).not.toBeNull();
    await taken(one);
    expect(lookAtCopy(two.dbPath)).toBeNull();
  });

  it('passes to the standby as soon as a dead holder’s lease expires', async () => {
    const [, two] = homes(2);
    await redis.client.set(epochKeyOf(two), '3.dead');
    keepEpoch(two.dbPath, two.homeId, '3.dead');
    await leave(two, deadHolder(500));
    const said: string[] = [];
    const begun = Date.now();
    const lease = await taken(two, { waits: true, say: (line) => said.push(line) });
    const tookMs = Date.now() - begun;
    expect(said).toEqual(['standby: far holds the lease']);
    expect(tookMs).toBeGreaterThan(450);
    expect(tookMs).toBeLessThan(450 + lastsMs);
    expect(lease.epoch).toBe(`4.${lease.session}`);
    expect(lease.isActive()).toBe(true);
  });

  it('passes to the standby with an older replica if the last holder shipped nothing, and says so', async () => {
    const [one] = homes(1);
    const replica = join(one.dir, 'replica.db');
    keepEpoch(replica, one.homeId, '3.far');
    const [, two] = homes(2, `standby: { restore: 'cp ${replica} "$BOSUN_DB"' }`);
    cpSync(join(one.dir, 'secret'), join(two.dir, 'secret'));
    const home = openHome(two.dir);
    // It was active here once, before the one that died.
    keepEpoch(home.dbPath, home.homeId, '3.far');
    writeFileSync(join(home.dir, 'lease-session'), `far ${statSync(home.dir).ino}`);
    await redis.client.mset(epochKeyOf(home), '4.dead', `bosun-${home.homeId}:results`, '1');
    const said: string[] = [];
    const lease = await taken(home, { waits: true, say: (line) => said.push(line) });
    expect([lease.epoch, lease.isActive()]).toEqual([`5.${lease.session}`, true]);
    expect(said).toEqual([expect.stringMatching(/^standby: the replica is from epoch 3; .* epoch 4 is lost/)]);
    expect(await redis.client.exists(`bosun-${home.homeId}:results`)).toBe(0);
  });

  it('is not waited for if its holder runs without a standby and would not stop in time', async () => {
    const [one, two] = homes(2, '');
    await taken(one);
    writeFileSync(two.configPath, `${readFileSync(two.configPath, 'utf8')}standby: {}\n`);
    await expect(taken(two, { waits: true })).rejects.toMatchObject({
      code: 'busy_home',
      message: expect.stringContaining('has no standby in its config'),
    });
  });

  it('is not taken while another process writes the same database, even if Redis forgot that process', async () => {
    const [one] = homes(1, '');
    await (await taken(one)).close();
    const before = lookAtCopy(one.dbPath);
    await redis.client.flushall();
    const other = new Sqlite(`${one.dbPath}-writer`);
    onTestFinished(() => void other.close());
    other.exec('BEGIN EXCLUSIVE');
    await expect(taken(one)).rejects.toMatchObject({ code: 'busy_home' });
    expect([await redis.client.keys('*'), lookAtCopy(one.dbPath)]).toEqual([[], before]);
    expect(() => keepEpoch(one.dbPath, one.homeId, '9.here')).toThrow(/Another process writes/);
  });

  it('stops waiting when aborted, and leaves everything unchanged', async () => {
    const [one, two] = homes(2);
    await leave(one, deadHolder(60_000));
    const stopping = new AbortController();
    const waiting = taken(two, { waits: true, signal: stopping.signal, say: () => stopping.abort() });
    await expect(waiting).rejects.toThrow('it was not taken');
    expect(await holderOf(one)).toBe('dead');
    expect(lookAtCopy(two.dbPath)).toBeNull();
  });

  it('refuses an outdated database unless called with --take-over', async () => {
    const [one] = homes(1, '');
    keepEpoch(one.dbPath, one.homeId, '2.one');
    await redis.client.set(epochKeyOf(one), '3.other');
    const refused = { code: 'bad_database', hint: expect.stringContaining('--take-over') };
    await expect(taken(one)).rejects.toMatchObject(refused);
    keepEpoch(one.dbPath, one.homeId, '3.one');
    await expect(taken(one)).rejects.toMatchObject(refused);
    expect([await holderOf(one), lookAtCopy(one.dbPath)?.epoch]).toEqual([null, '3.one']);
    const lease = await taken(one, { takesOver: true });
    expect(lookAtCopy(one.dbPath)?.epoch).toBe(`4.${lease.session}`);
  });

  it('is lost when another process holds it', async () => {
    const [one] = homes(1, '');
    const lease = await taken(one);
    await leave(one, deadHolder(60_000));
    expect(await lease.lost).toMatch(/^another Bosun has taken over: far, pid 7, since /);
    expect(lease.isActive()).toBe(false);
    await lease.close();
    expect(await holderOf(one)).toBe('dead');
  });

  it('is lost when another process held it meanwhile', async () => {
    const [one] = homes(1, '');
    const lease = await taken(one);
    await redis.client.multi().set(epochKeyOf(one), '2.other').del(keyOf(one)).exec();
    expect(await lease.lost).toMatch(/epoch 1 and was left behind: .* epoch 2$/);
  });

  it('is released on close, but with a standby only expires, so that a restart hands nothing over', async () => {
    const [alone] = homes(1, '');
    await (await taken(alone)).close();
    expect(await holderOf(alone)).toBeNull();
    const [one] = homes(1);
    const lease = await taken(one);
    await lease.close();
    expect(await holderOf(one)).toBe(lease.session);
    expect(await redis.client.pttl(keyOf(one))).toBeLessThanOrEqual(lastsMs);
  });

  it('is kept while Redis is full', async () => {
    const [one] = homes(1);
    const lease = await taken(one);
    await redis.client.config('SET', 'maxmemory', '1');
    try {
      await sleep(lastsMs);
      expect(lease.isActive()).toBe(true);
    } finally {
      await redis.client.config('SET', 'maxmemory', '0');
    }
  });

  it('is taken once Redis has room again, if its previous holder was killed on this machine', async () => {
    const [alone] = homes(1, '');
    const before = await taken(alone);
    const text = (await redis.client.get(keyOf(alone))) ?? '';
    await before.close();
    await leave(alone, { text, leftMs: 60_000 });
    await redis.client.config('SET', 'maxmemory', '1');
    let lease: Lease;
    try {
      lease = await taken(alone);
      await sleep(lastsMs / 2);
      expect([lease.isActive(), await holderOf(alone)]).toEqual([true, before.session]);
    } finally {
      await redis.client.config('SET', 'maxmemory', '0');
    }
    await expect.poll(() => holderOf(alone), soon).toBe(lease.session);
    expect(lease.isActive()).toBe(true);
  });

  it('lapses before another process can take it when Redis hangs, but only with a standby', async () => {
    const [one] = homes(1);
    const [alone] = homes(1, '');
    const [lease, other] = [await taken(one), await taken(alone)];
    redis.pause();
    try {
      const pausedAt = Date.now();
      expect(await lease.lost).toMatch(/could not renew its lease in time/);
      expect(Date.now() - pausedAt).toBeLessThan(lastsMs);
      expect([lease.isActive(), other.isActive()]).toEqual([false, true]);
    } finally {
      redis.resume();
    }
    await expect.poll(() => holderOf(alone), soon).toBe(other.session);
    expect(other.isActive()).toBe(true);
  });

  it('is taken back by its holder after Redis lost all data, while the standby keeps waiting', async () => {
    const [one, two] = homes(2);
    const lease = await taken(one);
    const stopping = new AbortController();
    const said: string[] = [];
    const waiting = taken(two, { waits: true, signal: stopping.signal, say: (line) => said.push(line) });
    await expect.poll(() => said.length, soon).toBe(1);
    for (let time = 0; time < 3; time += 1) {
      await redis.client.flushall();
      await expect.poll(() => holderOf(one), soon).toBe(lease.session);
    }
    expect(await redis.client.get(epochKeyOf(one))).toBe(lease.epoch);
    expect(lease.isActive()).toBe(true);
    stopping.abort();
    await expect(waiting).rejects.toThrow('it was not taken');
  });

  it.each([
    ['the lease alone, as where a replica came up that had not got it yet', true, '3.dead'],
    ['the lease alone, before anybody looked', false, '3.dead'],
    ['everything, before anybody looked', false, ''],
  ])('passes to the standby one full lease after Redis lost %s', async (_, hasSeen, epoch) => {
    const [, two] = homes(2);
    keepEpoch(two.dbPath, two.homeId, '3.dead');
    if (epoch !== '') await redis.client.set(epochKeyOf(two), epoch);
    if (hasSeen) await leave(two, deadHolder(60_000));
    const said: string[] = [];
    let lostAt = Date.now();
    const waiting = taken(two, { waits: true, say: (line) => said.push(line) });
    if (hasSeen) {
      await expect.poll(() => said.length, soon).toBe(1);
      lostAt = Date.now();
      await redis.client.del(keyOf(two));
    }
    expect((await waiting).isActive()).toBe(true);
    expect(Date.now() - lostAt).toBeGreaterThanOrEqual(lastsMs - 20);
  });

  it('drops jobs and results in Redis if the database came from elsewhere, and only then', async () => {
    const [one, two] = homes(2, '');
    const given = [
      `bosun-${one.homeId}:results`,
      `bull:bosun-${one.homeId}-any:wait`,
      `bull:bosun-${one.homeId}-gpu:1`,
    ];
    const foreign = ['bosun-hffffffff:results', 'bull:bosun-hffffffff-any:wait', `bosun-${one.homeId}:worker:w1`];
    const fill = () => redis.client.mset([...given, ...foreign].flatMap((key) => [key, '1']));
    const left = async () =>
      (await redis.client.keys('*')).filter((key) => [...given, ...foreign].includes(key)).sort();
    await (await taken(one)).close();
    await fill();
    await (await taken(one)).close();
    expect(await left()).toEqual([...given, ...foreign].sort());
    // The whole folder, with all that lies in it.
    for (const name of ['bosun.db', 'lease-session']) copyFileSync(join(one.dir, name), join(two.dir, name));
    await (await taken(two)).close();
    expect(await left()).toEqual([...foreign].sort());
  });

  it('drops no jobs of another holder if its taking stalled for longer than the lease', async () => {
    const [one] = homes(1);
    const [replica, go] = ['replica.db', 'go'].map((name) => join(one.dir, name));
    if (replica === undefined || go === undefined) throw new Error('no path');
    keepEpoch(replica, one.homeId, '2.far');
    const restore = `until test -e ${go}; do sleep 0.01; done; cp ${replica} "$BOSUN_DB"`;
    writeFileSync(one.configPath, `queue: { redis: "${redis.url}", lease_s: 1 }\nstandby: { restore: '${restore}' }\n`);
    const given = `bosun-${one.homeId}:results`;
    await redis.client.mset(epochKeyOf(one), '2.far', given, '1');
    // Looks at the path until it stands still: by the third one after it was fetched, the copy is in its place.
    let looks = Number.POSITIVE_INFINITY;
    const standing = Object.defineProperty({ ...one }, 'dbPath', {
      get() {
        looks -= 1;
        if (looks === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastsMs);
        return one.dbPath;
      },
    });
    const taking = taken(standing, { waits: true });
    await expect.poll(() => holderOf(one), soon).not.toBeNull();
    looks = 3;
    writeFileSync(go, '');
    await expect(taking).rejects.toThrow(/did not become active/);
    expect([looks <= 0, await redis.client.get(given)]).toEqual([true, '1']);
  });

  it('is not required to start while Redis is away without a standby; of two holders, one stops later', async () => {
    const [one, two] = homes(2, '');
    await redis.kill();
    let both: readonly [Lease, Lease];
    try {
      both = [await taken(one), await taken(two)];
      expect(both.map((lease) => lease.isActive())).toEqual([true, true]);
      const [guarded] = homes(1);
      await expect(taken(guarded)).rejects.toMatchObject({ code: 'queue' });
    } finally {
      await redis.start();
    }
    await Promise.race(both.map((lease) => lease.lost));
    expect(both.filter((lease) => lease.isActive())).toHaveLength(1);
  });

  it.each([
    ['the steady clock', (passedMs: number): Moment => ({ steadyMs: passedMs, wallMs: 0 })],
    ['the clock on the wall', (passedMs: number): Moment => ({ steadyMs: 0, wallMs: passedMs })],
  ])('lapses by %s alone, permanently', async (_, moment) => {
    const [home] = homes(1);
    let now = moment(0);
    const link = await openLeaseLink(redis.url, home.homeId, 1_000);
    const parts = {
      link,
      holder: newHolder(home.dir, true),
      lastsMs: 60_000,
      hasStandby: true,
      epoch: '',
      renewedAt: now,
    };
    const lease = new Lease({ ...parts, now: () => now });
    onTestFinished(() => lease.abandon());
    now = moment(39_900);
    expect(lease.isActive()).toBe(true);
    now = moment(40_000);
    expect(lease.isActive()).toBe(false);
    expect(await lease.lost).toMatch(/was suspended/);
    now = moment(0);
    expect(lease.isActive()).toBe(false);
  });
});
