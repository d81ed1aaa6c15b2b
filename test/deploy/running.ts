// Programs of a container, started here as its entrypoint starts them.
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { built } from '../cli/given.js';
import { root } from './given.js';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  line(pattern: RegExp): Promise<string>;
  readonly ended: Promise<Ran>;
}

const children: ChildProcess[] = [];
const lineWithinMs = 30_000;

export function endAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** A program, or a file of the checkout; of the environment it gets only what is named. */
export async function run(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Running> {
  await built();
  const { PATH = '' } = process.env;
  const child = spawn(resolve(root, file), args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let [out, err] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    child.emit('printed');
  });
  const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const fail = () => reject(new Error(`no ${pattern} in: ${out}${err}`));
      const timer = setTimeout(fail, lineWithinMs);
      const look = () => {
        const found = out.split('\n').find((one) => pattern.test(one));
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(found);
      };
      child.on('printed', look);
      look();
      void ended.then(fail);
    });
  return { child, line, ended };
}
