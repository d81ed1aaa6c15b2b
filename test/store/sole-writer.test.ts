// The database has one writing process, also where pids tell nothing: two containers on one folder.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../open-store.js';

const newPath = () => join(mkdtempSync(join(tmpdir(), 'bosun-writer-')), 'bosun.db');

/** Another process that has the database open for writing, until it is killed. */
async function otherWriter(path: string) {
  const folder = fileURLToPath(new URL('../../', import.meta.url));
  const script = join(folder, 'node_modules', '.cache', `writer-${process.pid}.mjs`);
  const source = fileURLToPath(new URL('../../src/store/index.js', import.meta.url)).replace(/\.js$/, '.ts');
  buildSync({
    stdin: {
      contents: `import { openStore } from ${JSON.stringify(source)};
        openStore(process.argv[2], { threads: [] }); console.log('open'); setInterval(() => {}, 1000);`,
      resolveDir: folder,
      loader: 'ts',
    },
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', () => resolve());
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
  return {
    async kill() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

it('rejects a second writing process, allows readers, and frees the lock when the writer is killed', async () => {
  const path = newPath();
  const other = await otherWriter(path);
  expect(() => openStore(path)).toThrow(/Another process writes .*bosun\.db/);
  openStore(path, { readonly: true }).close();
  await other.kill();
  openStore(path).close();
});

it('allows one process to open the store twice, and releases the lock on the last close', () => {
  const path = newPath();
  const [first, second] = [openStore(path), openStore(path)];
  first.close();
  first.close();
  expect(second.liveRuns(null)).toEqual([]);
  second.close();
});
