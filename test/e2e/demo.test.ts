// The demo as a newcomer sees it, and what it is made of. Each run is real: queue, agents as processes, git, tests.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { perform, type Request } from '../../src/bot/index.js';
import { openApp } from '../../src/cli/app.js';
import { runDemo } from '../../src/cli/demo/demo.js';
import { missingPosts } from '../../src/cli/demo/demo-checks.js';
import { demoRoot, prepareDemo } from '../../src/cli/demo/demo-project.js';
import { loadConfig } from '../../src/config/file/read-config.js';
import { type Home, openHome } from '../open-home.js';

beforeEach(() => {
  vi.stubEnv('DEMO_DELAY_MS', '0');
  // Nobody's identity: the demo brings its own.
  for (const name of ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'])
    vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

function givenFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'bosun-demo-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

async function played(options: { readonly keep?: boolean; readonly timeoutMs?: number }) {
  const output = new PassThrough();
  const printed = text(output);
  const code = await runDemo({ keep: false, output, isColored: false, paceMs: 0, ...options });
  output.end();
  return { code, printed: await printed };
}

describe('the demo', () => {
  it('plays a story from "continue demo" to "stop for today", checks the result and cleans up', async () => {
    const temporary = givenFolder();
    vi.stubEnv('TMPDIR', temporary);
    const { code, printed } = await played({});
    expect(printed).toMatch(/^Bosun demo\n.*agent is not: it is a script/);
    expect(printed.split('\n').filter((line) => line.startsWith('> '))).toEqual([
      '> continue demo',
      '> > 30 seconds, others OK',
      '> > yes, newest first',
      '> status',
      '> stop for today',
    ]);
    expect(printed).toContain('1. How long may an empty cart be remembered?');
    expect(printed).toContain('impl failing (attempt 1), 9/10, 1 failing, trying again');
    expect(printed).toContain('all red; used what was said: 30 seconds');
    expect(printed).toContain('✓ US-002 was proposed and has not started');
    expect(printed).toContain('✓ all 11 tests pass in a fresh run');
    expect(code).toBe(0);
    expect(readdirSync(temporary).filter((name) => name.startsWith('bosun-demo'))).toEqual([]);
  }, 60_000);

  it('fails on a timeout, says where, and keeps its home on request', async () => {
    vi.stubEnv('TMPDIR', givenFolder());
    const { code, printed } = await played({ timeoutMs: 1, keep: true });
    expect(code).toBe(1);
    expect(printed).toContain('timed out at "continue demo"');
    const kept = /^Kept: (.+)$/m.exec(printed)?.[1] ?? '';
    expect(existsSync(join(kept, 'demo/shop/src/cart.js'))).toBe(true);
  }, 60_000);

  it('names the first expected message that was not posted', () => {
    expect(missingPosts(['demo: starting "US-001 Order history".'])).toEqual([
      'Bosun did not say "executing US-001 bdd (attempt 1)" at the expected point',
    ]);
  });
});

async function importInto(home: Home, request: Request): Promise<void> {
  const app = await openApp({ home, work: false });
  await perform(app, request);
  await app.close();
}

describe('the demo project', () => {
  const log = (home: Home) =>
    execFileSync('git', ['log', '--format=%an %s'], { cwd: demoRoot(home), encoding: 'utf8' });

  it('is a repository with one commit and a config that declares its agent as scripted', async () => {
    const home = openHome(givenFolder());
    const request = await prepareDemo(home);
    expect(log(home)).toBe('Bosun demo The demo shop\n');
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: demoRoot(home), encoding: 'utf8' })).toBe('');
    expect(readFileSync(home.configPath, 'utf8')).toMatch(/^# "scripted" is not an AI[\s\S]*kind: claude/);
    const [project] = loadConfig(home, {}).projects;
    expect(project).toMatchObject({ name: 'demo', aliases: ['A'], workflow: 'micro-waterfall', executor: 'scripted' });
    expect(request).toMatchObject({ do: 'import', project: 'demo', stories: [{ id: 'US-001' }] });
  });

  it('is not created in a home that has a config.yaml', async () => {
    const home = openHome(givenFolder());
    writeFileSync(home.configPath, '# mine\n');
    expect(await prepareDemo(home)).toBeNull();
    expect(readFileSync(home.configPath, 'utf8')).toBe('# mine\n');
    expect(existsSync(join(home.dir, 'demo'))).toBe(false);
  });

  it('is completed by the next start after an interruption at any point', async () => {
    const home = openHome(givenFolder());
    await prepareDemo(home);
    // Before the repository was whole: only a draft of it is there.
    rmSync(home.configPath);
    rmSync(join(demoRoot(home), '.git'), { recursive: true });
    execFileSync('mv', [demoRoot(home), `${demoRoot(home)}.part`]);
    expect(await prepareDemo(home)).not.toBeNull();
    expect(log(home)).toBe('Bosun demo The demo shop\n');
    // Before the configuration was written.
    rmSync(home.configPath);
    expect(await prepareDemo(home)).not.toBeNull();
    expect(log(home)).toBe('Bosun demo The demo shop\n');
    // Before the stories were imported; after that, never again.
    const request = await prepareDemo(home);
    expect(request).toMatchObject({ do: 'import', project: 'demo' });
    if (request) await importInto(home, request);
    expect(await prepareDemo(home)).toBeNull();
  });
});
