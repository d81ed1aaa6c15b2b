import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { broken, doubtful, type Finding, fine } from '../../bot/index.js';
import type { CommandContext } from '../command-context.js';

const gitTimeoutMs = 10_000;
const leastGit = [2, 28] as const;
const leastNode = [20, 19] as const;
/** Wall against monotonic clock, since the start. */
const maxDriftMs = 2_000;

export async function checkMachine(_cli: CommandContext): Promise<readonly Finding[]> {
  return [nodeVersion(), await gitVersion(), shell(), clocks()];
}

function nodeVersion(): Finding {
  const { node } = process.versions;
  if (isAtLeast(node, leastNode)) return fine('node', node);
  return broken('node', `${node} is too old`, `Install Node ${leastNode.join('.')} or newer.`);
}

async function gitVersion(): Promise<Finding> {
  const wanted = leastGit.join('.');
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: gitTimeoutMs });
    const version = /\d+\.\d+[\w.]*/.exec(stdout)?.[0] ?? '';
    if (isAtLeast(version, leastGit)) return fine('git', version);
    return broken('git', `"${stdout.trim()}" is older than the required ${wanted}`, `Install git ${wanted} or newer.`);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return broken('git', `cannot run git: ${why}`, `Install git ${wanted} or newer.`);
  }
}

/** Lint, check and tests need it. */
function shell(): Finding {
  if (process.platform === 'win32' || existsSync('/bin/sh')) return fine('shell', '/bin/sh');
  return broken('shell', '/bin/sh does not exist', 'Install a shell: lint, check and tests are shell commands.');
}

function clocks(): Finding {
  const drift = Math.abs(performance.timeOrigin + performance.now() - Date.now());
  if (drift <= maxDriftMs) return fine('clock drift', 'the wall clock and the monotonic clock agree');
  return doubtful(
    'clock drift',
    `the wall clock just jumped by ${Math.round(drift / 1000)} s`,
    'Run a time service such as NTP.',
  );
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}
