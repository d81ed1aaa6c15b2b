// The whole product under blows: Bosun and workers as processes of their own, Redis between them, people on Telegram who
// want one thing after the other. Then peace, and a look at what came of it.
import { platform } from 'node:os';
import { join } from 'node:path';
import { startTelegram } from '../bot/channels/telegram/server/index.js';
import { freePort } from '../free-port.js';
import { blowsOn, drawn, pause } from './blows.js';
import { type Findings, findingsOf, whatIsLeft } from './findings.js';
import { layNetwork, type Network } from './network.js';
import { peopleOf } from './people.js';
import { givenPlace } from './place.js';
import { bosunCommand, type Process, processOf, redisProcess } from './processes.js';

export interface Wanted {
  readonly seed: number;
  readonly network: Network['kind'];
  /** How long blows come. */
  readonly blowsMs: number;
  readonly pauseBetweenBlowsMs: readonly [number, number];
  readonly projects: number;
  readonly workers: number;
  /** How many of them have not the home's disk. */
  readonly awayWorkers: number;
  /** Each of so many projects has a remote, so that those can do it. */
  readonly remoteEvery: number;
  readonly leaseS: number;
  readonly agentS: readonly [number, number];
  /** Between the end of a run and the wish for the next. */
  readonly restMs: readonly [number, number];
  /** How long peace may take to settle everything. */
  readonly peaceMs: number;
}

export interface Played extends Findings {
  readonly lines: readonly string[];
}

export async function playChaos(wanted: Wanted): Promise<Played> {
  const random = drawn(wanted.seed);
  const between = ([least, most]: readonly [number, number]) => least + random() * (most - least);
  const begun = Date.now();
  const ending: (() => unknown)[] = [];
  try {
    const telegram = await startTelegram();
    ending.push(() => telegram.stop());
    const place = givenPlace({ ...wanted, remoteEvery: wanted.awayWorkers > 0 ? wanted.remoteEvery : null, telegram });
    if (process.env['CHAOS_KEEP'] === undefined) ending.push(() => place.remove());
    const logOf = (name: string) => join(place.folder, 'logs', `${name}.log`);
    const names = Array.from({ length: wanted.workers }, (_, at) => `w${at + 1}`);
    const { seat, network } = await layNetwork(wanted.network, ['bosun', ...names], await freePort());
    ending.push(() => network.close());
    const redis = redisProcess(seat, place.folder, logOf('redis'));
    ending.push(() => redis.client.disconnect(false));
    const started = (name: string, home: string, ready: RegExp, ...args: readonly string[]): Process =>
      processOf({
        ...{ name, ready, log: logOf(name), command: [...network.commandOf(name), ...bosunCommand(...args)] },
        env: { BOSUN_HOME: home, REDIS_URL: network.urlOf(name) },
      });
    const bosun = started('bosun', place.home, /^ready http/m, 'up', '--no-worker', '--port', '0');
    const workers = names.map((name, at) => {
      const home = at < wanted.workers - wanted.awayWorkers ? place.home : place.awayHome(name);
      return started(name, home, /^ready /m, 'worker', '--name', name, '--concurrency', '3');
    });
    for (const one of [redis, bosun, ...workers]) ending.push(() => one.kill());
    await redis.start();
    await redis.client.connect();
    await Promise.all([bosun, ...workers].map((one) => one.start()));

    const people = peopleOf(telegram, place.projects, () => between(wanted.restMs));
    const blows = blowsOn(
      { bosun, workers, redis, network, leaseMs: wanted.leaseS * 1_000, log: logOf('blows') },
      wanted.seed,
    );
    const until = Date.now() + wanted.blowsMs;
    while (Date.now() < until) {
      await pause(between(wanted.pauseBetweenBlowsMs));
      blows.strike();
    }
    people.stop();
    const { struck, ...told } = await blows.end();
    const problems = [...told.problems];
    const peaceAt = Date.now();
    const left = await rest(() => whatIsLeft(place, people.asked, redis.client), wanted.peaceMs);
    problems.push(...(await endAll([...workers, bosun])));
    // What was written after its attempt was over goes with the next start.
    await bosun.start();
    problems.push(...(await endAll([bosun])));
    const findings = await findingsOf({ place, telegram, asked: people.asked });
    const lines = [
      `seed ${wanted.seed}, ${network.kind} on ${platform()}, ${wanted.workers} workers (${wanted.awayWorkers} without the disk)`,
      `${[...struck.values()].reduce((sum, one) => sum + one, 0)} blows: ${[...struck].map(([name, times]) => `${name} ${times}`).join(', ')}`,
      ...findings.lines,
      `longest wait for a run ${inS(people.longestMs)}, all at rest ${inS(Date.now() - peaceAt)} after the last blow, in all ${inS(Date.now() - begun)}`,
    ];
    return { lines, problems: [...problems, ...left, ...findings.problems] };
  } finally {
    for (const end of ending.reverse()) await end();
  }
}

async function endAll(processes: readonly Process[]): Promise<readonly string[]> {
  const codes = await Promise.all(processes.map(async (one) => ({ name: one.name, code: await one.end() })));
  return codes.filter(({ code }) => code !== 0).map(({ name, code }) => `${name} ended with ${code}`);
}

/** Empty when nothing is left to do; else what still is when the time is up. */
async function rest(look: () => Promise<readonly string[]>, limitMs: number): Promise<readonly string[]> {
  const until = Date.now() + limitMs;
  for (;;) {
    const left = await look();
    if (left.length === 0 || Date.now() > until) return left;
    await pause(100);
  }
}

const inS = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
