// Two Bosuns of one home, as on two machines: the same secret and config.yaml, a database each, and one that is copied
// away again and again. The active one is stopped, then the next one killed, each in the middle of a story.

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import { readLock } from '../../src/config/home/lock.js';
import type { Runtime } from '../../src/dispatch/index.js';
import { isRunning } from '../agents/attempts/given.js';
import { bosun, errorLine, newFolder, type Started, start } from '../cli/given.js';
import { type Home, openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';
import { makeRepository } from '../workspace/repository.js';

const leaseS = 2;
const soon = { timeout: 20_000, interval: 20 };
const replicateMs = 50;

async function givenMachines(redis: RedisServer) {
  const folder = newFolder();
  const replica = join(folder, 'replica.db');
  const one = openHome(join(folder, 'one'));
  await prepareDemo(one);
  mkdirSync(join(folder, 'two'), { mode: 0o700 });
  copyFileSync(join(one.dir, 'secret'), join(folder, 'two', 'secret'));
  const two = openHome(join(folder, 'two'));
  const restore = `test ! -e ${replica} || cp ${replica} "$BOSUN_DB"`;
  const queue = `queue: { redis: "${redis.url}", lease_s: ${leaseS} }`;
  const config = `${readFileSync(one.configPath, 'utf8')}\n${queue}\nstandby: { restore: '${restore}', replicate: 'echo $$ >> replicating; sleep 3600' }\n`;
  for (const home of [one, two]) writeFileSync(home.configPath, config);
  return { one, two, ...replicator(replica) };
}

/** In place of what ships the database away. */
function replicator(replica: string) {
  let from: Home | null = null;
  function copy(): void {
    if (from === null) return;
    rmSync(`${replica}.part`, { force: true });
    const db = new Sqlite(from.dbPath, { readonly: true });
    db.prepare('VACUUM INTO ?').run(`${replica}.part`);
    db.close();
    renameSync(`${replica}.part`, replica);
  }
  const timer = setInterval(copy, replicateMs);
  return {
    /** One is taken as it is now, and no more of it afterwards. */
    replicate(home: Home | null): void {
      if (home === null) copy();
      from = home;
    },
    stop: () => clearInterval(timer),
  };
}

function read<T>({ dbPath }: Home, act: (store: Runtime['store']) => T): T {
  const store = openStore(dbPath, { readonly: true });
  try {
    return act(store);
  } finally {
    store.close();
  }
}

const eventsOf = (home: Home) => read(home, (store) => store.events('r1', 0, 1_000).map(({ event }) => event.type));
const runningIn = (home: Home) =>
  read(home, (store) => store.openAttempts().filter(({ attempt }) => attempt.state === 'running').length);

/** Lines that ship the database away and still run. */
function replicatingIn({ dir }: Home): readonly string[] {
  const path = join(dir, 'replicating');
  const pids = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return pids.filter((pid) => {
    try {
      return / [^ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').slice(0, 40));
    } catch {
      // It is gone.
      return false;
    }
  });
}

/** As the supervisor of one that was killed does it. */
function endReplicating(home: Home): void {
  for (const pid of replicatingIn(home)) process.kill(-Number(pid), 'SIGKILL');
}

async function standby({ dir }: Home, delayMs: number): Promise<Started> {
  return start(['up', '--standby', '--port', '0'], { home: dir, env: { DEMO_DELAY_MS: String(delayMs) } });
}

async function press({ dir }: Home, answer: string, text: string): Promise<void> {
  const { out } = await bosun(['inbox'], { home: dir });
  const button = new RegExp(`bosun press (\\S+\\.${answer})`).exec(out)?.[1] ?? `no ${answer} in ${out}`;
  const said = await bosun(['press', button, '--text', text, '--wait', '--timeout', '20'], { home: dir });
  expect(said.code, said.err).toBe(0);
}

describeRedis('a standby', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());

  it('takes over from a stopped Bosun and from a killed one, and finishes the story', async () => {
    const { one, two, replicate, stop } = await givenMachines(redis);
    onTestFinished(() => [one, two].forEach(endReplicating));
    const first = await standby(one, 700);
    await first.line(/^ready /);
    replicate(one);
    const second = await standby(two, 60_000);
    await second.line(/^standby: \S+ holds the lease$/);
    await expect(bosun(['up', '--port', '0'], { home: two.dir })).resolves.toMatchObject({ code: 3 });

    // Stopped amid a step, whose agent ends meanwhile: what it brought is not for this one any more.
    expect((await bosun(['say', 'continue', 'demo'], { home: one.dir })).code).toBe(0);
    await expect.poll(() => runningIn(one), soon).toBe(1);
    first.child.kill('SIGSTOP');
    const left = eventsOf(one);
    replicate(null);
    await second.line(/^ready /);
    const continuedAt = Date.now();
    first.child.kill('SIGCONT');
    const ended = await first.ended;
    expect(Date.now() - continuedAt).toBeLessThan(2_000);
    expect([ended.code, errorLine(ended)]).toEqual([
      1,
      expect.stringMatching(/^error: queue: This Bosun is no longer active/),
    ]);
    expect(eventsOf(one)).toEqual(left);
    await expect.poll(() => replicatingIn(one), soon).toEqual([]);
    expect(replicatingIn(two)).toHaveLength(1);
    expect(eventsOf(two).slice(0, left.length)).toEqual(left);

    // Killed amid the next try: the one of before comes back with what the other did, not with what it had itself.
    replicate(two);
    await expect.poll(() => runningIn(two), soon).toBe(1);
    const known = eventsOf(two);
    replicate(null);
    // What comes after the last copy did not happen for the next one.
    expect((await bosun(['say', 'stop', 'demo'], { home: two.dir })).code).toBe(0);
    expect(eventsOf(two)).toContain('pause');
    const third = await standby(one, 0);
    await third.line(/^standby: \S+ holds the lease$/);
    const killedAt = Date.now();
    second.child.kill('SIGKILL');
    await third.line(/^ready /);
    expect(Date.now() - killedAt).toBeLessThan(60_000);
    expect(eventsOf(one).slice(0, known.length)).toEqual(known);
    expect(eventsOf(one)).not.toContain('pause');

    // The other one, started again, is refused: while this one is active, and with its own copy afterwards.
    const refused = await bosun(['up', '--port', '0'], { home: two.dir });
    expect([refused.code, errorLine(refused)]).toEqual([
      3,
      expect.stringMatching(/^error: busy_home: .*on another machine/),
    ]);
    await bosun(['say', 'status', 'demo', '--wait', '--timeout', '20'], { home: one.dir });
    await press(one, 'approve', '30 seconds');
    await press(one, 'answer', 'yes, newest first');
    expect((await bosun(['stories', 'r1'], { home: one.dir })).out).toMatch(/^US-001 +\[done\]/m);
    expect((await bosun(['verify'], { home: one.dir })).out).toMatch(/^ok: 1 run/);
    expect((await bosun(['doctor'], { home: two.dir })).out).toMatch(
      /^warn +lease: .*pid \d+, since .* epoch 3.* epoch 2,? and was left behind$/m,
    );
    third.child.kill('SIGTERM');
    expect((await third.ended).code).toBe(0);
    const behind = await bosun(['up', '--port', '0'], { home: two.dir });
    expect([behind.code, errorLine(behind)]).toEqual([1, expect.stringMatching(/was left behind: .* --take-over/)]);
    stop();
  });

  /** A home with one project, whose agent does not heed a signal and leaves its pid. */
  function givenStubborn() {
    const home = openHome(join(newFolder(), 'home'));
    const root = makeRepository({ 'a.txt': 'one\n' }).root;
    const pidPath = join(home.dir, 'agent-pid');
    const config = [
      `executors: { agent: { kind: command, run: [sh, -c, "trap '' TERM; echo $$ > ${pidPath}; sleep 600"] } }`,
      `projects: { shop: { root: "${root}", workflow: quick, executor: agent } }`,
      `queue: { redis: "${redis.url}", lease_s: 1 }`,
    ];
    writeFileSync(home.configPath, `${config.join('\n')}\n`, { mode: 0o600 });
    const pid = () => (existsSync(pidPath) ? Number(readFileSync(pidPath, 'utf8')) : 0);
    onTestFinished(() => {
      if (pid() > 0 && isRunning(pid())) process.kill(pid(), 'SIGKILL');
    });
    return { home, pid };
  }

  const work = (home: Home) => start(['run', 'shop', 'a list', '--wait', '--timeout', '60'], { home: home.dir });
  const elsewhere = ({ homeId }: Home) =>
    redis.client.set(
      `bosun-${homeId}:lease`,
      JSON.stringify({ session: 's', host: 'far', pid: 7, since: 0, epoch: '9.s', place: '', standby: true }),
      'PX',
      60_000,
    );

  it('names the active Bosun when a command reaches it', async () => {
    const { one, two, stop } = await givenMachines(redis);
    onTestFinished(() => [one, two].forEach(endReplicating));
    onTestFinished(stop);
    const first = await standby(one, 0);
    onTestFinished(() => void first.child.kill('SIGKILL'));
    await first.line(/^ready /);
    const second = await standby(two, 0);
    onTestFinished(() => void second.child.kill('SIGKILL'));
    await expect.poll(() => readLock(two)?.role, soon).toBe('up');
    const said = await bosun(['say', 'status'], { home: two.dir });
    const active = new RegExp(`on standby: .*, pid ${first.child.pid}, since .* is active`);
    expect([said.code, errorLine(said)]).toEqual([3, expect.stringMatching(active)]);
  });

  it('ends a foreground command and its agents when another machine takes over', async () => {
    const { home, pid } = givenStubborn();
    const said = await work(home);
    await expect.poll(pid, soon).toBeGreaterThan(0);
    await elsewhere(home);
    const ended = await said.ended;
    expect([ended.code, errorLine(ended)]).toEqual([
      1,
      expect.stringMatching(/^error: queue: .* taken over: far, pid 7/),
    ]);
    await expect.poll(() => isRunning(pid()), soon).toBe(false);
  });

  it('ends the agents of a Bosun killed here before it waits for the active one elsewhere', async () => {
    const { home, pid } = givenStubborn();
    const said = await work(home);
    await expect.poll(pid, soon).toBeGreaterThan(0);
    await expect.poll(() => runningIn(home), soon).toBe(1);
    said.child.kill('SIGKILL');
    await said.ended;
    writeFileSync(home.configPath, `${readFileSync(home.configPath, 'utf8')}standby: {}\n`);
    await elsewhere(home);
    expect(isRunning(pid())).toBe(true);
    const waiting = await start(['up', '--standby', '--port', '0'], { home: home.dir });
    await waiting.line(/^standby: far holds the lease$/);
    expect(isRunning(pid())).toBe(false);
    waiting.child.kill('SIGTERM');
    expect((await waiting.ended).code).toBe(0);
  });

  it('is refused without Redis and without a standby section', async () => {
    const home = openHome(join(newFolder(), 'home'));
    writeFileSync(home.configPath, 'standby: {}\n');
    const without = await bosun(['up', '--standby'], { home: home.dir });
    expect([without.code, errorLine(without)]).toEqual([
      1,
      expect.stringMatching(/bad_config: A standby needs queue\.redis/),
    ]);
    writeFileSync(home.configPath, `queue: { redis: "${redis.url}" }\n`);
    const unknown = await bosun(['up', '--standby'], { home: home.dir });
    expect([unknown.code, errorLine(unknown)]).toEqual([
      1,
      expect.stringMatching(/bad_config: A standby needs standby/),
    ]);
    expect((await bosun(['up', '--standby', '--take-over'], { home: home.dir })).code).toBe(2);
  });
});
