import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bosun, errorLine, newFolder } from './given.js';

const home = join(newFolder(), 'home');
const root = join(newFolder(), 'shop');
const files = newFolder();
const hook = (...args: readonly string[]) => bosun(['hook', 'shop', ...args], { home, cwd: files });

beforeAll(async () => {
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'a\n');
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
  ])
    execFileSync('git', args, { cwd: root });
  await bosun(['init', root, '--level', 'manual'], { home });
});

describe('bosun hook', () => {
  it('rejects a report if no step waits for one: exit 3', async () => {
    const ended = await hook('--status', 'pass');
    expect(ended.code).toBe(3);
    expect(errorLine(ended)).toMatch(/^error: not_now: shop has no step that waits for a report/);
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['another shape', '{"status": 5}'],
  ])('rejects a file with %s: exit 1', async (_what, text) => {
    writeFileSync(join(files, 'bad.json'), text);
    const ended = await hook('--file', 'bad.json');
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(/^error: bad_input: .*bad\.json is not a JSON object/);
  });

  it('rejects an unknown token from --token or BOSUN_TOKEN: exit 3', async () => {
    expect(errorLine(await hook('--token', 'stale'))).toMatch(/^error: not_allowed: That token/);
    const ended = await bosun(['hook', 'shop'], { home, env: { BOSUN_TOKEN: 'stale' } });
    expect(ended.code).toBe(3);
  });

  it('settles the step that a person does by hand', async () => {
    await bosun(['run', 'shop', 'write b'], { home });
    expect((await bosun(['status', 'shop'], { home })).out).toMatch(/paused \(until you continue\)/);
    writeFileSync(join(root, 'b.txt'), 'b\n');
    writeFileSync(join(files, 'result.json'), JSON.stringify({ status: 'failing', summary: 'wrote b' }));
    const ended = await hook('--file', 'result.json', '--status', 'pass');
    expect(ended).toMatchObject({ code: 0, err: '' });
    const { nodes } = JSON.parse((await bosun(['status', 'shop', '--json'], { home })).out);
    expect(nodes[0]).toMatchObject({ template: 'implement', state: 'passed', outcome: 'pass', summary: 'wrote b' });
    expect((await bosun(['verify'], { home })).code).toBe(0);
  });
});
