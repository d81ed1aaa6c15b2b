// The chat at a terminal while agents really work: on a virtual screen, and in a pseudo terminal where the machine has
// the means to make one.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { givenChat } from '../bot/channels/terminal/given.js';

beforeEach(() => {
  vi.stubEnv('DEMO_DELAY_MS', '0');
  return () => vi.unstubAllEnvs();
});

it('a story is driven by numbers, replies and requested text on a narrow screen', async () => {
  const columns = 40;
  const { screen, type, enter, app } = await givenChat({ columns, work: true });
  const flat = () => screen.text.replaceAll(/\s+/g, ' ');
  const posted = (words: string) => screen.until(() => flat().includes(words));

  type('continue demo\r');
  await posted('[1] Approve [2] Request changes [3] Reject');
  await enter('2', 'what should change? >');
  await screen.until((text) => text.endsWith('what should change? >'));
  type('\r');
  await posted('Taken back. The card is still open.');
  type('2\r');
  await screen.until((text) => text.endsWith('what should change? >'));
  type('remember empty carts for 2 minutes\r');
  await posted('Changes requested ·');
  await screen.until(() => flat().split('[1] Approve').length === 3);
  type('> lgtm\r');
  await posted('Question · ');
  type('1\r');
  await screen.until((text) => text.endsWith('your answer? >'));
  type('oldest first\r');
  await posted('[1] Start US-002 [2] Finish here');
  await enter('2');
  await posted('demo is done');

  const [run] = app.runtime.store.runs('demo', 1, null);
  expect(run?.status).toBe('completed');
  const steps = screen.lines.filter((line) => line.startsWith('… demo: US-001'));
  expect(steps.length).toBeGreaterThan(8);
  // Drawn over in place: of all the lines that showed what runs, only those above something the person typed remain.
  expect(screen.lines.filter((line) => line.startsWith('▶ ')).length).toBeLessThan(steps.length / 2);
  for (const line of screen.lines.filter((one) => one.startsWith('  ✓'))) expect(line.length).toBeLessThan(columns);
}, 60_000);

const hasPty = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

it.skipIf(!hasPty)(
  'Bosun in a pseudo terminal answers and exits with 0 on "exit"',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'bosun-pty-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
    const bosun = join(import.meta.dirname, '../../bin/bosun');
    // A shell of its own in between, so that quoting is the shell's matter.
    const command = `"${process.execPath}" "${bosun}" up --port 0`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, BOSUN_HOME: home, TERM: 'xterm', NO_COLOR: '1' },
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let seen = '';
    const watchers = new Set<() => void>();
    child.stdout.on('data', (chunk) => {
      seen += String(chunk);
      for (const watch of watchers) watch();
    });
    const until = (words: string) =>
      new Promise<void>((resolve) => {
        const watch = () => {
          if (seen.includes(words)) resolve();
        };
        watchers.add(watch);
        watch();
      });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await until('Try continue demo');
    child.stdin.write('whoami\r');
    await until('You are the owner of this Bosun.');
    child.stdin.write('\u0003');
    await until('Ctrl-C again');
    child.stdin.write('exit\r');
    expect(await ended).toBe(0);
  },
  60_000,
);
