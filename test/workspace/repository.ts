// A real repository in a temporary folder whose name has spaces and letters beyond ASCII.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { commitFirst } from '../first-commit.js';

export interface Repository {
  readonly root: string;
  git(...args: string[]): string;
  write(path: string, content: string | Uint8Array): void;
  read(path: string): string;
  has(path: string): boolean;
  remove(path: string): void;
  status(): string;
}

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bosun ws é '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}

export function makeRepository(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }): Repository {
  const repository = openRepository(join(makeFolder(), 'shop ü'));
  mkdirSync(repository.root);
  for (const [path, content] of Object.entries(files)) repository.write(path, content);
  commitFirst(repository.root);
  return repository;
}

export function openRepository(root: string): Repository {
  return {
    root,
    git: (...args) =>
      execFileSync('git', ['-C', root, '-c', 'core.quotepath=off', ...args], {
        encoding: 'utf8',
        stdio: 'pipe',
      }).trimEnd(),
    write: (path, content) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    has: (path) => existsSync(join(root, path)),
    remove: (path) => rmSync(join(root, path), { recursive: true }),
    status() {
      return this.git('status', '--porcelain', '--untracked-files=all');
    },
  };
}

/** The clone `repository` pushes to, as its remote `origin`. */
export function addRemote(repository: Repository): void {
  const remote = join(makeFolder(), 'remote.git');
  repository.git('init', '-q', '--bare', remote);
  repository.git('remote', 'add', 'origin', remote);
  repository.git('push', '-q', 'origin', 'main');
}

/** Runs `act` as if the person had told git no name. */
export async function withoutIdentity(act: () => Promise<void>): Promise<void> {
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL'];
  const kept = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  try {
    await act();
  } finally {
    for (const [name, value] of kept) if (value !== undefined) process.env[name] = value;
  }
}
