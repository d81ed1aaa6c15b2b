// What Bosun's work on a big checkout costs, beside the git commands that a person would give for the same.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkpoint,
  commitAll,
  diffSince,
  mergeWorktree,
  openWorktree,
  rollback,
  useGitStarter,
} from '../dist/workspace/index.js';
import { median } from './commits.mjs';
import { ratio } from './tools/figures.mjs';

const filesOfFolder = 100;
const changed = 50;

/** The last round counts git's processes. */
export async function measureGit({ isFull = false } = {}, rounds = 5) {
  const tables = [await measureCheckout(20_000, rounds)];
  if (isFull) tables.push(await measureCheckout(100_000, rounds));
  return tables;
}

async function measureCheckout(files, rounds) {
  const fileName = (n) => join(`folder-${n % (files / filesOfFolder)}`, `file-${n % files}.txt`);
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const root = join(folder, 'project');
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { stdio: 'pipe', encoding: 'utf8' }).trim();
  makeRepository(root, git, files, fileName);
  useGitStarter();
  const rows = [];
  const measure = async (what, how, bare, bosun) => {
    const [ofBare, ofBosun] = [[], []];
    for (let round = 0; round < rounds; round++) {
      ofBare.push(await timed(round, bare));
      ofBosun.push(await timed(round, bosun));
    }
    rows.push({
      what,
      'by hand': how,
      'git processes': `${await counted(rounds, bare, folder)} · ${await counted(rounds, bosun, folder)}`,
      'by hand, ms': median(ofBare).toFixed(0),
      'Bosun, ms': median(ofBosun).toFixed(0),
      ratio: ratio(ofBosun, ofBare).toFixed(1),
    });
  };
  const change = (at, mark) => {
    for (let n = 0; n < changed; n++) writeFileSync(join(at, fileName(n * 37)), `changed ${mark} ${n}\n`);
    writeFileSync(join(at, 'new.txt'), `new ${mark}\n`);
  };
  const clean = () => git('reset', '-q', '--hard') + git('clean', '-q', '-f', '-d');
  const nothing = () => undefined;

  await measure(
    'checkpoint, nothing changed',
    '`git status`',
    { before: nothing, act: () => git('status', '--porcelain') },
    { before: nothing, act: () => checkpoint(root) },
  );
  await measure(
    `checkpoint, ${changed} files changed`,
    '`git add -A`, `git write-tree`',
    {
      before: (round) => change(root, `a${round}`),
      act: () => git('add', '-A') + git('write-tree'),
      after: clean,
    },
    { before: (round) => change(root, `b${round}`), act: () => checkpoint(root), after: clean },
  );
  let point = await checkpoint(root);
  await measure(
    `difference since a checkpoint, ${changed} files changed`,
    '`git add -A`, `git diff --cached --numstat`',
    {
      before: (round) => change(root, `c${round}`),
      act: () => git('add', '-A') + git('diff', '--cached', '--numstat'),
      after: clean,
    },
    { before: (round) => change(root, `d${round}`), act: () => diffSince(root, point), after: clean },
  );
  await measure(
    `rollback of ${changed} files, kept as a diff`,
    '`git add -A`, `git diff --cached`, `git reset --hard`',
    {
      before: (round) => change(root, `e${round}`),
      act: () => git('add', '-A') + git('diff', '--cached', '--binary') + git('reset', '-q', '--hard'),
    },
    {
      before: async (round) => {
        point = await checkpoint(root);
        change(root, `f${round}`);
      },
      act: (round) => done('done', rollback(root, point, { saveTo: join(folder, `back-${round}.diff`) })),
    },
  );
  await measure(
    `commit of ${changed} files`,
    '`git add -A`, `git commit`',
    { before: (round) => change(root, `g${round}`), act: () => git('add', '-A') + git('commit', '-q', '-m', 'work') },
    { before: (round) => change(root, `h${round}`), act: () => done('committed', commitAll(root, 'work')) },
  );
  const place = (round) => ({ root, path: join(folder, `tree-${round}`), branch: `story-${round}` });
  await measure(
    'open a worktree',
    '`git worktree add`',
    {
      before: nothing,
      act: (round) => git('worktree', 'add', '-q', '-b', `hand-${round}`, join(folder, `hand-${round}`)),
    },
    { before: nothing, act: (round) => done('opened', openWorktree(place(round))) },
  );
  await measure(
    'merge a story onto a base that has moved, worktree removed',
    '`commit`, `rebase`, `merge --squash`, `commit`, `worktree remove`, `branch -D`',
    {
      before: (round) => {
        writeFileSync(join(root, 'moved.txt'), `hand ${round}\n`);
        git('add', '-A');
        git('commit', '-q', '-m', 'moved');
        change(join(folder, `hand-${round}`), `hand ${round}`);
      },
      act: (round) => mergeByHand(git, join(folder, `hand-${round}`), `hand-${round}`),
    },
    {
      before: (round) => {
        writeFileSync(join(root, 'moved.txt'), `story ${round}\n`);
        git('add', '-A');
        git('commit', '-q', '-m', 'moved');
        writeFileSync(join(folder, `tree-${round}`, `of story ${round}.txt`), 'x\n');
        for (let n = 0; n < changed; n++) {
          writeFileSync(join(folder, `tree-${round}`, fileName(10_000 + round * 100 + n)), `story ${round} ${n}\n`);
        }
      },
      act: (round) =>
        done('merged', mergeWorktree({ ...place(round), message: 'story', trailer: `Bosun: bench ${round}` })),
    },
  );
  rmSync(folder, { recursive: true, force: true });
  return { title: `Work on a checkout of ${files.toLocaleString('en')} files`, rows };
}

async function timed(round, { before, act, after }) {
  await before(round);
  const begun = performance.now();
  await act(round);
  const ms = performance.now() - begun;
  await after?.(round);
  return ms;
}

/** Git's own children included. */
async function counted(round, { before, act, after }, folder) {
  await before(round);
  const traces = mkdtempSync(join(folder, 'traces-'));
  const config = `${traces}.config`;
  writeFileSync(config, `[trace2]\n\teventTarget = ${traces}\n`);
  const earlier = process.env.GIT_CONFIG_GLOBAL;
  process.env.GIT_CONFIG_GLOBAL = config;
  await act(round);
  if (earlier === undefined) delete process.env.GIT_CONFIG_GLOBAL;
  else process.env.GIT_CONFIG_GLOBAL = earlier;
  await after?.(round);
  return readdirSync(traces).length;
}

async function done(kind, result) {
  const found = await result;
  if (found.kind !== kind) throw new Error(`not ${kind}: ${JSON.stringify(found)}`);
}

function mergeByHand(git, path, branch) {
  git('-C', path, 'add', '-A');
  git('-C', path, 'commit', '-q', '-m', 'work');
  git('-C', path, 'rebase', '-q', '-X', 'theirs', 'main');
  git('merge', '-q', '--squash', branch);
  git('commit', '-q', '-m', 'story');
  git('worktree', 'remove', path);
  git('branch', '-q', '-D', branch);
}

function makeRepository(root, git, files, fileName) {
  for (let n = 0; n < files / filesOfFolder; n++) mkdirSync(join(root, `folder-${n}`), { recursive: true });
  for (let n = 0; n < files; n++) writeFileSync(join(root, fileName(n)), `file ${n}\n`.repeat(40));
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'b');
  git('config', 'user.email', 'b@localhost');
  // Packed once, and not again in the background.
  git('config', 'gc.auto', '0');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  git('gc', '-q');
}
