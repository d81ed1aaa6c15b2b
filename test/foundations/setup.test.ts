// bin/bosun in a fresh clone: it installs and builds what is missing, once, and then is Bosun itself.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runStep } from '../../bin/setup/child.mjs';
import { type Clone, makeClone } from './clone.js';

const start = 'bin/bosun';
let clone: Clone;

beforeEach(() => {
  clone = makeClone();
});

afterEach(() => {
  rmSync(clone.folder, { recursive: true, force: true });
});

describe('bin/bosun in a clone', () => {
  it('installs and builds with progress on stderr only, then runs Bosun in the same process', async () => {
    const ended = await clone.run(start, 'say', 'hi');
    expect(ended).toMatchObject({ code: 0, out: `main ${ended.pid} say hi\n` });
    expect(ended.err.trim().split('\n')).toEqual([
      'bosun: installing dependencies (once; up to two minutes)',
      'bosun: building',
    ]);
    expect(clone.npmLog()).toEqual(['ci --omit=dev --include=optional --no-audit --no-fund']);
  });

  it('is silent and installs nothing on the second run', async () => {
    await clone.run(start);
    expect(await clone.run(start)).toMatchObject({ code: 0, err: '' });
    expect(clone.npmLog()).toHaveLength(1);
  });

  it('installs and builds once when six start together', async () => {
    const gate = await clone.gate();
    const started = Array.from({ length: 6 }, () => clone.start(start, '--version'));
    const waiting = started.map((it) => it.says('is setting this clone up already'));
    const installing = started.map((it) => it.says('installing'));
    await Promise.any(installing);
    await Promise.all(started.map((_, index) => Promise.race([waiting[index], installing[index]])));
    await gate.reached;
    gate.open();
    const ended = await Promise.all(started.map((it) => it.ended));
    expect(ended.map((it) => it.out)).toEqual(started.map((it) => `main ${it.pid} --version\n`));
    expect(ended.filter((it) => it.err.includes('installing'))).toHaveLength(1);
    expect(ended.filter((it) => it.err.includes('building'))).toHaveLength(1);
    expect(clone.npmLog()).toHaveLength(1);
  });

  it('rebuilds when a source changed or was removed, without installing', async () => {
    clone.write('src/other.ts', 'export const one = 1;\n');
    await clone.run(start);
    clone.write('src/main.ts', `console.log('changed');\n`);
    expect(await clone.run(start)).toMatchObject({ out: 'changed\n', err: 'bosun: building\n' });
    clone.remove('src/other.ts');
    expect(await clone.run(start)).toMatchObject({ err: 'bosun: building\n' });
    expect(clone.has('dist/other.js')).toBe(false);
    expect(clone.npmLog()).toHaveLength(1);
  });

  it('keeps the old build when the new sources do not compile, and reports file and error', async () => {
    await clone.run(start);
    clone.write('src/main.ts', 'const = ;\n');
    const ended = await clone.run(start);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toMatch(/^error: setup: the build failed .*src\/main\.ts:1/ms);
    expect(clone.has('dist/main.js')).toBe(true);
  });

  it('installs again when the lock file changed', async () => {
    await clone.run(start);
    clone.lock({ 'node_modules/a': { version: '2.0.0' } });
    expect(await clone.run(start)).toMatchObject({ code: 0 });
    expect(clone.npmLog()).toHaveLength(2);
  });

  it('accepts a manual install that matches the lock file', async () => {
    await clone.run(start);
    clone.remove('node_modules/.bosun.json');
    expect(await clone.run(start)).toMatchObject({ code: 0, err: '' });
    expect(clone.npmLog()).toHaveLength(1);
  });

  it("shows npm's output when it fails, and installs on the next run", async () => {
    clone.write('npm-fails', '');
    const ended = await clone.run(start);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toMatch(/error: setup: npm ci failed \(exit 7\): .*\nnpm says no\n$/);
    clone.remove('npm-fails');
    expect(await clone.run(start)).toMatchObject({ code: 0 });
  });

  it('recompiles a native module that does not load under this Node', async () => {
    clone.lock({ 'node_modules/better-sqlite3': { version: '1.0.0' } });
    const ended = await clone.run(start);
    expect(ended.err).toContain('bosun: compiling better-sqlite3 for Node');
    expect(clone.npmLog()).toEqual([expect.stringMatching(/^ci /), 'rebuild better-sqlite3']);
    expect(ended.code).toBe(0);
  });

  it('exits with one sentence when the limit of open files is too low', () => {
    const line = 'ulimit -n 64; exec "$0" "$1" up';
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line, process.execPath, join(clone.folder, start)]);
    expect([status, String(stdout)]).toEqual([1, '']);
    expect(String(stderr)).toBe(
      'error: limits: the limit of open files (ulimit -n) is 64; Bosun needs at least 256: ' +
        'run ulimit -n 1024 and try again, or raise the hard limit (LimitNOFILE of a systemd unit)\n',
    );
    expect(clone.npmLog()).toEqual([]);
  });

  it('starts a published package without src as it is', async () => {
    clone.remove('src');
    clone.write('dist/main.js', `console.log('published');\n`);
    expect(await clone.run(start)).toMatchObject({ code: 0, out: 'published\n', err: '' });
    expect(clone.has('.setup')).toBe(false);
  });
});

