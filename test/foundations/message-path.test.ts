// ARCHITECTURE.md traces one message file by file; the files that really run for it are measured.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

/** The files that ARCHITECTURE.md names between the heading of the trace and the next heading. */
function namedFiles(): string[] {
  const [, after = ''] = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8').split(
    '\n## One message, file by file\n',
  );
  const [section = ''] = after.split('\n## ');
  return [...section.matchAll(/`([a-z]+\/[\w/-]+\.ts)`/g)].map(([, file = '']) => file);
}

it('the files that ARCHITECTURE.md names for one message run for that message', { timeout: 120_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/message-path.mjs'], { cwd: root });
  const ran = new Set(stdout.split('\n'));
  expect(namedFiles().length).toBeGreaterThan(30);
  expect(namedFiles().filter((file) => !ran.has(file))).toEqual([]);
});
