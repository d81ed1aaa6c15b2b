import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { processStart } from '../../src/base/index.js';
import { underEditLock } from '../../src/config/home/lock.js';
import { acquireLock, editConfig, type Home, type Lock, readLock } from '../../src/config/index.js';
import { changePairings } from '../../src/config/people/pairing-file.js';
import { failureOf, newHome } from './given.js';

const built = mkdtempSync(join(tmpdir(), 'bosun-holder-'));
const holderPath = join(built, 'holder.mjs');

beforeAll(() => {
  const source = fileURLToPath(new URL('./holder.ts', import.meta.url));
  buildSync({ entryPoints: [source], outfile: holderPath, bundle: true, platform: 'node', format: 'esm' });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

class Holder {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly ended: Promise<void>;

  constructor(home: Home, waitMs = 0) {
    const child = spawn(process.execPath, [holderPath, home.lockPath, String(waitMs)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: Interface = createInterface({ input: child.stdout });
    this.#child = child;
    this.#lines = lines[Symbol.asyncIterator]();
    this.ended = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async heard(): Promise<{ kind: string; pid?: number }> {
    const { value } = await this.#lines.next();
    return JSON.parse(String(value));
  }

  async told(line: string): Promise<{ kind: string }> {
    this.#child.stdin?.write(`${line}\n`);
    return this.heard();
  }

  async killed(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

const holders: Holder[] = [];
const holderOf = (home: Home, waitMs = 0): Holder => {
  const holder = new Holder(home, waitMs);
  holders.push(holder);
  return holder;
};
afterEach(async () => {
  await Promise.all(holders.splice(0).map((holder) => holder.killed()));
});

const info = { port: null, role: 'cli' } as const;

async function taken(home: Home, waitMs = 0): Promise<Lock> {
  const result = await acquireLock(home, { waitMs, info });
  if (result.kind === 'held') throw new Error(`held by ${result.pid}`);
  return result.lock;
}

const leftovers = (home: Home): string[] => readdirSync(home.dir).filter((name) => /^lock./.test(name));

describe('the lock of a home', () => {
  it('has one holder and is free again after its release', async () => {
    const home = newHome();
    const lock = await taken(home);
    expect(readLock(home)).toEqual({ pid: process.pid, port: null, role: 'cli' });
    expect(statSync(home.lockPath).mode & 0o777).toBe(0o600);
    expect(await acquireLock(home, { waitMs: 0, info })).toEqual({
      kind: 'held',
      pid: process.pid,
      port: null,
      role: 'cli',
    });
    lock.release();
    expect(readLock(home)).toBeNull();
    (await taken(home)).release();
    expect(leftovers(home)).toEqual([]);
  });

  it('shows other processes its holder and, once known, the port', async () => {
    const home = newHome();
    const holder = holderOf(home);
    expect(await holder.heard()).toEqual({ kind: 'acquired' });
    expect(await holder.told('7420')).toEqual({ kind: 'updated' });
    expect(readLock(home)).toEqual({ pid: holder.pid, port: 7420, role: 'up' });
    expect(await acquireLock(home, { waitMs: 0, info })).toEqual({
      kind: 'held',
      pid: holder.pid,
      port: 7420,
      role: 'up',
    });
  });

  it('can be waited for and is taken on its release', async () => {
    const home = newHome();
    const holder = holderOf(home);
    await holder.heard();
    const waiting = taken(home, 10_000);
    await holder.told('release');
    (await waiting).release();
  });

  it('is waited for no longer than the timeout', async () => {
    const home = newHome();
    await holderOf(home).heard();
    const since = performance.now();
    expect(await acquireLock(home, { waitMs: 300, info })).toMatchObject({ kind: 'held' });
    expect(performance.now() - since).toBeGreaterThan(290);
    expect(performance.now() - since).toBeLessThan(5_000);
  });

  it('is taken over from a killed process', async () => {
    const home = newHome();
    const holder = holderOf(home);
    await holder.heard();
    const waiting = taken(home, 10_000);
    await holder.killed();
    const lock = await waiting;
    expect(readLock(home)?.pid).toBe(process.pid);
    expect(leftovers(home)).toEqual([]);
    lock.release();
  });

  it.runIf(process.platform === 'linux')('is taken over when its pid belongs to another process by now', async () => {
    const home = newHome();
    (await taken(home)).update({ port: 1 });
    const held = JSON.parse(readFileSync(home.lockPath, 'utf8'));
    expect(held.startedAt).toMatch(/^[0-9a-f-]+\/\d+$/);
    writeFileSync(home.lockPath, JSON.stringify({ ...held, startedAt: `${held.startedAt}0` }));
    expect(readLock(home)).toBeNull();
    expect(await taken(home)).toBeDefined();
  });

  it.each(['', '{', '{"pid":"1"}', 'null'])('is taken over when its file is corrupt: %j', async (text) => {
    const home = newHome();
    writeFileSync(home.lockPath, text);
    expect(readLock(home)).toBeNull();
    expect(await taken(home)).toBeDefined();
    expect(readLock(home)?.pid).toBe(process.pid);
  });

  it('is taken over from a process that died during its takeover', async () => {
    const home = newHome();
    const dead = holderOf(home);
    await dead.heard();
    await dead.killed();
    const left = readFileSync(home.lockPath, 'utf8');
    const { createHash } = await import('node:crypto');
    const heir = createHash('sha256').update(left).digest('hex').slice(0, 16);
    writeFileSync(`${home.lockPath}.after-${heir}`, left.replace('"token":"', '"token":"f'));
    writeFileSync(`${home.lockPath}.draft-${dead.pid}-abc`, '');
    expect(await taken(home)).toBeDefined();
    expect(leftovers(home)).toEqual([]);
  });

  it('is not stolen from a live process in the middle of its takeover', async () => {
    const home = newHome();
    const dead = holderOf(home);
    await dead.heard();
    await dead.killed();
    const left = JSON.parse(readFileSync(home.lockPath, 'utf8'));
    const { createHash } = await import('node:crypto');
    const heir = createHash('sha256').update(JSON.stringify(left)).digest('hex').slice(0, 16);
    const living = { pid: process.pid, startedAt: '', port: null, role: 'up', token: 'x' };
    writeFileSync(`${home.lockPath}.after-${heir}`, JSON.stringify(living));
    expect(await acquireLock(home, { waitMs: 0, info })).toMatchObject({ kind: 'held', pid: process.pid, role: 'up' });
  });

  it('has one winner when ten processes race to take over from a dead holder', async () => {
    const home = newHome();
    const first = holderOf(home);
    await first.heard();
    await first.killed();
    for (let round = 0; round < 3; round += 1) {
      const contenders = Array.from({ length: 10 }, () => holderOf(home));
      const results = await Promise.all(contenders.map((contender) => contender.heard()));
      const winners = contenders.filter((_, index) => results[index]?.kind === 'acquired');
      expect(winners).toHaveLength(1);
      expect(readLock(home)?.pid).toBe(winners[0]?.pid);
      await winners[0]?.killed();
    }
  });

  it('passes through ten waiting processes, one at a time', async () => {
    const home = newHome();
    const contenders = Array.from({ length: 10 }, () => holderOf(home, 15_000));
    let holding = 0;
    const most = await Promise.all(
      contenders.map(async (contender) => {
        expect(await contender.heard()).toEqual({ kind: 'acquired' });
        holding += 1;
        const seen = holding;
        expect(readLock(home)?.pid).toBe(contender.pid);
        holding -= 1;
        await contender.told('release');
        return seen;
      }),
    );
    expect(Math.max(...most)).toBe(1);
  });

  it('is not released by a holder that has lost it', async () => {
    const home = newHome();
    const lost = await taken(home);
    rmSync(home.lockPath);
    await taken(home);
    lost.release();
    expect(readLock(home)?.pid).toBe(process.pid);
    expect(failureOf(() => lost.update({ port: 1 }))).toMatchObject({ code: 'busy_home' });
    expect(readLock(home)?.port).toBeNull();
  });

  it('fails with its path when the folder is missing', async () => {
    const lockPath = join(newHome().dir, 'none', 'lock');
    await expect(acquireLock({ lockPath }, { waitMs: 0, info })).rejects.toMatchObject({
      code: 'disk',
      message: expect.stringContaining(lockPath),
    });
  });
});

describe('the lock of an edit', () => {
  it('is held while a file is edited, and released afterwards, also when the edit fails', () => {
    const path = join(newHome().dir, 'config.yaml');
    const isHeld = () => existsSync(`${path}.lock`);
    expect(underEditLock(path, 0, isHeld)).toBe(true);
    expect(() =>
      underEditLock(path, 0, () => {
        throw new Error('refused');
      }),
    ).toThrow('refused');
    expect(isHeld()).toBe(false);
  });

  it('keeps a second process waiting, which gives up in time, and outlives no dead one', () => {
    const path = join(newHome().dir, 'config.yaml');
    const other = { port: null, role: 'cli', token: 'other' };
    writeFileSync(
      `${path}.lock`,
      JSON.stringify({ ...other, pid: process.ppid, startedAt: processStart(process.ppid) }),
    );
    const edit = vi.fn(() => 'edited');
    expect(failureOf(() => underEditLock(path, 20, edit))).toMatchObject({ code: 'busy_home' });
    expect(edit).not.toHaveBeenCalled();
    writeFileSync(`${path}.lock`, JSON.stringify({ ...other, pid: 2 ** 22 + 1, startedAt: 'gone' }));
    expect(underEditLock(path, 0, edit)).toBe('edited');
  });

  it('guards each edit of config.yaml and of the pairing file', () => {
    const home = newHome();
    const held: boolean[] = [];
    editConfig(home, {}, () => held.push(existsSync(`${home.configPath}.lock`)));
    changePairings(home, 0, (kept) => {
      held.push(existsSync(join(home.dir, 'pairing.json.lock')));
      return { kept, gives: null };
    });
    expect(held).toEqual([true, true]);
  });
});
