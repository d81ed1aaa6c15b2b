import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keysAndValues } from '../../src/cli/options.js';
import { bosun, errorLine, newFolder } from './given.js';

const home = join(newFolder(), 'home');

const misused: readonly (readonly [args: readonly string[], says: RegExp])[] = [
  [['statu'], /unknown command "statu"; did you mean status\?/],
  [['--jason'], /unknown option "--jason"/],
  [['status', '--jsn'], /unknown option "--jsn"; did you mean --json\?/],
  [['status', 'a', 'b'], /too many arguments/],
  [['say'], /missing required argument "text"/],
  [['say', 'status', '--timeout', 'soon'], /must be a number of seconds/],
  [['say', 'status', '--timeout', '99999999'], /at most 604800/],
  [['say', 'status', '--timeout'], /argument missing/],
  [['press'], /missing required argument "id"/],
  [['run', 'demo'], /missing required argument "task"/],
  [['run', 'demo', ' '], /the task is empty/],
  [['run', 'demo', 'x', '--set', 'novalue'], /must be key=value/],
  [['run', 'demo', 'x', '--context', 'novalue'], /must be key=value/],
  [['import', 'demo'], /missing required argument "file"/],
  [['up', '--port', '99999'], /from 0 to 65535/],
  [['up', '--port', 'x'], /must be a whole number/],
  [['init', '--level', 'wild'], /Allowed choices are manual, semi, auto/],
  [['show'], /missing required argument "run"/],
  [['log', 'r1'], /missing required argument "node"/],
  [['log', 'r1', 'impl', '--attempt', 'last'], /must be a whole number/],
  [['export', 'r1'], /required option "--as <format>" not specified/],
  [['export', 'r1', '--as', 'yaml'], /Allowed choices are state, workflow-state, session, pipeline, prd, events/],
  [['workflow'], /a command is missing/],
  [['workflow', 'lst'], /unknown command "lst"; did you mean list\?/],
  [['member', 'add', 'demo', 'bob'], /required option "--role <role>" not specified/],
  [['member', 'add', 'demo', 'bob', '--role', 'king'], /Allowed choices are owner, operator, reviewer, viewer/],
  [['parse', 'hello', '--reply-to', 'letter'], /Allowed choices are review, question/],
];

describe('the command line with wrong arguments', () => {
  it.each(misused)('exits 2 with one line on standard error: %j', async (args, says) => {
    const ended = await bosun(args, { home });
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(errorLine(ended)).toMatch(/^error: usage: /);
    expect(errorLine(ended)).toMatch(says);
  });

  it.each(misused)('exits 2 with one object on standard output with --json: %j', async (args) => {
    const ended = await bosun([...args, '--json'], { home });
    expect(ended).toMatchObject({ code: 2, err: '' });
    const error = { code: 'usage', message: expect.any(String), hint: expect.any(String) };
    expect(JSON.parse(ended.out)).toEqual({ error });
  });
});

it.each([
  ['repo=/srv/shop,branch=orders', { repo: '/srv/shop', branch: 'orders' }],
  ['title=one, two,branch=x=y', { title: 'one, two', branch: 'x=y' }],
])('--context %j sets several values at once', (said, values) => {
  expect(keysAndValues(said, { before: '1' })).toEqual({ before: '1', ...values });
});

describe('a command of another orchestrator', () => {
  it.each([
    [['step', 'stories', '7'], 'bosun stories RUN'],
    [['workflow', 'run', 'feature-dev', 'a task'], 'bosun run PROJECT "task" --workflow W'],
    [
      ['workflow', 'install', 'feature-dev'],
      'not needed: every YAML file in the project’s .ai/workflows is a workflow',
    ],
    [['dashboard'], 'bosun web'],
    [['execute'], 'bosun say "continue PROJECT"'],
    [['orchestrator', 'dispatch', 'A'], 'bosun say "continue PROJECT"'],
    [['dispatch', 'peek'], 'bosun status PROJECT'],
    [['uninstall'], 'not needed: every YAML file'],
    [['retry', 'shop'], 'bosun say "retry PROJECT"'],
  ])('is answered with the equivalent here: %j', async (args, hint) => {
    const ended = await bosun(args, { home });
    expect(ended.code).toBe(2);
    expect(errorLine(ended)).toContain(hint);
  });

  it('has no hint if it is only misspelt', async () => {
    expect(errorLine(await bosun(['statu'], { home }))).toContain('Add --help to see the usage.');
  });
});

const commands =
  'up worker init say press run import hook step status projects runs queue show stories history inbox log diff cost export workflow web mcp member pair doctor verify parse demo replay rules sessions open';

describe('help and version', () => {
  it.each(commands.split(' '))('%s has help, with exit 0 and the global options', async (command) => {
    const { code, out, err } = await bosun([command, '--help'], { home });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: bosun /);
    expect(out).toContain('--home <dir>');
    expect(await bosun([command, '--version'], { home })).toMatchObject({ code: 0 });
  });

  it('lists exactly these commands', async () => {
    const { code, out } = await bosun([], { home });
    expect(code).toBe(0);
    const listed = [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect([...listed].sort()).toEqual([...commands.split(' '), 'help'].sort());
  });

  it('creates no home', () => {
    expect(existsSync(home)).toBe(false);
  });
});

describe('--home', () => {
  it.each([
    ['before', (dir: string) => ['--home', dir, 'projects']],
    ['after', (dir: string) => ['projects', '--home', dir]],
    ['relative to the caller', (dir: string) => ['projects', `--home=${dir.split('/').at(-1)}/sub`]],
  ])('is accepted %s the command', async (_name, args) => {
    const folder = newFolder();
    const { code } = await bosun(args(folder), { home: '/nowhere/at/all', cwd: join(folder, '..') });
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'secret')) || existsSync(join(folder, 'sub', 'secret'))).toBe(true);
  });

  it('that cannot be a folder is reported with a code and a hint', async () => {
    const ended = await bosun(['projects', '--home', '/dev/null/x'], { home });
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(/^error: bad_config: \/dev\/null\/x .* Choose another folder/);
  });
});
