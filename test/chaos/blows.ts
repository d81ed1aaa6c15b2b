// What befalls Bosun, its workers and Redis, drawn from a seed. Nothing that is being struck is struck again before it
// stands.
import { appendFileSync } from 'node:fs';
import type { Network } from './network.js';
import type { Process, RedisProcess } from './processes.js';
import { Repeats } from './repeats.js';

export interface Targets {
  readonly bosun: Process;
  readonly workers: readonly Process[];
  readonly redis: RedisProcess;
  readonly network: Network;
  readonly leaseMs: number;
  /** A line for each of them. */
  readonly log: string;
}

export interface Blows {
  /** Begins one at random; what it does goes on after that. */
  strike(): void;
  /** Waits for all that goes on; gives how often each was struck, and what went wrong with the test itself. */
  end(): Promise<{ readonly struck: ReadonlyMap<string, number>; readonly problems: readonly string[] }>;
}

interface Blow {
  readonly name: string;
  readonly weight: number;
  /** Who must stand for it, and lies until it is over. */
  readonly on: (random: () => number) => readonly string[];
  readonly act: (ends: readonly string[]) => Promise<boolean>;
}

export function blowsOn(targets: Targets, seed: number): Blows {
  // What comes and whom it hits is the same for the same seed, however long the blows before took.
  const choice = drawn(seed);
  const random = drawn(seed + 1);
  const { network, leaseMs, redis } = targets;
  const all = new Map<string, Process>([targets.bosun, ...targets.workers, redis].map((one) => [one.name, one]));
  const lying = new Set<string>();
  const going = new Set<Promise<void>>();
  const struck = new Map<string, number>();
  const problems: string[] = [];
  const repeats = new Repeats(redis.client);
  const ofName = (name: string): Process => {
    const found = all.get(name);
    if (found === undefined) throw new Error(`nobody is called ${name}`);
    return found;
  };
  const between = (least: number, most: number) => least + random() * (most - least);
  const aWorker = (draw: () => number) => [targets.workers[Math.floor(draw() * targets.workers.length)]?.name ?? ''];
  const anEnd = (draw: () => number) => (draw() < 0.25 ? ['bosun'] : aWorker(draw));

  const restart =
    (downMs: number) =>
    async (names: readonly string[]): Promise<boolean> => {
      for (const name of names) await ofName(name).kill();
      await pause(between(0, downMs));
      for (const name of names) await ofName(name).start();
      return true;
    };
  const stop =
    (leastMs: number, mostMs: number) =>
    async (names: readonly string[]): Promise<boolean> => {
      for (const name of names) ofName(name).pause();
      await pause(between(leastMs, mostMs));
      for (const name of names) ofName(name).resume();
      return true;
    };
  const broken = (forMs: () => number, how: (end: string) => boolean) => async (names: readonly string[]) => {
    const can = names.every(how);
    if (can) await pause(forMs());
    for (const name of names) network.mend(name);
    return can;
  };

  const blows: readonly Blow[] = [
    { name: 'worker killed', weight: 4, on: aWorker, act: restart(leaseMs) },
    { name: 'Bosun killed', weight: 3, on: () => ['bosun'], act: restart(leaseMs) },
    { name: 'Bosun killed as it starts', weight: 1, on: () => ['bosun'], act: () => twiceKilled() },
    { name: 'Redis killed', weight: 2, on: () => ['redis'], act: restart(leaseMs) },
    { name: 'Redis emptied', weight: 2, on: () => ['redis'], act: async () => await ask(redis.client.flushall()) },
    { name: 'worker stopped', weight: 3, on: aWorker, act: stop(leaseMs * 1.2, leaseMs * 2.5) },
    { name: 'Bosun stopped', weight: 1, on: () => ['bosun'], act: stop(leaseMs * 0.5, leaseMs * 2) },
    { name: 'Redis stopped', weight: 1, on: () => ['redis'], act: stop(leaseMs * 0.3, leaseMs * 2) },
    {
      ...{ name: 'link held', weight: 2, on: anEnd },
      act: broken(
        () => between(leaseMs * 0.3, leaseMs * 2.5),
        (end) => network.hold(end),
      ),
    },
    {
      ...{ name: 'link cut', weight: network.kind === 'proxies' ? 2 : 0, on: anEnd },
      act: broken(
        () => between(leaseMs * 0.3, leaseMs * 2.5),
        (end) => network.cut(end),
      ),
    },
    {
      ...{ name: 'link slow', weight: 1, on: anEnd },
      act: broken(
        () => leaseMs * 2,
        (end) => network.slow(end, between(50, 300)),
      ),
    },
    { name: 'messages repeated', weight: 2, on: () => [], act: () => ask(repeats.sayAgain()) },
    { name: 'result delayed', weight: 2, on: () => [], act: () => ask(repeats.delay(between(100, leaseMs))) },
    { name: 'old result sent again', weight: 2, on: () => [], act: () => ask(repeats.bringBack(random)) },
  ];

  async function twiceKilled(): Promise<boolean> {
    const { bosun } = targets;
    await bosun.kill();
    const starting = bosun.start().catch(() => undefined);
    await pause(between(100, 1_500));
    await bosun.kill();
    await starting;
    await bosun.start();
    return true;
  }

  // Each of them comes once before any comes again.
  const first = shuffled(
    blows.filter(({ weight }) => weight > 0),
    choice,
  );

  function next(): Blow | undefined {
    const sum = blows.reduce((before, { weight }) => before + weight, 0);
    let at = choice() * sum;
    return (
      first.shift() ??
      blows.find(({ weight }) => {
        at -= weight;
        return at < 0;
      })
    );
  }

  return {
    strike() {
      const blow = next();
      if (blow === undefined) return;
      const ends = blow.on(choice);
      if (ends.some((end) => lying.has(end))) {
        if (!struck.has(blow.name)) first.push(blow);
        return;
      }
      for (const end of ends) lying.add(end);
      appendFileSync(targets.log, `${new Date().toISOString()} ${blow.name} ${ends.join()}\n`);
      const work = blow
        .act(ends)
        .then((did) => {
          if (did) struck.set(blow.name, (struck.get(blow.name) ?? 0) + 1);
        })
        .catch((error: unknown) => void problems.push(`${blow.name} ${ends.join()}: ${String(error)}`))
        .finally(() => {
          for (const end of ends) lying.delete(end);
          going.delete(work);
        });
      going.add(work);
    },
    async end() {
      await Promise.all([...going]);
      await repeats.end();
      for (const name of all.keys()) if (name !== 'redis') network.mend(name);
      return { struck, problems };
    },
  };
}

/** False: Redis did not take it, so that nothing was struck. */
async function ask(work: Promise<unknown>): Promise<boolean> {
  try {
    return (await work) !== false;
  } catch {
    return false;
  }
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/** The same for the same seed. */
export function drawn(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
