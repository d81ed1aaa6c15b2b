// Where the log of an attempt is read, and that nothing an agent leaves at the copy's place does harm.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWithin } from '../../src/base/own-path.js';
import { findLog, noteLogsSince } from '../../src/dispatch/attempts/attempt-logs.js';
import type { AttemptSpec } from '../../src/jobs/attempt-spec.js';
import type { AttemptRow } from '../../src/store/index.js';
import { exportLogs, logFolderOf, removeLogs } from '../../src/worker/attempt/log-folder.js';
import { aJob } from '../store/values.js';
import { tempFolder } from './given.js';

const inRun = 'logs/US-1/impl.jsonl';

function givenLog(team: AttemptSpec['team'] = null) {
  const folder = tempFolder();
  const home = { dir: join(folder, 'home') };
  const [root, victims] = [join(folder, 'shop'), join(folder, 'victims')];
  for (const made of [home.dir, root, victims]) mkdirSync(made);
  const sharedDir = join(root, '.ai/runs/r1');
  const spec: AttemptSpec = {
    ...aJob('a1').payload,
    ...{ run: 'r1', item: 'US-1', root, workdir: root, sharedDir, logPath: join(sharedDir, inRun), team },
  };
  const own = join(logFolderOf(home, spec), inRun);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o600 });
  };
  write(own, 'what it printed');
  return { home, root, victims, spec, own, write, copy: spec.logPath };
}

function rowOf(attempt: { readonly dispatchedAt: number; readonly logPath: string | null }): AttemptRow {
  return { attempt: { id: 'h-r1-impl-d1', ...attempt }, run: 'r1', chain: 'US-1' } as unknown as AttemptRow;
}

describe('the log of an attempt', () => {
  const since = 1_000;
  const [before, after] = [since - 1, since];
  it.each([
    { of: 'that runs', dispatchedAt: after, told: false, inHome: true, isRead: 'home' },
    { of: 'that ended', dispatchedAt: after, told: true, inHome: true, isRead: 'home' },
    { of: 'that ended, lost from the home,', dispatchedAt: after, told: true, inHome: false, isRead: 'nowhere' },
    { of: 'that has not begun', dispatchedAt: after, told: false, inHome: false, isRead: 'nowhere' },
    { of: 'of an earlier version', dispatchedAt: before, told: true, inHome: false, isRead: 'checkout' },
    { of: 'of an earlier version that died', dispatchedAt: before, told: false, inHome: false, isRead: 'checkout' },
    { of: 'from before the update that ran after it', dispatchedAt: before, told: true, inHome: true, isRead: 'home' },
  ])('$of is read from: $isRead', async ({ dispatchedAt, told, inHome, isRead }) => {
    const { home, root, own, copy, write } = givenLog();
    noteLogsSince(home, since);
    noteLogsSince(home, since + 5_000);
    write(copy, 'in the checkout');
    if (!inHome) await removeLogs(home, 'r1');
    const row = rowOf({ dispatchedAt, logPath: told ? copy : null });
    const place = findLog(home, { row, label: 'impl', root });
    const file = await openWithin(place.root, place.path);
    const read = file === null ? 'nowhere' : (await file.readFile('utf8')) === 'what it printed' ? 'home' : 'checkout';
    await file?.close();
    expect([read, place.path]).toEqual([isRead, isRead === 'checkout' ? copy : own]);
  });

  it('is read from the checkout if no Bosun of this version has run yet', () => {
    const { home, root, copy } = givenLog();
    const row = rowOf({ dispatchedAt: Date.now(), logPath: null });
    expect(findLog({ dir: `${home.dir}-older` }, { row, label: 'impl', root }).path).toBe(copy);
  });

  it('is copied to the run’s folder when the attempt ends, with its team’s logs and mode 0600', async () => {
    const member = { role: 'qa', turn: 1, prompt: '', writes: [] };
    const { home, spec, own, copy, write } = givenLog([member, { ...member, role: 'dev' }]);
    write(own.replace('.jsonl', '.qa.jsonl'), 'of qa');
    expect(await exportLogs(home, spec)).toBeNull();
    expect(readFileSync(copy, 'utf8')).toBe('what it printed');
    expect(readFileSync(copy.replace('.jsonl', '.qa.jsonl'), 'utf8')).toBe('of qa');
    expect(readdirSync(dirname(copy)).sort()).toEqual(['impl.jsonl', 'impl.qa.jsonl']);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['a link to a file', inRun, (at: string, victims: string) => symlinkSync(join(victims, 'bashrc'), at)],
    ['a hard link', inRun, (at: string, victims: string) => linkSync(join(victims, 'bashrc'), at)],
    ['a pipe', inRun, (at: string) => execFileSync('mkfifo', [at])],
    ['a forged log', inRun, (at: string) => writeFileSync(at, 'forged')],
  ])('replaces %s that an agent planted at the path of its copy', async (_, at, plant) => {
    const { home, spec, copy, victims, write } = givenLog();
    write(join(victims, 'bashrc'), 'precious');
    mkdirSync(dirname(copy), { recursive: true });
    plant(join(spec.sharedDir, at), victims);
    expect(await exportLogs(home, spec)).toBeNull();
    expect(readFileSync(join(victims, 'bashrc'), 'utf8')).toBe('precious');
    expect([lstatSync(copy).isFile(), readFileSync(copy, 'utf8')]).toEqual([true, 'what it printed']);
  });

  it.each(['.ai', '.ai/runs', '.ai/runs/r1', '.ai/runs/r1/logs', '.ai/runs/r1/logs/US-1'])(
    'is not copied through a link at %s, and the attempt gets a note',
    async (at) => {
      const { home, root, spec, victims } = givenLog();
      mkdirSync(dirname(join(root, at)), { recursive: true });
      symlinkSync(victims, join(root, at));
      expect(await exportLogs(home, spec)).toMatch(/cannot copy the log .*is a link/);
      expect(readdirSync(victims)).toEqual([]);
    },
  );

  it('is not copied over a folder of the same name, and leaves no temporary file', async () => {
    const { home, spec, copy } = givenLog();
    mkdirSync(join(copy, 'precious'), { recursive: true });
    expect(await exportLogs(home, spec)).toMatch(/is a link or has the wrong type/);
    expect([readdirSync(dirname(copy)), existsSync(join(copy, 'precious'))]).toEqual([['impl.jsonl'], true]);
  });
});