describe('a step of the setup', () => {
  it('says that it still runs and for how long, and is silent once it has ended', async () => {
    const said: string[] = [];
    const go = join(clone.folder, 'go');
    const wait = `const fs = require('fs'); setInterval(() => fs.existsSync(${JSON.stringify(go)}) && process.exit(0), 5)`;
    const say = (line: string) => {
      said.push(line);
      writeFileSync(go, '');
    };
    await runStep({
      ...{ command: process.execPath, args: ['-e', wait], cwd: clone.folder, timeoutMs: 60_000 },
      ...{
        lock: null,
        what: 'waiting failed',
        hint: 'try again',
        progress: { say, doing: 'still waiting', everyMs: 20 },
      },
    });
    expect(said[0]).toMatch(/^still waiting, \d+ s so far$/);
  });
});

describe('the setup lock', () => {
  const lockOf = (pid: number, startedAt: string): string => JSON.stringify({ holders: [{ pid, startedAt }] });

  it('is taken over from a dead process', async () => {
    const dead = spawnSync('true').pid;
    clone.write('.setup/lock-3', lockOf(dead, ''));
    expect(await clone.run(start)).toMatchObject({ code: 0 });
    expect([clone.has('.setup/lock-3'), clone.has('.setup/lock-4')]).toEqual([false, true]);
  });

  it.runIf(process.platform === 'linux')("is not held by another process that reuses a dead holder's pid", async () => {
    clone.write('.setup/lock-1', lockOf(process.pid, 'another start'));
    expect(await clone.run(start)).toMatchObject({ code: 0 });
  });

  it('is kept by an npm that outlives its killed parent, so that two never install at once', async () => {
    const gate = await clone.gate();
    const first = clone.start(start);
    await gate.reached;
    first.kill();
    const second = clone.start(start);
    await second.says('is setting this clone up already');
    gate.open();
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(clone.npmLog()).toHaveLength(1);
  });
});

describe('bin/with-deps.mjs', () => {
  it('installs development tools, which a later start without them keeps', async () => {
    clone.lock({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/tool': { version: '1.0.0', dev: true } });
    await clone.run(start);
    expect(clone.has('node_modules/tool')).toBe(false);
    await clone.run('bin/with-deps.mjs', '--dev');
    expect(clone.has('node_modules/tool')).toBe(true);
    clone.lock({ 'node_modules/a': { version: '2.0.0' }, 'node_modules/tool': { version: '1.0.0', dev: true } });
    await clone.run(start);
    expect(clone.has('node_modules/tool')).toBe(true);
  });

  it('runs the command in its place with its arguments and exit code', async () => {
    const script = 'console.log(process.argv[1]); process.exitCode = 5';
    const ended = await clone.run('bin/with-deps.mjs', '--build', '--', 'node', '-e', script, 'two words');
    expect(ended).toMatchObject({ code: 5, out: 'two words\n' });
    expect(clone.has('dist/main.js')).toBe(true);
  });

  it('does not run the command when the setup failed', async () => {
    clone.write('npm-fails', '');
    const ended = await clone.run('bin/with-deps.mjs', '--', 'node', '-e', 'console.log(1)');
    expect(ended).toMatchObject({ code: 1, out: '' });
  });
});
