import { execFileSync, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** A named pipe, as an agent may leave it in place of a file. A read that blocks gets the text, so no test hangs. */
export function leavePipe(path: string, text: string): void {
  execFileSync('mkfifo', [path]);
  const writer = spawn('sh', ['-c', 'printf %s "$1" > "$0"', path, text], { stdio: 'ignore' });
  onTestFinished(() => void writer.kill('SIGKILL'));
}
