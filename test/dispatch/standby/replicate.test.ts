// What ships the database away, and the keys of config.yaml that name it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config/file/read-config.js';
import { endReplicationOf, replicate } from '../../../src/dispatch/standby/replicate.js';
import { tempFolder } from '../given.js';
import { givenHomes } from './given.js';

const soon = { timeout: 10_000, interval: 10 };

test('restarts a replication command that exits, and stops it with its child processes on end', async () => {
  const cwd = tempFolder();
  const ended: string[] = [];
  const line = `test -e once || { touch once; exit 3; }; echo $$ > pid; sleep 600 & wait`;
  const { end } = replicate({ line, env: process.env, cwd, onEnd: (how) => ended.push(how), againMs: 10 });
  const pidFile = join(cwd, 'pid');
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8'), soon).toMatch(/\d\n/);
  const group = -Number(readFileSync(pidFile, 'utf8'));
  end();
  await expect.poll(() => isThere(group), soon).toBe(false);
  expect(ended).toEqual(['3']);
});

test('kills a replication command that ignores SIGTERM', async () => {
  const cwd = tempFolder();
  const line = `trap '' TERM; echo $$ > pid; sleep 600; sleep 600`;
  const { end, kill } = replicate({ line, env: process.env, cwd, onEnd: () => undefined });
  const pidFile = join(cwd, 'pid');
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8'), soon).toMatch(/\d\n/);
  const group = -Number(readFileSync(pidFile, 'utf8'));
  end();
  expect(isThere(group)).toBe(true);
  kill();
  await expect.poll(() => isThere(group), soon).toBe(false);
});

test('kills the replication command left by a killed process of the same home, and no other', async () => {
  const [cwd, other] = [tempFolder(), tempFolder()];
  const line = 'echo $$ > pid; sleep 600; sleep 600';
  const left = [cwd, other].map((one) => replicate({ line, env: process.env, cwd: one, onEnd: () => undefined }));
  onTestFinished(() => left.forEach(({ kill }) => void kill()));
  const pidFiles = [cwd, other].map((one) => join(one, 'pid'));
  const groups = async () => {
    await expect
      .poll(() => pidFiles.every((one) => existsSync(one) && /\d\n/.test(readFileSync(one, 'utf8'))), soon)
      .toBe(true);
    return pidFiles.map((one) => -Number(readFileSync(one, 'utf8')));
  };
  const found = await groups();
  await endReplicationOf(cwd);
  await expect.poll(() => found.map(isThere), soon).toEqual([false, true]);
});

function isThere(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    // Nobody of it is left.
    return false;
  }
}

test.each([
  ['', null],
  ['standby: {}', { restore: null, replicate: null }],
  ['standby: { restore: "a b", replicate: "" }', { restore: 'a b', replicate: null }],
])('reads the standby settings of config.yaml with "%s"', (text, expected) => {
  const [home] = givenHomes(1, 'redis://127.0.0.1:1', text);
  if (home === undefined) throw new Error('no home');
  expect(loadConfig(home, {}).standby).toEqual(expected);
});

test('rejects an unknown key under standby', () => {
  const [home] = givenHomes(1, 'redis://127.0.0.1:1', '');
  if (home === undefined) throw new Error('no home');
  writeFileSync(home.configPath, 'standby: { restor: "x" }\n');
  expect(() => loadConfig(home, {})).toThrow(/unknown key "restor".*restore/);
});
