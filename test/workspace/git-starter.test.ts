import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from '../../src/base/index.js';
import type { ProcessWanted } from '../../src/workspace/git/process/git-process.js';
import { GitStarter } from '../../src/workspace/git/process/git-starter.js';
import { gitStarterScript } from '../git-starter-script.js';
import { makeFolder } from './repository.js';

/** A shell script in the place of git, which prints the process that started it first. */
function given(script: string, wanted: Partial<ProcessWanted> = {}): ProcessWanted {
  const folder = makeFolder();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho $PPID\n${script}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  return { args: [], env, timeoutMs: 20_000, stdoutMaxBytes: 1_000, stderrMaxBytes: 1_000, ...wanted };
}

function newStarter(script = gitStarterScript, idleMs?: number): GitStarter {
  const starter = new GitStarter(script, idleMs);
  onTestFinished(() => starter.close());
  return starter;
}

/** The pid of the starter, which is ready then. */
async function readyPid(starter: GitStarter): Promise<number> {
  let parent = process.pid;
  await vi.waitUntil(async () => {
    parent = Number((await starter.run(given(''))).out);
    return parent !== process.pid;
  });
  return parent;
}

describe('a git starter', () => {
  it('starts git here until it is ready, then in its own process', async () => {
    const starter = newStarter();
    expect(await starter.run(given(''))).toMatchObject({ out: `${process.pid}\n` });
    const pid = await readyPid(starter);
    expect(await starter.run(given('cat; printf oh >&2; exit 3', { input: Buffer.from('é') }))).toEqual({
      by: 'itself',
      exit: 3,
      out: `${pid}\nÃ©`,
      err: 'oh',
    });
  });

  it('runs several at once and gives each its own answer', async () => {
    const starter = newStarter();
    await readyPid(starter);
    const ends = await Promise.all([3, 1, 2].map((exit) => starter.run(given(`sleep 0.${exit}; exit ${exit}`))));
    expect(ends.map((end) => end.by === 'itself' && end.exit)).toEqual([3, 1, 2]);
  });

  it('keeps the limits on time and output', async () => {
    const starter = newStarter();
    await readyPid(starter);
    expect(await starter.run(given('exec sleep 9', { timeoutMs: 200 }))).toMatchObject({ by: 'time' });
    expect(await starter.run(given('exec yes'))).toMatchObject({ by: 'size', out: expect.stringMatching(/^.{999}/s) });
  });

  it('ends git and its children on abort', async () => {
    const starter = newStarter();
    await readyPid(starter);
    const [there, child] = [join(makeFolder(), 'there'), join(makeFolder(), 'child')];
    const stop = new AbortController();
    const running = starter.run(
      given(`sleep 30 & echo $! > '${child}'; : > '${there}'; wait`, { signal: stop.signal }),
    );
    await vi.waitUntil(() => existsSync(there));
    stop.abort();
    expect(await running).toMatchObject({ by: 'world', why: 'SIGTERM' });
    await vi.waitUntil(() => !isAlive(Number(readFileSync(child, 'utf8'))));
  });

  it('asks Bosun whether a slow git is stuck', async () => {
    const starter = newStarter();
    await readyPid(starter);
    const isStuck = vi.fn(async () => true);
    expect(await starter.run(given('exec sleep 30', { isStuck }))).toMatchObject({ by: 'time' });
    expect(isStuck).toHaveBeenCalledTimes(1);
  });

  it('reports that git is missing', async () => {
    const starter = newStarter();
    await readyPid(starter);
    expect(await starter.run({ ...given(''), env: { PATH: makeFolder() } })).toMatchObject({
      by: 'world',
      why: 'ENOENT',
    });
  });

  it('fails what runs when its process is killed, and starts another', async () => {
    const starter = newStarter();
    const pid = await readyPid(starter);
    const there = join(makeFolder(), 'there');
    const running = starter.run(given(`: > '${there}'; exec sleep 2`));
    await vi.waitUntil(() => existsSync(there));
    process.kill(pid, 'SIGKILL');
    expect(await running).toMatchObject({ by: 'world', why: 'SIGKILL' });
    expect(await readyPid(starter)).not.toBe(pid);
  });

  it('ends its process after a while without git, and starts another for the next', async () => {
    const starter = newStarter(gitStarterScript, 300);
    const pid = await readyPid(starter);
    await vi.waitUntil(() => !isAlive(pid));
    expect(await readyPid(starter)).not.toBe(pid);
  });

  it('starts git itself where no starter can be started', async () => {
    const starter = newStarter(join(makeFolder(), 'missing.mjs'));
    for (let n = 0; n < 5; n += 1) {
      expect(await starter.run(given('sleep 0.2'))).toMatchObject({ by: 'itself', out: `${process.pid}\n` });
    }
  });
});

describe('a Bosun that is killed', () => {
  it('takes its starter and the running git with it', async () => {
    const folder = makeFolder();
    const [script, pids] = [join(folder, 'bosun.mjs'), join(folder, 'pids')];
    const order = (wanted: ProcessWanted) => `starter.run(${JSON.stringify(wanted)})`;
    const contents = `
      import { GitStarter } from '../../src/workspace/git/process/git-starter.ts';
      const starter = new GitStarter(${JSON.stringify(gitStarterScript)});
      let parent;
      do parent = Number((await ${order(given(''))}).out); while (parent === process.pid);
      await ${order(given(`echo "$PPID $$" > '${pids}'; exec sleep 30`))};
    `;
    const bundled = { bundle: true, platform: 'node', format: 'esm', outfile: script } as const;
    await build({ ...bundled, stdin: { resolveDir: import.meta.dirname, contents } });
    const bosun = spawn(process.execPath, [script], { stdio: 'ignore' });
    const readPids = () => (existsSync(pids) ? (readFileSync(pids, 'utf8').match(/\d+/g) ?? []) : []).map(Number);
    await vi.waitUntil(() => readPids().length === 2, { timeout: 15_000 });
    bosun.kill('SIGKILL');
    await vi.waitUntil(() => !readPids().some((pid) => isAlive(pid)), { timeout: 5_000 });
  });
});
