import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { processShell, runCli } from '../../src/cli/index.js';
import { loadConfig } from '../../src/config/file/read-config.js';
import { acceptProjectRules } from '../accept-rules.js';
import { openHome } from '../open-home.js';
import { bosun, errorLine, newFolder } from './given.js';

function newProject(name: string): string {
  const root = join(newFolder(), name);
  mkdirSync(root);
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  return root;
}

describe('bosun init', () => {
  it('registers the current folder, and says which executor is missing', async () => {
    const [home, root] = [newFolder(), newProject('My Shop')];
    const { code, out } = await bosun(['init'], { home, cwd: root });
    expect(code).toBe(0);
    expect(out).toMatch(/^my-shop is registered: .*My Shop\n {2}workflow quick, level auto, executor none yet\n/);
    expect(out).toMatch(/claude: \{ kind: claude \}.*agent: {2}\{ kind: command, run: \["\.\/agent\.sh"\] \}/s);
    expect(existsSync(join(root, '.ai'))).toBe(true);
  });

  it('accepts every setting as an option', async () => {
    const [home, root] = [newFolder(), newProject('shop')];
    writeFileSync(join(home, 'config.yaml'), 'executors:\n  one: { kind: command, run: [sh] }\n', { mode: 0o600 });
    writeFileSync(join(root, 'own.yaml'), 'workflow: own\nversion: 1\nchain:\n  - { id: a, kind: task, prompt: x }\n');
    const args = ['init', root, '--name', 'store', '--alias', 'S', '--alias', 'sh', '--level', 'semi', '--yes'];
    const { code } = await bosun([...args, '--workflow', 'own.yaml', '--executor', 'one'], { home, cwd: root });
    expect(code).toBe(0);
    const [project] = loadConfig(openHome(home), {}).projects;
    expect(project).toMatchObject({ name: 'store', aliases: ['S', 'sh'], level: 'semi', executor: 'one' });
    expect(project?.workflow).toBe(join(root, 'own.yaml'));
  });

  it('asks at a terminal for missing settings', async () => {
    const [home, root] = [newFolder(), newProject('shop')];
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    mkdirSync(join(root, '.ai'));
    writeFileSync(join(root, '.ai/step-rules.yaml'), 'check: { check: make lint }\n');
    const answers = ['store', '', 'manual', 'y'];
    let asked = '';
    stdout.on('data', (chunk) => {
      asked += String(chunk);
      if (String(chunk).endsWith(']: ')) stdin.write(`${answers.shift() ?? ''}\n`);
    });
    const terminal = { stdin: Object.assign(stdin, { isTTY: true }), stdout: Object.assign(stdout, { isTTY: true }) };
    const shell = { ...processShell(), ...terminal, stderr, cwd: root, env: { HOME: home, PATH: '' } };
    const rooms = { startWeb: () => Promise.reject(new Error('no web here')) };
    expect(await runCli(['init', '--home', home], rooms, shell)).toBe(0);
    expect(asked).toMatch(/Name \[shop\]: .*Workflow \(.*\) \[quick\]: .*Level \(manual, semi, auto\) \[auto\]: /s);
    expect(loadConfig(openHome(home), {}).projects).toMatchObject([
      { name: 'store', workflow: 'quick', level: 'manual' },
    ]);
    expect(asked).toMatch(/\+ check: \{ check: make lint \}.*Put them in force\? \[y\/N\]: .*In force for new runs/s);
    expect((await bosun(['rules', 'store'], { home })).out).toMatch(
      /^in force: \.ai\/step-rules\.yaml, accepted by owner/,
    );
  });

  it('names rules of the folder that are not in force, and "rules accept" shows and accepts them', async () => {
    const [home, root] = [newFolder(), newProject('shop')];
    mkdirSync(join(root, '.ai'));
    writeFileSync(join(root, '.ai/step-rules.yaml'), 'check: { check: make lint }\n');
    const { out } = await bosun(['init', root, '--yes'], { home });
    expect(out).toContain('Not in force until an owner accepts it: .ai/step-rules.yaml (new). See "bosun rules shop".');
    expect((await bosun(['doctor'], { home })).out).toMatch(
      /warn.*project shop.*not in force.*step-rules\.yaml \(new\)/,
    );
    const shown = await bosun(['rules', 'shop'], { home });
    expect(shown.out).toMatch(
      /no rules of its own in force.*\+ check: \{ check: make lint \}.*bosun rules accept shop/s,
    );
    expect(await bosun(['rules', 'accept', 'shop'], { home })).toMatchObject({ code: 2 });
    expect(await bosun(['rules', 'accept', 'shop', '--yes'], { home })).toMatchObject({ code: 0 });
    const told = JSON.parse((await bosun(['rules', 'shop', '--json'], { home })).out);
    expect(told).toMatchObject({ accepted: [{ path: '.ai/step-rules.yaml', by: 'owner' }], pending: [] });
    expect((await bosun(['rules', 'accept', 'shop'], { home })).out).toContain('all its rules are in force');
  });

  it('refuses to overwrite a project or its state file: exit 3', async () => {
    const [home, root, other] = [newFolder(), newProject('shop'), newProject('other')];
    await bosun(['init', root], { home });
    const again = await bosun(['init', root], { home });
    expect(again.code).toBe(3);
    expect(errorLine(again)).toMatch(/^error: not_now: .* is already the project "shop"/);
    mkdirSync(join(other, '.ai'));
    writeFileSync(join(other, '.ai', 'STATE.json'), '{}');
    expect((await bosun(['init', other], { home })).code).toBe(3);
    expect((await bosun(['init', other, '--yes'], { home })).code).toBe(0);
  });

  it.each([
    [['init', '/nowhere/here'], /not_found: \/nowhere\/here is not a folder/],
    [['init', '.', '--workflow', 'slow'], /not_found: No workflow "slow"/],
    [['init', '.', '--name', 'status'], /bad_input: "status" is a chat command/],
    [['init', '.', '--executor', 'nobody'], /not_found: executor "nobody" does not exist/],
  ])('rejects %j without changes: exit 1', async (args, says) => {
    const [home, root] = [newFolder(), newProject('shop')];
    const ended = await bosun(args, { home, cwd: root });
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(says);
    expect(existsSync(join(home, 'config.yaml'))).toBe(false);
  });
});

