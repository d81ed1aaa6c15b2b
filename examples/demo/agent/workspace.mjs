// Files, git and tests of the working directory.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TEST_TIMEOUT_MS = 60_000;
const GIT_TIMEOUT_MS = 20_000;

export function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

/** Whole or not at all: a kill in between leaves the old file. */
export function writeText(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const part = `${file}.part`;
  writeFileSync(part, text);
  renameSync(part, file);
}

/** Writes `{ path: text }` and returns the paths. */
export function writeFiles(workdir, files) {
  for (const [path, text] of Object.entries(files)) writeText(join(workdir, path), text);
  return Object.keys(files);
}

/** Runs the project's tests and counts them. */
export function runTests(workdir) {
  const { NODE_TEST_CONTEXT: _inner, ...env } = process.env;
  const ran = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: workdir,
    env,
    encoding: 'utf8',
    timeout: TEST_TIMEOUT_MS,
    maxBuffer: 16 * 1024 * 1024,
  });
  if (ran.error) throw new Error(`node --test did not run in ${workdir}: ${ran.error.message}`);
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(ran.stdout)?.[1] ?? 0);
  const failing = [...ran.stdout.matchAll(/^\s*not ok \d+ - (.+)$/gm)].map((match) => match[1]);
  const skip = count('skipped') + count('todo');
  return { pass: count('pass'), fail: count('fail') + count('cancelled'), skip, failing, ok: ran.status === 0 };
}

export function countsText(tests) {
  return `${tests.pass} pass, ${tests.fail} fail, ${tests.skip} skipped`;
}

/** Commits these files alone. What cannot be committed now stays in the tree, where Bosun's own commit takes it. */
export function commit(workdir, paths, message) {
  const git = (...args) =>
    spawnSync('git', args, { cwd: workdir, encoding: 'utf8', timeout: GIT_TIMEOUT_MS, input: '' });
  const present = paths.filter((path) => readText(join(workdir, path)) !== '');
  const added = git('add', '--', ...present);
  if (added.status !== 0) return `not committed: ${firstLine(added)}`;
  if (git('diff', '--cached', '--quiet', '--', ...present).status === 0) return 'nothing new to commit';
  const identity = ['-c', 'user.name=Demo agent', '-c', 'user.email=demo-agent@example.invalid'];
  const done = git(...identity, '-c', 'commit.gpgsign=false', 'commit', '-q', '-m', message, '--', ...present);
  return done.status === 0 ? `committed: ${message}` : `not committed: ${firstLine(done)}`;
}

function firstLine(ran) {
  return (ran.error?.message || ran.stderr || ran.stdout || 'git failed').trim().split('\n')[0];
}
