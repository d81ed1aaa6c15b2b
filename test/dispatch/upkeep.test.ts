import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { archiveAfterDays, Upkeep } from '../../src/dispatch/health/upkeep.js';
import { tempFolder } from './given.js';

function upkeepOf(slices: number) {
  const seen = { left: slices, turns: 0 };
  const giveBack = () => {
    seen.left -= 1;
    return seen.left > 0;
  };
  const archives = { clear: () => false, due: () => ({ runs: [], next: null }), archive: async () => true };
  const upkeep = new Upkeep({
    ...{ store: { archives, freePages: { giveBack } }, archiveAfterDays: () => 0, now: Date.now },
    onError: () => undefined,
  });
  return { seen, upkeep };
}

it('gives other work a turn after each slice', async () => {
  const { seen, upkeep } = upkeepOf(4);
  const work = upkeep.look();
  const between: number[] = [];
  while (seen.left > 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    between.push(seen.left);
  }
  await work;
  expect(new Set(between).size).toBeGreaterThan(2);
});

it('ends after the slice under way when Bosun stops', async () => {
  const { seen, upkeep } = upkeepOf(1_000);
  const work = upkeep.look();
  await vi.waitFor(() => expect(seen.left).toBeLessThan(1_000));
  await upkeep.close();
  await work;
  expect(seen.left).toBeGreaterThan(900);
});

function dueAt(days: number) {
  const now = 100 * 24 * 3_600_000;
  const seen: { before: number; archived: string[] } = { before: -1, archived: [] };
  const pages = new Map([
    [0, { runs: ['r1', 'r2'], next: 7 }],
    [7, { runs: ['r9'], next: null }],
  ]);
  const archives = {
    clear: () => false,
    due(before: number, from: number) {
      seen.before = before;
      return pages.get(from) ?? { runs: [], next: null };
    },
    async archive(run: string) {
      if (run === 'r2') throw new Error('disk full');
      seen.archived.push(run);
      return true;
    },
  };
  const upkeep = new Upkeep({
    ...{ store: { archives, freePages: { giveBack: () => false } }, archiveAfterDays: () => days, now: () => now },
    onError: () => undefined,
  });
  return { seen, upkeep, pages };
}

it('archives runs that ended long enough ago, in every part of all runs', async () => {
  const { seen, upkeep, pages } = dueAt(30);
  pages.set(0, { runs: ['r1'], next: 7 });
  await upkeep.look();
  expect(seen).toEqual({ before: 70 * 24 * 3_600_000, archived: ['r1', 'r9'] });
});

it('ends the look at the first archive that fails', async () => {
  const { seen, upkeep } = dueAt(30);
  await expect(upkeep.look()).rejects.toThrow('disk full');
  expect(seen.archived).toEqual(['r1']);
});

it('archives nothing when it is turned off', async () => {
  const { seen, upkeep } = dueAt(0);
  await upkeep.look();
  expect(seen).toEqual({ before: -1, archived: [] });
});

it('leaves histories in a database that is shipped alone, unless somebody says otherwise', () => {
  const home = { dbPath: join(tempFolder(), 'bosun.db') };
  const [standby, chosen] = [{ restore: null, replicate: null }, 5];
  expect(archiveAfterDays({ archiveAfterDays: null, standby: null }, home)).toBe(30);
  expect(archiveAfterDays({ archiveAfterDays: null, standby }, home)).toBe(0);
  expect(archiveAfterDays({ archiveAfterDays: chosen, standby }, home)).toBe(5);
  mkdirSync(join(home.dbPath, '../.bosun.db-litestream'));
  expect(archiveAfterDays({ archiveAfterDays: null, standby: null }, home)).toBe(0);
  expect(archiveAfterDays({ archiveAfterDays: chosen, standby: null }, home)).toBe(5);
});
