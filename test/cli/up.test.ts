import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import { readLock } from '../../src/config/home/lock.js';
import { openHome } from '../open-home.js';
import { bosun, errorLine, newFolder, type Started, start } from './given.js';

const freshHome = () => join(newFolder(), 'home');

async function up(home: string, env: Readonly<Record<string, string>> = {}): Promise<Started & { port: number }> {
  const started = await start(['up', '--port', '0'], { home, env });
  const ready = await started.line(/^ready /);
  return { ...started, port: Number(/^ready http:\/\/127\.0\.0\.1:(\d+)$/.exec(ready)?.[1]) };
}

function statusCodeOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });
}

describe('bosun up', () => {
  it('takes a free port and says so if another program has the one of config.yaml', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const taken = typeof address === 'object' && address !== null ? address.port : 0;
    const home = freshHome();
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'config.yaml'), `web: { port: ${taken} }\n`, { mode: 0o600 });
    try {
      const { child, line, ended } = await start(['up'], { home });
      const said = await line(/^Port /);
      const ready = await line(/^ready /);
      const [, port] = /^ready http:\/\/127\.0\.0\.1:(\d+)$/.exec(ready) ?? [];
      expect(said).toBe(`Port ${taken} is used by another program, so the page is on ${port} until the next start.`);
      expect(await statusCodeOf(`http://127.0.0.1:${port}/healthz`)).toBe(200);
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    } finally {
      other.close();
    }
  });

  it('creates a demo in an empty home, runs work, and exits 0 on SIGTERM', async () => {
    const home = freshHome();
    const { child, line, ended, port } = await up(home);
    expect(readLock(openHome(home))).toEqual({ pid: child.pid, port, role: 'up' });
    const link =
      /http:\/\/bosun-[0-9a-f]{6}\.localhost:\S+/.exec(
        await line(/^Open in a browser \(one-time login\): http/),
      )?.[0] ?? '';
    expect(await statusCodeOf(`http://127.0.0.1:${port}/healthz`)).toBe(200);
    // Not every resolver knows *.localhost.
    expect(await statusCodeOf(link.replace(/bosun-\w+\.localhost/, '127.0.0.1'))).toBe(200);

    // The end of standard input stops nothing.
    child.stdin?.end();

    const second = await bosun(['up', '--port', '0'], { home });
    expect(second.code).toBe(3);
    expect(errorLine(second)).toContain(`error: busy_home: Bosun is already running in ${home}: pid ${child.pid}`);

    const said = await bosun(['say', 'continue demo', '--wait', '--json'], { home });
    expect(said).toMatchObject({ code: 0, err: '' });
    const last = JSON.parse(said.out.trim().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ kind: 'review', thread: 'local' });
    expect(last.buttons.map((button: { readonly label: string }) => button.label)).toEqual([
      ...['Approve', 'Request changes', 'Reject', 'Show diff', 'Show log'],
    ]);

    const pressed = await bosun(['press', last.buttons[0].press, '--text', '30 seconds', '--wait'], { home });
    expect(pressed.code).toBe(0);
    expect(pressed.out).toMatch(/^\? question: /m);

    const unclear = await bosun(['say', 'what now', '--json'], { home });
    expect(unclear.code).toBe(2);
    const offered = JSON.parse(unclear.out).buttons[0].press;
    expect(offered).toMatch(/^m\d+\.0$/);
    expect((await bosun(['press', offered], { home })).code).not.toBe(1);
    expect((await bosun(['say', 'status', '--as', 'eve'], { home })).code).toBe(3);
    expect((await bosun(['run', 'shop', 'x', '--json'], { home })).out).toMatch(/^\{"error":\{"code":"not_found"/);
    expect((await bosun(['web'], { home })).out).toMatch(/^http:\/\/bosun-[0-9a-f]{6}\.localhost:\d+\/login\?code=/);
    expect(await bosun(['web', '--as', 'mallory'], { home })).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^error: not_allowed: No person is named "mallory"\. config\.yaml lists /),
    });

    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
    expect(readLock(openHome(home))).toBeNull();
    const lines = readFileSync(join(home, 'logs', 'bosun.log'), 'utf8')
      .trimEnd()
      .split('\n');
    const logged = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(logged.at(-1)).toMatchObject({ level: 'info', msg: 'down' });
    expect(logged.map(({ msg }) => msg).join('\n')).toMatch(/up on port \d+, pid \d+\n/);
    const attempts = logged.filter(({ msg }) => msg?.includes(' ended: '));
    expect(attempts.length).toBeGreaterThan(0);
    for (const line of attempts) {
      expect(line).toMatchObject({ project: 'demo', run: 'r1', item: 'US-001', node: expect.any(String) });
      expect(line['attempt']).toMatch(/-r1-US-001-/);
    }
  });

  it('exits at once while an agent works, and the next process resumes', async () => {
    const home = freshHome();
    const first = await up(home, { DEMO_DELAY_MS: '60000' });
    expect((await bosun(['say', 'continue demo'], { home })).code).toBe(0);
    const isRunning = async () =>
      (await bosun(['status', 'demo', '--json'], { home })).out.includes('"state":"running"');
    await expect.poll(isRunning, { timeout: 10_000, interval: 50 }).toBe(true);
    const live = () => bosun(['log', 'r1', 'bdd'], { home });
    await expect
      .poll(async () => (await live()).out, { timeout: 10_000, interval: 50 })
      .toContain('scripted demo agent');
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);

    const second = await up(home);
    const waited = await bosun(['say', 'status demo', '--wait', '--timeout', '15'], { home });
    expect(waited.code).toBe(0);
    expect((await bosun(['verify'], { home })).out).toMatch(/^ok: 1 run/);
    expect((await bosun(['inbox'], { home })).out).toMatch(/\[review\]/);
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(0);
  });

  it('takes over the lock of a killed process', async () => {
    const home = freshHome();
    const first = await up(home);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await up(home);
    expect(readLock(openHome(home))?.pid).toBe(second.child.pid);
  });

  it('reports that its port is taken, releases the lock, and exits 1', async () => {
    const home = freshHome();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const ended = await (await start(['up', '--port', String(port)], { home })).ended;
    other.close();
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(
      new RegExp(`^error: bad_config: .*:${port}: another program uses that port.*--port`),
    );
    expect(readLock(openHome(home))).toBeNull();
  });

  it('runs no agents with --no-worker', async () => {
    const home = freshHome();
    const started = await start(['up', '--port', '0', '--no-worker'], { home });
    await started.line(/^ready /);
    expect((await bosun(['say', 'continue demo', '--wait', '--timeout', '0.3'], { home })).code).toBe(4);
    expect((await bosun(['status', 'demo'], { home })).out).toMatch(/bdd: queued/);
  });

  it('exits 1 within seconds when its database is deleted, and says so', async () => {
    const home = freshHome();
    const { ended } = await up(home);
    const { dbPath } = openHome(home);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${dbPath}${suffix}`);
    const deletedAt = performance.now();
    const { code, err } = await ended;
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^error: bad_database: \S+bosun\.db was deleted while Bosun was running.*backup.*\n$/),
    });
    expect(performance.now() - deletedAt).toBeLessThan(8_000);
    expect(existsSync(dbPath)).toBe(false);
    expect(readLock(openHome(home))).toBeNull();
  });

  it('refuses to start with an invalid configuration', async () => {
    const home = freshHome();
    const { configPath } = openHome(home);
    writeFileSync(configPath, 'projcts: {}\n', { mode: 0o600 });
    const ended = await bosun(['up', '--port', '0'], { home });
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(
      /^error: bad_config: .*config\.yaml:1:1: unknown key "projcts".*did you mean "projects"/,
    );
  });
});

describe('a waiting command', () => {
  it('reports when the running Bosun dies: exit 1', async () => {
    const home = freshHome();
    const { child } = await up(home, { DEMO_DELAY_MS: '60000' });
    const waiting = await start(['say', 'continue demo', '--wait'], { home });
    await waiting.line(/executing US-001 bdd/);
    child.kill('SIGKILL');
    const ended = await waiting.ended;
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(/^error: queue: The connection to the running Bosun .*bosun status/);
  });

  it('that runs the work itself can be interrupted, and releases the home', async () => {
    const home = freshHome();
    await prepareDemo(openHome(home));
    const say = ['run', 'demo', 'US-001 Order history', '--wait'];
    const waiting = await start(say, { home, env: { DEMO_DELAY_MS: '60000' } });
    await waiting.line(/executing US-001 bdd \(attempt 1\)$/);
    waiting.child.kill('SIGINT');
    const ended = await waiting.ended;
    expect(ended.code).toBe(1);
    expect(ended.err).toMatch(/^Interrupted\. The next "(?:\.\/bin\/)?bosun up", or a command with --wait, resumes/);
    expect(readLock(openHome(home))).toBeNull();
  });
});

describe('bosun web without a running Bosun', () => {
  it('prints no login link: exit 3', async () => {
    const ended = await bosun(['web'], { home: freshHome() });
    expect(ended.code).toBe(3);
    expect(errorLine(ended)).toMatch(/^error: not_now: Bosun is not running in .* "bosun up"\.$/);
  });
});

describe('the API of a running Bosun', () => {
  it('rejects a request without a token', async () => {
    const { port } = await up(freshHome());
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/api/requests' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      sent.end('{"do":"say","text":"status"}');
    });
    expect(status).toBe(401);
  });
});
