import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { saveFile, sweepDrafts } from '../../../src/bot/inbound/inbox-folder.js';

const at = new Date(2026, 4, 7, 12).getTime();

function newRoot() {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-inbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['shop', 'elsewhere']) mkdirSync(join(folder, name));
  return { root: join(folder, 'shop'), elsewhere: join(folder, 'elsewhere') };
}

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

const save = (root: string, id: number, text: string) =>
  saveFile({ root, name: 'spec.md', row: { id, at }, bytes: bytesOf(text) });

it('a file fetched again after a crash is saved once', async () => {
  const { root } = newRoot();
  const path = await save(root, 7, '# Spec');
  expect([path, await save(root, 7, '# Spec')]).toEqual([path, path]);
  expect(path).toBe('.ai/inbox/2026-05-07-7-spec.md');
  expect(readdirSync(join(root, '.ai/inbox'))).toEqual(['2026-05-07-7-spec.md']);
});

it('saving a file never overwrites another one of the same name', async () => {
  const { root } = newRoot();
  const first = await save(root, 7, '# Spec');
  writeFileSync(join(root, first), '# Edited');
  expect([await save(root, 7, '# Spec'), await save(root, 8, '# Spec')]).toEqual([
    '.ai/inbox/2026-05-07-7-spec-2.md',
    '.ai/inbox/2026-05-07-8-spec.md',
  ]);
});

it('files saved concurrently under one name are all kept', async () => {
  const { root } = newRoot();
  const saved = await Promise.all(Array.from({ length: 8 }, (_, at) => save(root, 7, `# Spec ${at}`)));
  expect(new Set(saved).size).toBe(8);
  const kept = saved.map((path) => readFileSync(join(root, path), 'utf8'));
  expect(kept).toEqual(Array.from({ length: 8 }, (_, at) => `# Spec ${at}`));
  expect(readdirSync(join(root, '.ai/inbox'))).toHaveLength(8);
});

it.each([
  ['.ai leads out of the project', '.ai'],
  ['.ai/inbox leads out of the project', '.ai/inbox'],
])('nothing is written where %s', async (_what, link) => {
  const { root, elsewhere } = newRoot();
  if (link !== '.ai') mkdirSync(join(root, '.ai'));
  symlinkSync(elsewhere, join(root, link));
  await expect(save(root, 7, 'x')).rejects.toThrow('leads out of it');
  await sweepDrafts([root]);
  expect(readdirSync(elsewhere)).toEqual([]);
});

it('saving follows a symlink inside the project but not a dangling one', async () => {
  const [dangling, inside] = [newRoot(), newRoot()];
  symlinkSync(join(dangling.elsewhere, 'new'), join(dangling.root, '.ai'));
  await expect(save(dangling.root, 7, 'x')).rejects.toThrow();
  expect(existsSync(join(dangling.elsewhere, 'new'))).toBe(false);
  mkdirSync(join(inside.root, 'docs'));
  symlinkSync('docs', join(inside.root, '.ai'));
  await save(inside.root, 7, 'x');
  expect(readdirSync(join(inside.root, 'docs/inbox'))).toHaveLength(1);
});

it('the sweep removes stale drafts and keeps those of a live process', async () => {
  const { root } = newRoot();
  await save(root, 7, 'x');
  const inbox = join(root, '.ai/inbox');
  const gone = execFileSync(process.execPath, ['-p', 'process.pid']).toString().trim();
  const names = { gone: `.draft-${gone}-a`, own: `.draft-${process.pid}-a`, live: `.draft-${process.ppid}-a` };
  const old = `.draft-${process.ppid}-b`;
  for (const name of [...Object.values(names), old]) writeFileSync(join(inbox, name), 'half');
  utimesSync(join(inbox, old), 1, 1);
  await sweepDrafts(['/nowhere', root]);
  expect(readdirSync(inbox).sort()).toEqual([names.live, '2026-05-07-7-spec.md'].sort());
});
