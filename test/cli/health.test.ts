import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import { openLog } from '../../src/cli/log-file.js';
import { acquireLock } from '../../src/config/home/lock.js';
import { openWriter } from '../../src/store/open-store.js';
import { openHome } from '../open-home.js';
import { bosun, newFolder } from './given.js';

const home = join(newFolder(), 'home');

beforeAll(async () => {
  process.env['DEMO_DELAY_MS'] = '0';
  const request = await prepareDemo(openHome(home));
  await bosun(['import', 'demo', 'prd.json'], { home, cwd: request?.cwd ?? '/' });
  await bosun(['say', 'continue demo', '--wait'], { home });
});

interface Check {
  readonly name: string;
  readonly state: string;
  readonly text: string;
  readonly mend: string | null;
}

async function examine(
  dir: string,
): Promise<{ readonly code: number | null; readonly ok: boolean; readonly checks: readonly Check[] }> {
  const { code, out } = await bosun(['doctor', '--json'], { home: dir });
  return { code, ...JSON.parse(out) };
}

describe('bosun doctor', () => {
  it('reports that a running Bosun has lost its database', async () => {
    const dir = join(newFolder(), 'home');
    const opened = openHome(dir);
    const held = await acquireLock(opened, { waitMs: 0, info: { port: 9, role: 'up' } });
    const { ok, checks } = await examine(dir);
    if (held.kind === 'acquired') held.lock.release();
    expect(ok).toBe(false);
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'database',
        text: expect.stringContaining('bosun.db was deleted while'),
        mend: expect.stringContaining('bosun.db-wal and bosun.db-shm away'),
      }),
    );
  });

  it('finds a demo home healthy', async () => {
    const { code, ok, checks } = await examine(home);
    expect({ code, ok, ill: checks.filter(({ state }) => state !== 'ok') }).toEqual({ code: 0, ok: true, ill: [] });
    const names = checks.map(({ name }) => name);
    const expected = ['config', 'home', 'disk', 'database', 'clock', 'queue', 'executor scripted', 'project demo'];
    expect(names).toEqual(expect.arrayContaining([...expected, 'node', 'git', 'shell']));
    expect((await bosun(['doctor'], { home })).out).toMatch(/^ok {4}config: 1 project, 0 people$/m);
  });

  it.each([
    ['a program that is not there', 'executors:\n  a: { kind: command, run: [no-such-program] }\n', 'executor a'],
    ['an agent file that is not there', 'executors:\n  a: { kind: script, file: none.yaml }\n', 'executor a'],
    ['a project’s folder that is gone', 'projects:\n  shop: { root: /nowhere/shop }\n', 'project shop'],
    ['a workflow that is not there', `projects:\n  shop: { root: ${process.cwd()}, workflow: nope }\n`, 'project shop'],
    ['a wrong key', 'project: {}\n', 'config'],
  ])('reports %s with a fix, and exits 1', async (_what, config, name) => {
    const dir = newFolder();
    writeFileSync(join(dir, 'config.yaml'), config, { mode: 0o600 });
    const { code, ok, checks } = await examine(dir);
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    const bad = checks.filter(({ state }) => state === 'bad');
    expect(bad.map((one) => one.name)).toContain(name);
    expect(bad.every(({ mend }) => mend !== null && mend !== '')).toBe(true);
  });

  it('resolves an executor’s relative path in the project’s folder', async () => {
    const [dir, root] = [newFolder(), newFolder()];
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    const config = `executors:\n  a: { kind: command, run: [./agent.sh] }\nprojects:\n  shop: { root: ${root} }\n`;
    writeFileSync(join(dir, 'config.yaml'), config, { mode: 0o600 });
    const stateOf = async () => (await examine(dir)).checks.find(({ name }) => name === 'executor a')?.state;
    expect(await stateOf()).toBe('bad');
    writeFileSync(join(root, 'agent.sh'), '#!/bin/sh\n');
    expect(await stateOf()).toBe('bad');
    chmodSync(join(root, 'agent.sh'), 0o755);
    expect(await stateOf()).toBe('ok');
  });

  it('reports a database file that is not a database', async () => {
    const dir = newFolder();
    writeFileSync(join(dir, 'bosun.db'), 'no database at all, but long enough to be looked at'.repeat(100), {
      mode: 0o600,
    });
    const { code, checks } = await examine(dir);
    expect(code).toBe(1);
    expect(checks.find(({ name }) => name === 'database')).toMatchObject({ state: 'bad' });
  });
});

