// Homes, shells and processes for the tests of the command line.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { type Rooms, runCli, type Shell } from '../../src/cli/index.js';
import { cleanUpAfterEachFile } from '../clean-up.js';

const root = join(import.meta.dirname, '../..');
const folders: string[] = [];
const children: ChildProcess[] = [];

cleanUpAfterEachFile(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-cli-'));
  folders.push(folder);
  return folder;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Where {
  readonly home: string;
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** In a process group of its own. */
  readonly detached?: boolean;
}

const noWeb: Rooms = { startWeb: () => Promise.reject(new Error('no web in this test')) };

/** The command line in this process, with streams of its own. */
export async function bosun(
  args: readonly string[],
  { home, cwd = root, input = '', env = {} }: Where,
): Promise<Ended> {
  const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const out = gathered(stdout);
  const err = gathered(stderr);
  const shell: Shell = { env: { ...process.env, BOSUN_HOME: home, ...env }, cwd, stdin, stdout, stderr };
  const code = await runCli(args, noWeb, shell);
  stdout.end();
  stderr.end();
  return { code, out: await out, err: await err };
}

async function gathered(stream: PassThrough): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

let isBuilt: Promise<unknown> | null = null;

export function built(): Promise<unknown> {
  isBuilt ??= promisify(execFile)(process.execPath, [join(root, 'bin/build.mjs')], { cwd: root });
  return isBuilt;
}

export interface Started {
  readonly child: ChildProcess;
  /** Resolves with the line of standard output that matches. */
  line(pattern: RegExp): Promise<string>;
  readonly ended: Promise<Ended>;
}

/** The command line as a process of its own. */
export async function start(
  args: readonly string[],
  { home, cwd = root, env = {}, detached = false }: Where,
): Promise<Started> {
  await built();
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), ...args], {
    cwd,
    env: { ...process.env, BOSUN_HOME: home, DEMO_DELAY_MS: '0', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached,
  });
  children.push(child);
  let [out, err] = ['', ''];
  const looks = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    for (const look of looks) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = out.split('\n').find((one) => pattern.test(one));
        if (found !== undefined) resolve(found);
      };
      looks.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without ${pattern}: ${out}${err}`)));
    });
  return { child, line, ended };
}

/** The one line of an error, without its end. */
export function errorLine({ err }: Ended): string {
  const lines = err.trimEnd().split('\n');
  return lines.length === 1 ? (lines[0] ?? '') : `not one line: ${err}`;
}
