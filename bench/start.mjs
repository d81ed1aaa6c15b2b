// From "continue" to the executor's first instruction: decision, commit, queue, checkpoint and spawn together.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codingAgents } from '../dist/agents/index.js';
import { perform } from '../dist/bot/index.js';
import { openApp } from '../dist/cli/app.js';
import { openOwnHome } from '../dist/cli/command-context.js';
import { median, openBareCommit } from './commits.mjs';
import { ratio } from './tools/figures.mjs';

const flow =
  'workflow: one\npolicy: { after_story: start }\nchain:\n  - { id: work, prompt: "do it", max_attempts: 1 }\n';

export async function measureStart(rounds = 15) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const root = join(folder, 'project');
  const stamp = join(folder, 'stamp');
  execFileSync('git', ['init', '-q', root]);
  writeFileSync(join(folder, 'flow.yaml'), flow);
  writeFileSync(join(folder, 'agent.sh'), `#!/bin/sh\ndate +%s%N > ${stamp}\necho done\n`, { mode: 0o755 });
  execFileSync('git', [
    '-C',
    root,
    '-c',
    'user.name=b',
    '-c',
    'user.email=b@localhost',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'init',
  ]);
  const dir = join(folder, 'home');
  const home = openOwnHome(dir, codingAgents);
  writeFileSync(
    home.configPath,
    `executors: { a: { kind: command, run: ["${join(folder, 'agent.sh')}"] } }\nprojects: { p: { root: "${root}", workflow: "${join(folder, 'flow.yaml')}" } }\n`,
    { mode: 0o600 },
  );
  const app = await openApp({ home, work: true });
  const bare = openBareCommit(join(folder, 'bare.db'));
  const taken = [];
  const least = [];
  for (let round = 0; round < rounds; round++) {
    await perform(app, request('p: work'));
    const said = Date.now();
    await perform(app, request('continue p'));
    await app.runtime.whenAtRest('p', 30_000);
    taken.push(Number(readFileSync(stamp, 'utf8')) / 1e6 - said);
    const begun = Date.now();
    bare.commit();
    await once(spawn(join(folder, 'agent.sh'), { cwd: root, stdio: 'ignore' }), 'exit');
    least.push(Number(readFileSync(stamp, 'utf8')) / 1e6 - begun);
  }
  bare.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    title: 'From "continue" to the executor',
    rows: [
      rowOf('one commit and one bare spawn', least, least),
      rowOf('a new run: inbox, checks of the checkout, checkpoint, spawn', taken, least),
    ],
  };
}

function rowOf(what, taken, least) {
  return {
    what,
    'median ms': median(taken).toFixed(0),
    'worst ms': Math.max(...taken).toFixed(0),
    ratio: ratio(taken, least).toFixed(1),
  };
}

function request(text) {
  return { do: 'say', text, replyTo: null, thread: 'bench', as: null, cwd: '/' };
}
