// A home in which much has happened: ten thousand runs, one of them with 600 nodes and 50,000 events.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadWorkflow } from '../dist/engine/index.js';
import { emptyBatch, openWorld } from './world.mjs';

const many = { runs: 10_000, items: 100, events: 50_000 };
const steps = ['context', 'plan', 'code', 'lint', 'test', 'verify'];
const body = steps.map((id) => `      - { id: ${id}, prompt: "do it" }`).join('\n');
const text = `workflow: stories\nlimits: { dispatches: 100000 }\nchain:\n  - id: each\n    kind: loop\n    over: stories\n    body:\n${body}\n`;

export async function largeHome() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-bench-')));
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), configFor(projectIn(folder)), { mode: 0o600 });
  const world = openWorld(join(home, 'bosun.db'));
  const run = await world.create(1, 'shop', { flow: storyFlow(), items: items() });
  await world.finish(run);
  addRuns(world.store, run);
  addEvents(world.store, run);
  addMessages(world.store);
  world.close();
  return { folder, home, ...many };
}

function storyFlow() {
  const loaded = loadWorkflow({ file: 'stories.yaml', text }, () => null);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.workflow;
}

function items() {
  return Array.from({ length: many.items }, (_, n) => {
    const key = `US-${String(n + 1).padStart(3, '0')}`;
    const criteria = ['it is listed', 'it is found again', 'it is fast'];
    return { key, title: `Story ${n + 1}`, description: 'What it is for. '.repeat(10), criteria, dependsOn: [] };
  });
}

function addRuns(store, model) {
  const { run, workflow: _, ...spine } = store.spine(model);
  const chain = { ...store.chain(model, ''), nodes: [] };
  const states = Array.from({ length: many.runs }, (_, n) => {
    const id = `r${n + 2}`;
    const task = `Task ${n + 2}: ${'what is to be done, told at some length. '.repeat(5)}`;
    const after = { ...spine, run: { ...run, id, number: n + 2, task, ops: [], live: [] }, items: [], chain };
    return { before: null, after: { ...after, interactions: [] } };
  });
  store.commit({ ...emptyBatch, states });
}

function addEvents(store, run) {
  const said = (n) => ({ type: 'pause', run, chain: '', at: 2_000 + n, by: n % 3 === 0 ? 'ada' : 'bob' });
  const left = many.events - store.browsing.countEvents(run);
  for (let from = 0; from < left; from += 5_000) {
    const events = Array.from({ length: Math.min(5_000, left - from) }, (_, n) => said(from + n));
    store.commit({ ...emptyBatch, events });
  }
}

function addMessages(store) {
  const view = { kind: 'report', text: 'Said long ago.', buttons: [], offers: [], rings: false, file: null };
  const message = { thread: 'local', run: null, interaction: null, card: null, view, at: 1_000 };
  store.commit({ ...emptyBatch, messages: Array.from({ length: 5_000 }, () => message) });
}

function projectIn(folder) {
  const root = join(folder, 'shop');
  mkdirSync(root);
  writeFileSync(join(root, 'README.md'), 'A shop.\n');
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  return root;
}

function configFor(root) {
  return JSON.stringify({
    executors: { agent: { kind: 'command', run: ['true'] } },
    projects: { shop: { root, aliases: ['A'], workflow: 'quick' } },
  });
}
