import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ProcessWanted } from '../../src/workspace/git/process/git-process.js';
import { makeFolder } from './repository.js';

vi.resetModules();
const before = process.listeners('exit');
const { runGit } = await import('../../src/workspace/git/process/git-process.js');
const onExit = process.listeners('exit').filter((one) => !before.includes(one));

/** A shell script in the place of git. */
function given(script: string, wanted: Partial<ProcessWanted> = {}): ProcessWanted {
  const folder = makeFolder();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  return { args: [], env, timeoutMs: 20_000, stdoutMaxBytes: 1_000, stderrMaxBytes: 1_000, ...wanted };
}

describe('a git process', () => {
  it('returns its exit code and its output as bytes', async () => {
    const end = await runGit(given(`printf 'é\\377'; printf oh >&2; exit 3`));
    expect(end).toEqual({ by: 'itself', exit: 3, out: 'Ã©\xff', err: 'oh' });
  });

  it('reads the given input', async () => {
    const end = await runGit(given('cat', { input: Buffer.from('one\n') }));
    expect(end).toMatchObject({ by: 'itself', exit: 0, out: 'one\n' });
  });

  it('gets an empty standard input by default', async () => {
    expect(await runGit(given('cat'))).toMatchObject({ by: 'itself', exit: 0, out: '' });
  });

  it('may leave its input unread', async () => {
    const end = await runGit(given('exit 4', { input: new Uint8Array(4_000_000) }));
    expect(end).toMatchObject({ by: 'itself', exit: 4 });
  });

  it('can append its output to a file', async () => {
    const file = join(makeFolder(), 'kept');
    writeFileSync(file, 'one\n');
    expect(await runGit(given('echo two', { appendTo: file }))).toMatchObject({ by: 'itself', out: '' });
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });
});

describe('a git process that exceeds a limit', () => {
  it('is killed on timeout, even if a child holds its output open', async () => {
    const end = await runGit(given('sleep 9 & echo begun; exec sleep 9', { timeoutMs: 200 }));
    expect(end).toEqual({ by: 'time', out: 'begun\n', err: '' });
  }, 5_000);

  it.each(['', '>&2'])('is killed when its output is too large%s', async (where) => {
    const end = await runGit(given(`exec yes ${where}`));
    expect(end.by).toBe('size');
    expect(`${end.out}${end.err}`).toBe('y\n'.repeat(500));
  });

  it('is killed when Bosun exits', async () => {
    const there = join(makeFolder(), 'there');
    const running = runGit(given(`: > '${there}'; exec sleep 9`));
    await vi.waitUntil(() => existsSync(there));
    for (const listener of onExit) listener(0);
    expect(await running).toMatchObject({ by: 'world', why: 'SIGTERM' });
  });
});

describe('a failed git process', () => {
  it('reports that git is missing', async () => {
    const end = await runGit({ ...given(''), env: { PATH: makeFolder() } });
    expect(end).toMatchObject({ by: 'world', why: 'ENOENT', cause: expect.any(Error) });
  });

  it('reports that it was killed from outside', async () => {
    expect(await runGit(given('kill -9 $$'))).toMatchObject({ by: 'world', why: 'SIGKILL' });
  });

  it('reports that its arguments are too long', async () => {
    const end = await runGit(given('', { args: ['x'.repeat(4_000_000)] }));
    expect(end).toMatchObject({ by: 'world', why: 'E2BIG' });
  });

  it('reports that the file for its output cannot be opened', async () => {
    const end = await runGit(given('', { appendTo: join(makeFolder(), 'no', 'kept') }));
    expect(end).toMatchObject({ by: 'world', why: 'ENOENT' });
  });
});
