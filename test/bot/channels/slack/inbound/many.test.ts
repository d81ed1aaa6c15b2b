import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answersIn } from '../../fixture/listeners.js';
import { type Delivery, HandClock, type Slack, startSlack } from '../server/index.js';
import { given, usualConfig } from './given.js';
import { survived } from './kills.js';

/** A folder that is on no disk, where there is one. */
const memory = '/dev/shm';
const count = 10_000;
/** The limit of the whole test, for a machine that does much else; nothing in it waits for a guess. */
const patienceMs = 600_000;
const repeatMs = 3_000;
const inBatch = 125;

/** The same in every run of the tests. */
function drawer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function shuffled(all: readonly Delivery[], draw: () => number): readonly Delivery[] {
  return all
    .map((delivery) => ({ delivery, key: draw() }))
    .sort((one, other) => one.key - other.key)
    .map(({ delivery }) => delivery);
}

describe('ten thousand Slack envelopes', () => {
  it(
    'are each handled once although they are redelivered out of order',
    async () => {
      // It is about what counts, and not about how fast a disk syncs.
      if (existsSync(memory)) vi.stubEnv('TMPDIR', memory);
      onTestFinished(() => void vi.unstubAllEnvs());
      const people = Array.from({ length: 100 }, (_, index) => ({ name: `p${index}`, slack: `U9${index}` }));
      const clock = new HandClock(1_750_000_000_000);
      const slack = await startSlack({ clock, patience: { ackWithinMs: 1_000_000_000 } });
      const config = (folder: string) => ({
        ...usualConfig(folder),
        people: Object.fromEntries(people.map(({ name, slack: id }) => [name, { slack: id }])),
      });
      const { runtime } = await given({ slack, config });
      const phones = people.map(({ name, slack: id }) => slack.person(id, name));
      const draw = drawer(7);
      for (let from = 0; from < count; from += inBatch) {
        for (let number = from; number < from + inBatch; number += 1) {
          const phone = phones[number % phones.length];
          phone?.says(phone.chat, number % 3 === 0 ? 'quiet' : 'verbose');
          // Each is heard twenty times a minute.
          clock.advance(31);
        }
        const repeated = shuffled(slack.deliveries.slice(-4 * inBatch), draw).slice(0, inBatch * 2);
        for (const delivery of repeated) slack.repeat(delivery);
        await acknowledged(slack, [...slack.deliveries.slice(from), ...repeated]);
      }
      await slack.until('all are decided', () => runtime.store.pendingInbox().length === 0, patienceMs);
      const answers = people.map((_, index) => answersIn(runtime.store, `sl:${phones[index]?.chat.id}`));
      expect(answers).toEqual(people.map(() => count / people.length));
    },
    patienceMs,
  );
});

/**
 * Slack repeats what was not acknowledged in time, and Bosun relies on it: where a busy machine kept it from learning in
 * time who speaks, it leaves the envelope to be repeated. The clock by which Slack would do so stands still here.
 */
async function acknowledged(slack: Slack, deliveries: readonly Delivery[]): Promise<void> {
  const open = () => deliveries.filter(({ attempts }) => !attempts.every(isAcked));
  for (let left = open(); left.length > 0; left = open()) {
    const begunAt = performance.now();
    await slack.until('they are acknowledged', () => open().length === 0 || performance.now() - begunAt > repeatMs);
    for (const delivery of new Set(open())) slack.repeat(delivery);
  }
}

function isAcked({ ackedAt }: Delivery['attempts'][number]): boolean {
  return ackedAt !== null;
}

describe('a killed Slack listener', () => {
  it(
    'loses no message and acts on none twice, at any step from receipt to acknowledgement',
    async () => {
      const { said, answers, tasks, signals } = await survived([1, 2, 3, 5, 8]);
      expect([answers, tasks.length, new Set(tasks).size, signals]).toEqual([said, said, said, new Set(['SIGKILL'])]);
    },
    patienceMs,
  );
});
