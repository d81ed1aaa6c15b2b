// What many tests begin with, made once: the others get its folders back as they were then, at the same paths.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

export function madeOnce<T>(make: () => Promise<T>, foldersOf: (made: T) => readonly string[]): () => Promise<T> {
  const kept = mkdtempSync(join(tmpdir(), 'bosun-kept-'));
  afterAll(() => remove(kept));
  const keptAs = (at: number) => join(kept, String(at));
  let made: T | null = null;
  return async () => {
    if (made === null) {
      made = await make();
      for (const [at, folder] of foldersOf(made).entries()) copy(folder, keptAs(at));
      return made;
    }
    for (const [at, folder] of foldersOf(made).entries()) {
      remove(folder);
      copy(keptAs(at), folder);
      onTestFinished(() => remove(folder));
    }
    return made;
  };
}

function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
