import { execFileSync } from 'node:child_process';

/**
 * Makes a folder a repository with all that is in it as the first commit. One shell starts git three times: to start a
 * process takes a big one, as a test's is, longer than a small one.
 */
export function commitFirst(root: string): void {
  execFileSync('sh', ['-c', 'git init -q -b main && git add -A && git commit -q -m start'], {
    cwd: root,
    stdio: 'pipe',
  });
}
