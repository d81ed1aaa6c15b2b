import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answersIn } from '../../fixture/listeners.js';
import { HandClock, startTelegram, type Update } from '../server/index.js';
import { given, usualConfig } from './given.js';
import { survived } from './kills.js';

/** A folder that is on no disk, where there is one. */
const memory = '/dev/shm';

/** The same in every run of the tests. */
function drawer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Each moves within its window. */
function shuffled(updates: readonly Update[], window: number, draw: () => number): readonly Update[] {
  return updates
    .map((update, index) => ({ update, key: index + draw() * window }))
    .sort((a, b) => a.key - b.key)
    .map(({ update }) => update);
}

describe('ten thousand Telegram updates', () => {
  it('are each handled once although they are repeated out of order', async () => {
    // It is about what counts, and not about how fast a disk syncs.
    if (existsSync(memory)) vi.stubEnv('TMPDIR', memory);
    onTestFinished(() => void vi.unstubAllEnvs());
    const count = 10_000;
    const people = Array.from({ length: 100 }, (_, index) => ({ name: `p${index}`, telegram: 2_000 + index }));
    const clock = new HandClock(1_750_000_000_000);
    const telegram = await startTelegram({ clock });
    const config = (folder: string) => ({
      ...usualConfig(folder),
      people: Object.fromEntries(people.map(({ name, telegram: id }) => [name, { telegram: id }])),
    });
    const { runtime, intake } = await given({ telegram, config, listens: false });
    const phones = people.map(({ name, telegram: id }) => telegram.person(id, name));
    for (let number = 0; number < count; number += 1) {
      const phone = phones[number % phones.length];
      // Each is heard twenty times a minute.
      clock.advance(31);
      phone?.says(phone.chat, number % 3 === 0 ? 'quiet' : 'verbose');
    }
    const draw = drawer(7);
    const { updates } = telegram;
    updates.reorder((all) => shuffled(all, 50, draw));
    for (const seed of [1, 2]) updates.replay(shuffled(updates.made.slice(0, count), 500, drawer(seed)));
    const begin = performance.now();
    intake.start();
    const isHeard = () => updates.first() === null && updates.isPolled && runtime.store.pendingInbox().length === 0;
    await telegram.until('all are heard', isHeard, 100_000);
    const tookMs = performance.now() - begin;
    const answers = people.map(({ telegram: id }) => answersIn(runtime.store, `tg:${id}`));
    expect(answers).toEqual(people.map(() => count / people.length));
    expect(tookMs).toBeLessThan(90_000);
  }, 120_000);
});

describe('a killed Telegram listener', () => {
  it('loses no update and acts on none twice, at any step from receipt to confirmation', async () => {
    const points = [1, 2, 3, 7, 13, 18];
    const { said, answers, tasks, signals } = await survived(points);
    // One of what is said in each round is a press.
    const texts = said - points.length;
    expect([answers, tasks.length, new Set(tasks).size, signals]).toEqual([said, texts, texts, new Set(['SIGKILL'])]);
  }, 60_000);
});
