// Runs a short filter program with timeout and output limit. Kills its group at the end.
import { spawn } from 'node:child_process';
import { signal } from './end-processes.js';

export interface OnceSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export type OnceEnd =
  | { readonly kind: 'done'; readonly out: string }
  | { readonly kind: 'failed'; readonly why: string };

export function runOnce({ argv, cwd, env, input, timeoutMs, maxBytes }: OnceSpec): Promise<OnceEnd> {
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isOver = false;
    const end = (ended: OnceEnd) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (child.pid !== undefined) signal(-child.pid, 'SIGKILL');
      child.stdout.destroy();
      resolve(ended);
    };
    const fail = (why: string) => end({ kind: 'failed', why: `${program} ${why}` });
    const timer = setTimeout(() => fail(`did not answer within ${timeoutMs / 1_000} s`), timeoutMs);
    child.on('error', (error) => fail(`cannot be run: ${error.message}`));
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) fail(`printed more than ${maxBytes} bytes`);
      else chunks.push(chunk);
    });
    child.on('close', (code) => {
      if (code === 0) end({ kind: 'done', out: Buffer.concat(chunks).toString('utf8') });
      else fail(`exited with ${code ?? 'a signal'}`);
    });
    child.stdin.end(input);
  });
}
