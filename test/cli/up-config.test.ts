import { chmodSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from '../open-home.js';
import { bosun, newFolder, start } from './given.js';

const soon = { timeout: 15_000, interval: 50 };

function isHealthy(port: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`http://127.0.0.1:${port}/healthz`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).once('error', () => resolve(false));
  });
}

describe('a running Bosun', () => {
  it('keeps its configuration while config.yaml is broken, says so, and loads the fixed file', async () => {
    const home = openHome(join(newFolder(), 'home'));
    const { configPath } = home;
    const { child, line, ended } = await start(['up', '--port', '0'], { home: home.dir });
    const [, port = ''] = /:(\d+)$/.exec(await line(/^ready /)) ?? [];
    const good = readFileSync(configPath, 'utf8');
    const logged = () => readFileSync(join(home.dir, 'logs', 'bosun.log'), 'utf8');
    const timesSaid = (words: RegExp) => logged().match(new RegExp(words.source, 'g'))?.length ?? 0;
    const answers = async () => {
      expect(child.exitCode).toBeNull();
      expect(await isHealthy(port)).toBe(true);
      expect(await bosun(['say', 'projects'], { home: home.dir })).toMatchObject({
        code: 0,
        out: expect.stringContaining('demo (A)'),
      });
    };
    await answers();

    const spoilt: readonly (readonly [spoil: () => void, says: RegExp])[] = [
      [() => writeFileSync(configPath, `${good}webb: {}\n`), /unknown key \\"webb\\"; did you mean \\"web\\"/],
      [() => writeFileSync(configPath, `${good}people: { ada: [`), /config.yaml:\d+:\d+: [^"]*flow/i],
      [() => writeFileSync(configPath, '\0\u0007{{{'), /config.yaml:1:/],
      [
        () => {
          rmSync(configPath);
          mkdirSync(configPath);
        },
        /Cannot read [^"]*config.yaml \(EISDIR\)/,
      ],
    ];
    for (const [at, [spoil, says]] of spoilt.entries()) {
      const before = timesSaid(says);
      spoil();
      await expect.poll(() => timesSaid(says), soon).toBe(before + 1);
      expect(timesSaid(/config.yaml is invalid, so the previous version stays/)).toBe(at + 1);
      await answers();
    }

    rmdirSync(configPath);
    writeFileSync(configPath, good.replace('- A', '- B'), { mode: 0o600 });
    await expect.poll(() => timesSaid(/config.yaml is valid again/), soon).toBe(1);
    expect((await bosun(['say', 'projects'], { home: home.dir })).out).toContain('demo (B)');

    // Empty is nothing that could not be used: nothing is configured, and the Bosun is there for what comes.
    writeFileSync(configPath, '');
    await expect
      .poll(async () => (await bosun(['say', 'projects'], { home: home.dir })).out, soon)
      .not.toContain('demo');
    writeFileSync(configPath, good);
    chmodSync(configPath, 0o600);
    await expect
      .poll(async () => (await bosun(['say', 'projects'], { home: home.dir })).out, soon)
      .toContain('demo (A)');
    await answers();

    child.kill('SIGTERM');
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).toMatch(
      /^warning: config\.yaml is invalid, so the previous version stays in force: .*unknown key "webb"/m,
    );
    expect(err).toMatch(/^config\.yaml is valid again and in force$/m);
  });
});
