import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import type { State } from '../../src/engine/index.js';
import { openStore } from '../open-store.js';
import { aWalk, stepped, tempFolder } from './given.js';

const root = join(import.meta.dirname, '../..');

/** Starts the writer and kills it as soon as it has said that many commits; gives the last one that it said. */
async function killedAfter(script: string, path: string, commits: number): Promise<number> {
  const child = spawn(process.execPath, [script, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
  });
  const exited = once(child, 'exit');
  child.stdin.on('error', () => undefined); // It was killed.
  let said = 0;
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    said = Number(line);
    lines += 1;
    child.stdin.write('.');
    if (lines === commits) child.kill('SIGKILL');
  }
  await exited;
  expect(child.signalCode).toBe('SIGKILL');
  return said;
}

function after(steps: number, first: State): State {
  let state = first;
  for (let at = 0; at < steps; at += 1) state = stepped(state);
  return state;
}

test('a writer killed with SIGKILL leaves only whole commits, and none that it reported is missing', async () => {
  const folder = tempFolder();
  const script = join(folder, 'writer.cjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'fixtures/writer.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['better-sqlite3'],
    outfile: script,
  });
  const path = join(folder, 'bosun.db');
  for (const commits of [1, 7, 40, 203]) {
    const said = await killedAfter(script, path, commits);
    const store = openStore(path);
    onTestFinished(() => store.close());
    expect(store.auditBreak()).toBeNull();
    const steps = store.events('r1', 0, 10_000).length;
    expect(steps).toBeGreaterThanOrEqual(said);
    for (const number of [1, 2, 3]) {
      const { run, chain } = after(steps, aWalk(number, 5));
      expect(store.events(run.id, 0, 10_000).at(-1)?.event.at).toBe(steps);
      expect(store.run(run.id)).toEqual(run);
      expect(store.chain(run.id, '')).toEqual(chain);
    }
    store.close();
  }
}, 120_000);