describe('bosun member', () => {
  it('adds, lists and removes a member', async () => {
    const [home, root] = [newFolder(), newProject('shop')];
    await bosun(['init', root], { home });
    const add = ['member', 'add', 'shop', 'ada', '--role', 'owner', '--telegram', '1000', '--slack', 'U01ADA'];
    expect((await bosun(add, { home })).code).toBe(0);
    const ada = { project: 'shop', person: 'ada', role: 'owner', telegram: 1000, slack: 'U01ADA' };
    expect(JSON.parse((await bosun(['member', 'list', '--json'], { home })).out)).toEqual([ada]);
    expect((await bosun(['member', 'list', 'shop'], { home })).out).toBe(
      'shop  ada  [owner]  telegram 1000, slack U01ADA\n',
    );
    expect((await bosun(['member', 'remove', 'shop', 'ada'], { home })).code).toBe(0);
    expect((await bosun(['member', 'remove', 'shop', 'ada'], { home })).code).toBe(1);
    expect((await bosun(['member', 'list', 'nope'], { home })).code).toBe(1);
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).not.toContain('owner');
  });
});

describe('bosun workflow', () => {
  const home = newFolder();
  const files = newFolder();
  const cli = (...args: readonly string[]) => bosun(['workflow', ...args], { home, cwd: files });

  it('lists shipped workflows, and the project’s own inside a project', async () => {
    expect((await cli('list')).out).toMatch(/^micro-waterfall {2}\/.*\none-step {2}\/.*\nquick {2}\//m);
    const [own, root] = [newFolder(), newProject('shop')];
    await bosun(['init', root], { home: own });
    mkdirSync(join(root, '.ai', 'workflows'), { recursive: true });
    writeFileSync(join(root, '.ai', 'workflows', 'mine.yaml'), 'workflow: mine\n');
    acceptProjectRules(own, root);
    const names = JSON.parse((await bosun(['workflow', 'list', '--json'], { home: own, cwd: root })).out);
    expect(names[0]).toEqual({ name: 'mine', file: join(root, '.ai', 'workflows', 'mine.yaml') });
  });

  it('shows a workflow as text, JSON and a graph', async () => {
    expect((await cli('show', 'quick')).out).toMatch(/^- implement: /m);
    expect(JSON.parse((await cli('show', 'quick', '--json')).out)).toMatchObject({ name: 'quick' });
    expect((await cli('graph', 'quick')).out).toMatch(/^flowchart TD\n/);
  });

  it('checks a file: one line per problem and exit 1, or one line and exit 0', async () => {
    writeFileSync(join(files, 'bad.yaml'), 'workflow: bad\nversion: 1\nchain:\n  - { id: a, kind: tusk }\n');
    const bad = await cli('check', 'bad.yaml');
    expect(bad.code).toBe(1);
    expect(bad.out).toMatch(/^bad\.yaml:4:\d+: .*"kind"/m);
    expect(JSON.parse((await cli('check', 'bad.yaml', '--json')).out)).toMatchObject({ ok: false, warnings: [] });
    expect((await cli('show', 'bad.yaml')).code).toBe(1);
    expect(await cli('check', 'quick')).toMatchObject({ code: 0, out: 'quick: ok, 3 nodes\n' });
    writeFileSync(join(files, 'step-rules.yaml'), 'steps:\n  impl: { max_attempts: 2 }\n');
    expect(await cli('check', 'step-rules.yaml')).toMatchObject({
      ...{ code: 0, out: 'step-rules.yaml: ok, 8 nodes, step rules of micro-waterfall\n' },
    });
    expect((await cli('show', './step-rules.yaml')).out).toMatch(/- impl: .*2 attempts/);
    writeFileSync(join(files, 'step-rules.yaml'), 'steps:\n  imp: { max_attempts: 2 }\n');
    expect(await cli('check', 'step-rules.yaml')).toMatchObject({
      ...{ code: 1, out: expect.stringMatching(/^step-rules\.yaml:2:3: .*"imp"/) },
    });
    const none = await cli('check', 'none.yaml');
    expect(errorLine(none)).toMatch(/^error: not_found: No workflow "none\.yaml"/);
  });
});

describe('bosun parse', () => {
  const home = newFolder();

  it('parses a sentence with the names of the configuration', async () => {
    await bosun(['init', newProject('shop'), '--alias', 'A'], { home });
    const { code, out } = await bosun(['parse', 'continue', 'a', '--json'], { home });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      text: 'continue a',
      verb: 'continue',
      project: 'shop',
      target: null,
      note: null,
    });
    expect((await bosun(['parse', 'retry shop impl: use tabs'], { home })).out).toBe(
      'retry shop impl: use tabs → retry  project: shop  target: impl  note: use tabs\n',
    );
  });

  it('exits 2 with candidates for an unclear sentence', async () => {
    const { code, out } = await bosun(['parse', 'contineu shop', '--json'], { home });
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ verb: null, candidates: [{ verb: 'continue', project: 'shop' }] });
  });

  it('parses a sentence as a reply', async () => {
    const tell = async (kind: string, text: string) =>
      JSON.parse((await bosun(['parse', text, '--reply-to', kind, '--json'], { home })).out).verb;
    expect(await tell('review', 'lgtm')).toBe('approve');
    expect(await tell('review', 'no, wrong file')).toBe('reject');
    expect(await tell('review', '30 seconds')).toBeNull();
    expect(await tell('question', '30 seconds')).toBe('answer');
  });

  it('parses lines from standard input, one result each, and exits 0', async () => {
    const { code, out } = await bosun(['parse', '--json'], { home, input: 'status\n\nblah\n' });
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one).verb),
    ).toEqual(['status', null, null]);
  });
});
