import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeFolder } from '../../src/config/index.js';
import { attemptToken, isTokenOf } from '../../src/jobs/attempt-token.js';
import { openHome } from '../open-home.js';
import { failureOf, newFolder, newHome } from './given.js';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('the home folder', () => {
  it('is created with a private mode, a secret and a token, and nothing else', () => {
    const home = newHome();
    expect(readdirSync(home.dir).sort()).toEqual(['secret', 'token']);
    expect([home.dir, home.tokenPath, join(home.dir, 'secret')].map(modeOf)).toEqual(['700', '600', '600']);
    expect(home.warnings).toEqual([]);
    expect(home.homeId).toMatch(/^h[0-9a-f]{8}$/);
    expect(home.secret).toMatch(/^[0-9a-f]{64}$/);
    expect(home.apiToken).not.toBe(home.secret);
  });

  it('stays the same when it is opened again', () => {
    const first = newHome();
    expect(openHome(first.dir)).toEqual(first);
  });

  it('gets private subfolders on demand', () => {
    const home = newHome();
    expect(modeOf(homeFolder(home, 'worktrees'))).toBe('700');
    expect(homeFolder(home, 'worktrees')).toBe(join(home.dir, 'worktrees'));
  });

  it('is taken from BOSUN_HOME by default', () => {
    const before = process.env['BOSUN_HOME'];
    const folder = newFolder();
    process.env['BOSUN_HOME'] = join(folder, 'elsewhere');
    try {
      expect(openHome().dir).toBe(join(folder, 'elsewhere'));
    } finally {
      if (before === undefined) delete process.env['BOSUN_HOME'];
      else process.env['BOSUN_HOME'] = before;
    }
  });

  it('loses modes that let others read it, with a warning', () => {
    const home = newHome('web: { port: 1 }\n');
    for (const [path, mode] of [
      [home.tokenPath, 0o644],
      [home.configPath, 0o640],
      [home.dir, 0o755],
    ] as const) {
      chmodSync(path, mode);
    }
    const { warnings } = openHome(home.dir);
    expect([home.dir, home.tokenPath, home.configPath].map(modeOf)).toEqual(['700', '600', '600']);
    expect(warnings).toEqual([
      `other users could read ${home.dir} (mode 0755); changed its mode to 0700`,
      `other users could read ${home.tokenPath} (mode 0644); changed its mode to 0600`,
      `other users could read ${home.configPath} (mode 0640); changed its mode to 0600`,
    ]);
  });

  it('keeps its mode when it holds other files, with a warning', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'thesis.txt'), '');
    chmodSync(folder, 0o755);
    expect(openHome(folder).warnings).toEqual([
      `Other users can read ${folder}, and it contains other files: give Bosun a folder of its own`,
    ]);
    expect(modeOf(folder)).toBe('755');
  });

  it('behind a symlink is restricted, not the link', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'real'), { mode: 0o755 });
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    expect(openHome(join(folder, 'link')).warnings).toHaveLength(1);
    expect(openHome(join(folder, 'link')).warnings).toEqual([]);
  });

  it('is refused when its path cannot be a folder, with a remedy', () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')]) {
      const failure = failureOf(() => openHome(path));
      expect(failure).toMatchObject({ code: 'bad_config', hint: expect.stringContaining('BOSUN_HOME') });
      expect(failure.message).toContain(path);
    }
  });

  it.runIf(process.platform === 'linux')('is refused where nothing can be written', () => {
    const failure = failureOf(() => openHome('/proc/bosun'));
    expect(failure).toMatchObject({ code: 'disk', hint: expect.stringContaining('--home') });
    expect(failure.message).toContain('/proc/bosun');
  });

  it('is refused with a corrupt secret, which is not shown', () => {
    const home = newHome();
    writeFileSync(join(home.dir, 'secret'), 'letmein');
    const failure = failureOf(() => openHome(home.dir));
    expect(failure.code).toBe('bad_config');
    expect(`${failure.message} ${failure.hint}`).not.toContain('letmein');
    expect(readFileSync(join(home.dir, 'secret'), 'utf8')).toBe('letmein');
  });
});

describe('an attempt’s token', () => {
  const [secret, other] = ['a'.repeat(64), 'b'.repeat(64)];
  const token = attemptToken(secret, 'h1.r1.impl.1');

  it('depends only on the secret and the attempt', () => {
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(attemptToken(secret, 'h1.r1.impl.1')).toBe(token);
    expect(new Set([token, attemptToken(secret, 'h1.r1.impl.2'), attemptToken(other, 'h1.r1.impl.1')]).size).toBe(3);
  });

  it('is verified, and every other string is rejected', () => {
    expect(isTokenOf(secret, 'h1.r1.impl.1', token)).toBe(true);
    for (const wrong of ['', token.slice(1), `${token}0`, token.toUpperCase(), attemptToken(other, 'h1.r1.impl.1')]) {
      expect(isTokenOf(secret, 'h1.r1.impl.1', wrong)).toBe(false);
    }
  });
});
