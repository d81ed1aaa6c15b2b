import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { acceptProjectRules } from '../accept-rules.js';
import { bosun, errorLine, newFolder, start } from './given.js';

const home = join(newFolder(), 'home');
const root = join(newFolder(), 'shop');
const step = (args: readonly string[], input = '') => bosun(['step', ...args], { home, input });
const claim = async (...args: readonly string[]) => {
  const { code, out } = await step(['claim', 'shop', ...args]);
  expect(code).toBe(0);
  return out === '' ? null : JSON.parse(out);
};
const nodes = async () => JSON.parse((await bosun(['status', 'shop', '--json'], { home })).out).nodes;

const flow = `
workflow: pulled
version: 1
chain:
  - { id: draft, role: writer, prompt: "Draft {{task}}.", expects: { status: done }, outputs: [FILE] }
  - { id: judge, role: judge, prompt: "Judge {{file}}.", expects: { status: done } }
`;

/** Reports that are read at the same time are told apart by the checks that both still have before them. */
const checked = `
workflow: checked
version: 1
chain:
  - { id: one, prompt: "One.", expects: { status: done }, check: "sleep 0.5" }
  - { id: two, prompt: "Two.", expects: { status: done }, check: "sleep 0.5" }
`;

beforeAll(async () => {
  mkdirSync(join(root, '.ai/workflows'), { recursive: true });
  writeFileSync(join(root, '.ai/workflows/pulled.yaml'), flow);
  writeFileSync(join(root, '.ai/workflows/checked.yaml'), checked);
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
  ])
    execFileSync('git', args, { cwd: root });
  await bosun(['init', root], { home });
  acceptProjectRules(home, root);
});

describe('an agent that claims its work', () => {
  it('gets nothing while no step is ready', async () => {
    expect(await claim()).toBeNull();
  });

  it('gets a step once, with its prompt, which another process does not take back', async () => {
    await bosun(['run', 'shop', 'a page', '--workflow', 'pulled'], { home });
    expect(await claim('judge')).toBeNull();
    const given = await claim('writer');
    expect(given).toMatchObject({ project: 'shop', run: 'r1', step: 'draft', workdir: root, item: null });
    expect(given.prompt).toContain('Draft a page.');
    expect(await claim()).toBeNull();
    expect((await nodes())[0]).toMatchObject({ template: 'draft', state: 'running' });

    const ended = await step(['complete', given.token], 'STATUS: done\nFILE: page.md\n');
    expect(ended).toEqual({ code: 0, out: '', err: '' });
    expect((await nodes())[0]).toMatchObject({ state: 'passed', outcome: 'pass' });
    expect(errorLine(await step(['complete', given.token], 'STATUS: done'))).toMatch(/^error: not_allowed: That token/);
  });

  it('gets a failed step again, with the error in its prompt', async () => {
    const given = await claim();
    expect(given).toMatchObject({ step: 'judge', prompt: expect.stringContaining('Judge page.md.') });
    expect((await step(['fail', given.token, 'no', 'page'])).code).toBe(0);
    expect((await nodes())[1]).toMatchObject({ state: 'queued', attempt: 2, outcome: 'failing', summary: 'no page' });
    const again = await claim();
    expect(again.token).not.toBe(given.token);
    expect(again.prompt).toContain('no page');
    await step(['complete', again.token], 'it says nothing of how it went');
    expect((await nodes())[1]).toMatchObject({ attempt: 3, reason: 'bad_output' });
    expect((await bosun(['verify'], { home })).code).toBe(0);
  });

  it('needs the right to run agents and an existing project', async () => {
    expect(errorLine(await step(['claim', 'shop', '--as', 'nobody']))).toMatch(/^error: not_/);
    expect(errorLine(await step(['claim', 'none']))).toMatch(/^error: not_found: No project "none"/);
    expect(errorLine(await step(['complete', 'stale'], 'x'))).toMatch(/^error: not_allowed/);
  });
});

describe('three simultaneous reports on one step', () => {
  /** Each from a process of its own; all are at work before any of them has what it reports. */
  async function race(token: string): Promise<void> {
    const reporting = await Promise.all([1, 2, 3].map(() => start(['step', 'complete', token], { home })));
    for (const [at, { child }] of reporting.entries()) child.stdin?.end(`STATUS: done\nSUMMARY: report ${at}\n`);
    const ended = await Promise.all(reporting.map((one) => one.ended));
    expect(ended.map(({ code }) => code).toSorted(), JSON.stringify(ended)).toEqual([0, 3, 3]);
    for (const one of ended.filter(({ code }) => code === 3)) {
      expect(errorLine(one)).toMatch(/^error: not_allowed: That token belongs to no open claimed step/);
    }
  }

  it('count once and are rejected twice, with and without a running Bosun', async () => {
    await bosun(['say', 'abort shop'], { home });
    const { out } = await bosun(['inbox'], { home });
    await bosun(['press', /bosun press (\S+\.abort)/.exec(out)?.[1] ?? out], { home });
    await bosun(['run', 'shop', 'a page', '--workflow', 'checked'], { home });
    await race((await claim()).token);
    expect((await nodes())[0]).toMatchObject({ template: 'one', state: 'passed', attempt: 1 });
    const up = await start(['up', '--no-worker', '--port', '0'], { home });
    await up.line(/^ready /);
    await race((await claim()).token);
    expect((await nodes())[1]).toMatchObject({ template: 'two', state: 'passed', attempt: 1 });
    up.child.kill('SIGTERM');
    expect((await up.ended).code).toBe(0);
  });
});