describe('bosun verify', () => {
  it('accepts a valid run', async () => {
    expect(await bosun(['verify'], { home })).toMatchObject({
      code: 0,
      out: 'ok: 1 run, the event chain is intact\n',
    });
    expect(JSON.parse((await bosun(['verify', '--json'], { home })).out)).toEqual({ ok: true, runs: 1, findings: [] });
  });

  it.each([
    [
      'an event that was changed',
      `UPDATE events SET payload = replace(payload, 'owner', 'nobody') WHERE seq = 1`,
      /database: the event chain breaks at event 1/,
    ],
    [
      'events that are missing',
      `DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)`,
      /database: the event chain breaks/,
    ],
    [
      'a run’s status that no event led to',
      `UPDATE runs SET body = json_set(body, '$.status', 'completed')`,
      /r1: the run: status is stored as "completed", but its events give "paused"/,
    ],
    [
      'a node’s state',
      `UPDATE nodes SET body = json_set(body, '$.state', 'passed') WHERE body LIKE '%"review"%'`,
      /r1: US-001 node step-004: state is stored as "passed", but its events give "needs_human"/,
    ],
    ['a node that is gone', `DELETE FROM nodes WHERE body LIKE '%"bdd"%'`, /r1: US-001 node step-001 is not stored/],
    [
      'an item’s status',
      `UPDATE items SET body = json_set(body, '$.status', 'done')`,
      /r1: item US-001: status is stored as "done", but its events give "running"/,
    ],
    [
      'an interaction that was closed',
      `UPDATE interactions SET state = 'answered', body = json_set(body, '$.state', 'answered')`,
      /r1: open interaction i1-1 is not stored/,
    ],
    ['a counter', `UPDATE runs SET body = json_set(body, '$.counters.dispatches', 1)`, /r1: the run: counters is/],
    [
      'an attempt that is gone',
      `DELETE FROM attempts WHERE id LIKE '%step-002%'`,
      /r1: node step-002: 1 dispatches but 0 attempts/,
    ],
    ['a run without its events', `DELETE FROM events`, /r1: no event created it/],
  ])('reports %s, and exits 1', async (_what, sql, says) => {
    const dir = newFolder();
    for (const name of ['config.yaml', 'secret', 'token'])
      writeFileSync(join(dir, name), readFileSync(join(home, name)), { mode: 0o600 });
    copyDatabase(dir);
    const db = openWriter(join(dir, 'bosun.db'), {});
    db.pragma('foreign_keys = OFF');
    db.exec(sql);
    db.close();
    const { code, out } = await bosun(['verify'], { home: dir });
    expect(code).toBe(1);
    expect(out).toMatch(says);
  });
});

function copyDatabase(dir: string): void {
  const db = openWriter(join(home, 'bosun.db'), {});
  db.prepare('VACUUM INTO ?').run(join(dir, 'bosun.db'));
  db.close();
}

describe('the log file', () => {
  it('is rotated by size, at most three files, readable by its owner only', () => {
    const dir = join(newFolder(), 'home');
    const log = openLog(openHome(dir));
    const path = join(dir, 'logs', 'bosun.log');
    for (const round of [1, 2, 3, 4]) {
      log(`round ${round}`);
      appendFileSync(path, ' '.repeat(5 * 1024 * 1024));
    }
    log('last');
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"level":"info","time":"[^"]+","msg":"last"\}\n$/);
    expect(readFileSync(`${path}.1`, 'utf8')).toContain('"round 4"}\n');
    expect(readFileSync(`${path}.2`, 'utf8')).toContain('"round 3"}\n');
    expect(existsSync(`${path}.3`)).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('does not throw if it cannot be written', () => {
    const opened = openHome(join(newFolder(), 'home'));
    mkdirSync(join(opened.dir, 'logs', 'bosun.log'), { recursive: true });
    expect(() => openLog(opened)('hello')).not.toThrow();
  });
});
