// Bosun and its workers as processes of their own, with a real Redis between them, on one disk: each of the three dies in
// the middle, and the story is finished all the same.

import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import type { Runtime } from '../../src/dispatch/index.js';
import { bosun, newFolder, type Started, start } from '../cli/given.js';
import { openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';

// Two thirds of it are longer than Redis is away below, on a busy machine too.
const leaseS = 5;
const soon = { timeout: 20_000, interval: 30 };

interface Place {
  readonly home: string;
  say(...words: readonly string[]): Promise<string>;
  up(): Promise<Started>;
  worker(name: string, delayMs: number, ...more: readonly string[]): Promise<Started>;
  /** Attempts as the database has them, in order. */
  attempts(): readonly string[];
  events(): readonly string[];
}

async function givenPlace(redis: RedisServer): Promise<Place> {
  const dir = join(newFolder(), 'home');
  const home = openHome(dir);
  await prepareDemo(home);
  appendFileSync(home.configPath, `\nqueue: { redis: "${redis.url}", lease_s: ${leaseS} }\n`);

  function read<T>(act: (store: Runtime['store']) => T): T {
    const store = openStore(home.dbPath, { readonly: true });
    try {
      return act(store);
    } finally {
      store.close();
    }
  }

  return {
    home: dir,
    async say(...words) {
      const said = await bosun([...words, '--wait', '--timeout', '20'], { home: dir });
      expect(said.code, said.err).toBe(0);
      return said.out;
    },
    async up() {
      const started = await start(['up', '--no-worker', '--port', '0'], { home: dir });
      await started.line(/^ready /);
      return started;
    },
    async worker(name, delayMs, ...more) {
      const env = { DEMO_DELAY_MS: String(delayMs) };
      const started = await start(['worker', '--name', name, ...more], { home: dir, env });
      await started.line(new RegExp(`^ready ${name}$`));
      return started;
    },
    attempts: () =>
      read((store) =>
        store
          .nodes('r1')
          .flatMap((node) => store.attempts('r1', node.id))
          .map(({ attempt }) => `${attempt.id} ${attempt.state}${attempt.outcome ? ` ${attempt.outcome}` : ' -'}`),
      ),
    events: () =>
      read((store) =>
        store.events('r1', 0, 1_000).map(({ event }) => {
          if (event.type === 'attempt_started') return `started ${event.worker}`;
          return event.type === 'attempt_settled' ? `settled ${event.envelope.killed ?? 'itself'}` : event.type;
        }),
      ),
  };
}

/** Processes that were started with so long a pause. */
function agentsWith(delayMs: number): number {
  const mark = `DEMO_DELAY_MS=${delayMs}\0`;
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('agent.mjs') &&
        environmentOf(pid).includes(mark)
      );
    } catch {
      return false;
    }
  }).length;
}

const environmentOf = (pid: string) => readFileSync(`/proc/${pid}/environ`, 'latin1');

const startsOf = (place: Place, worker: string) => place.events().filter((one) => one === `started ${worker}`).length;

async function offered({ home }: Place, answer: string): Promise<string> {
  const { out } = await bosun(['inbox'], { home });
  return new RegExp(`bosun press (\\S+\\.${answer})`).exec(out)?.[1] ?? `no ${answer} in ${out}`;
}

describeRedis('a worker beside Bosun', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());

  it('finishes a story although worker, Redis and Bosun each die on the way', { timeout: 90_000 }, async () => {
    const place = await givenPlace(redis);
    const first = await place.up();
    const hanging = 9_871;
    const dying = await place.worker('one', hanging);
    expect((await bosun(['say', 'continue', 'demo'], { home: place.home })).code).toBe(0);
    await expect.poll(() => agentsWith(hanging), soon).toBe(1);

    // The worker: its agent ends with it, before another gets the checkout.
    dying.child.kill('SIGKILL');
    await dying.ended;
    const unhurried = 1_303;
    const second = await place.worker('two', unhurried);
    await expect.poll(() => place.events(), soon).toContain('started two');
    expect(agentsWith(hanging)).toBe(0);
    expect(place.attempts()[0]).toMatch(/ settled crashed$/);

    // Redis: what runs goes on, and is told when it is back.
    await expect.poll(() => agentsWith(unhurried), soon).toBe(1);
    await redis.kill();
    expect((await bosun(['say', 'status', 'demo'], { home: place.home })).out).toContain('US-001');
    const doctor = await bosun(['doctor'], { home: place.home });
    expect(doctor.out).toMatch(/^bad +queue: Redis at 127\.0\.0\.1:\d+ is unreachable\./m);
    await redis.start();
    await expect.poll(() => startsOf(place, 'two'), soon).toBe(2);

    // Bosun: the worker does not notice, and what it has is not begun again.
    await expect.poll(() => agentsWith(unhurried), soon).toBe(1);
    const [running = ''] = place.attempts().filter((one) => one.endsWith(' running -'));
    first.child.kill('SIGKILL');
    await first.ended;
    const third = await place.up();
    await expect.poll(() => startsOf(place, 'two'), soon).toBe(3);
    expect(place.attempts()).toContain(running.replace('running -', 'settled pass'));

    // A worker that is asked to end finishes what it has, and takes no more.
    await expect.poll(() => agentsWith(unhurried), soon).toBe(1);
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
    const last = await place.worker('three', 0);
    await place.say('say', 'status', 'demo');
    expect(place.events().filter((one) => one === 'settled interrupted')).toHaveLength(1);

    await place.say('press', await offered(place, 'approve'), '--text', '30 seconds');
    await place.say('press', await offered(place, 'answer'), '--text', 'yes, newest first');
    expect(startsOf(place, 'three')).toBeGreaterThan(4);
    expect((await bosun(['verify'], { home: place.home })).out).toMatch(/^ok: 1 run/);
    expect((await bosun(['stories', 'r1'], { home: place.home })).out).toMatch(/^US-001 +\[done\]/m);
    expect(readdirSync(join(place.home, 'attempts'))).toEqual([]);

    for (const { child } of [last, third]) child.kill('SIGTERM');
    expect([(await last.ended).code, (await third.ended).code]).toEqual([0, 0]);
  });
});
