import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

it('the build bundles the commands into fewer than 40 ASCII files that find their assets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dist = join(folder, 'dist');
  execFileSync(process.execPath, [join(root, 'bin/build.mjs'), dist], { stdio: 'pipe' });
  const alone = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.js') && name !== 'main.js' && !/^(together|web.assets)/.test(name),
  );
  expect(alone).toContain(join('engine', 'index.js'));
  for (const name of alone) rmSync(join(dist, name));
  for (const name of ['package.json', 'workflows', 'prompts', 'examples']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const env = { ...process.env, BOSUN_HOME: join(folder, 'home') };
  const bosun = (...args: readonly string[]) =>
    execFileSync(process.execPath, [join(dist, 'main.js'), ...args], { env, encoding: 'utf8', stdio: 'pipe' });
  expect(bosun('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(bosun('status')).toContain('bosun init');
  const together = readdirSync(join(dist, 'together')).filter((name) => name.endsWith('.js'));
  expect(together.length).toBeLessThan(40);
  for (const name of together) expect(readFileSync(join(dist, 'together', name), 'utf8'), name).toMatch(/^[\0-\x7f]*$/);
});
