// The same through real processes: what a script sees of a run, two shells at once, and a Bosun that is killed.
import { join } from 'node:path';
import { expect } from 'vitest';
import { newFolder, type Started, start } from '../cli/given.js';
import { type Bosun, givenBosun, test, until } from './bosun.js';
import { statusSchema } from './status-schema.js';

const short = { shop: { workflow: 'stories', aliases: ['A'] } };

/** Leaves the home to processes. */
async function leftAlone(bosun: Bosun): Promise<(...args: readonly string[]) => Promise<Started>> {
  await bosun.close();
  return (...args) => start(args, { home: join(bosun.folder, 'home'), cwd: newFolder() });
}

async function ended(started: Promise<Started>) {
  return (await started).ended;
}

test('a script can start, watch, answer and finish a run by exit codes and JSON alone', async () => {
  const bosun = await givenBosun({ projects: short, plan: { build: { files: { 'a.txt': 'a\n' } } } });
  const shell = await leftAlone(bosun);
  const status = async () => {
    const { out } = await ended(shell('status', 'A', '--json'));
    return statusSchema.parse(JSON.parse(out));
  };
  expect(await status()).toMatchObject({ project: 'shop', health: 'idle', run: null });
  const started = await ended(shell('run', 'shop', 'US-001 a thing', '--wait', '--json'));
  expect(started.out).not.toContain('error');
  expect(started.code).toBe(0);
  const lines = started.out
    .trim()
    .split('\n')
    .map((line): { kind: string; edits: string | null } => JSON.parse(line));
  expect(lines.map((line) => line.kind)).toContain('progress');
  expect(lines.at(-1)).toMatchObject({ kind: 'review', edits: null });
  const waiting = await status();
  expect(waiting).toMatchObject({ health: 'waiting', run: { status: 'paused', pause_reason: 'decision' } });
  const { press } = waiting.interactions[0]?.options[0] ?? { press: '' };
  expect((await ended(shell('press', press, '--wait'))).code).toBe(0);
  expect(await status()).toMatchObject({ health: 'idle', run: { status: 'completed' } });
  expect(bosun.commits()).toEqual(['US-001: a thing']);
  expect((await ended(shell('press', press, '--wait'))).code).toBe(3);
  expect(await ended(shell('say', 'make it so'))).toMatchObject({ code: 2 });
  expect((await ended(shell('say', 'status shop', '--as', 'nobody'))).code).toBe(3);
  const stories = await ended(shell('stories', 'r1'));
  expect(stories.out.trim()).toBe('US-001  [done]  a thing');
  expect((await ended(shell('verify'))).code).toBe(0);
});

test('two simultaneous "continue" commands dispatch once', async () => {
  const bosun = await givenBosun({ projects: short });
  await bosun.import('shop', [{ id: 'US-001', title: 'One' }]);
  const shell = await leftAlone(bosun);
  const both = await Promise.all([
    ended(shell('say', 'continue A', '--wait')),
    ended(shell('say', 'continue A', '--wait')),
  ]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(bosun.calls('build')).toHaveLength(1);
});

test('a wait that times out exits with 4, and the next waiting command takes up the work', async () => {
  const bosun = await givenBosun({ projects: short, plan: { build: { until: 'released' } } });
  const shell = await leftAlone(bosun);
  const late = await ended(shell('run', 'shop', 'US-001 a thing', '--wait', '--timeout', '2'));
  expect(late.code).toBe(4);
  // On a busy machine two seconds may end before the first agent has started.
  const started = bosun.calls('build').length;
  bosun.openGate('released');
  const next = await ended(shell('say', 'continue shop', '--wait'));
  expect(next.code).toBe(0);
  expect(bosun.calls('build')).toHaveLength(started + 1);
  expect(next.out).toContain('Review · ');
});

test('a killed Bosun leaves no process running, and the next one finishes the work', async () => {
  const bosun = await givenBosun({ projects: short, plan: { build: [{ until: 'never' }, {}] } });
  const shell = await leftAlone(bosun);
  const up = await shell('up', '--port', '0');
  await up.line(/^ready /);
  await ended(shell('run', 'shop', 'US-001 a thing'));
  const { pid } = await bosun.called('build');
  up.child.kill('SIGKILL');
  await up.ended;
  await until('the first agent is gone', () => !isAlive(pid));
  const again = await ended(shell('say', 'continue shop', '--wait'));
  expect(again.code).toBe(0);
  expect(bosun.calls('build')).toHaveLength(2);
  await bosun.open();
  expect(bosun.asked()).toMatchObject({ kind: 'review', item: 'US-001' });
  const outcomes = bosun.app.runtime.store.attempts('r1', bosun.node('build').id).map(({ attempt }) => attempt.outcome);
  expect(outcomes).toEqual(['crashed', 'pass']);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
