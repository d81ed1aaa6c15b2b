import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changedScript, scriptTexts, scriptWarning } from '../../../src/agents/adapters/shared/line-scripts.js';
import { commandRuling } from '../../../src/agents/adapters/shared/own-rules.js';
import { textsIn } from '../../../src/workspace/inspection/tree-texts.js';
import { givenFolder, put } from '../attempts/given.js';
import { agentConfig, agentSeat } from './given-agent.js';

const manifest = (scripts: Readonly<Record<string, string>>) => JSON.stringify({ name: 'shop', scripts }, null, 1);
const before = {
  'package.json': manifest({ test: 'node --test', lint: 'sh scripts/lint.sh', all: 'npm run lint' }),
  Makefile: 'check:\n\techo checked\n',
  'scripts/lint.sh': 'echo linted\n',
  'run.sh': 'echo run\n',
  'test/cart.spec.ts': 'test();\n',
};
const lines = [
  'npm test',
  'npm run all',
  'make check',
  './run.sh --fast',
  'node --test test/cart.spec.ts',
  'npx vitest',
];

/** A checkout whose first commit is where the work began. */
async function given(changes: Readonly<Record<string, string>> = {}) {
  const workdir = givenFolder();
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: workdir, encoding: 'utf8' }).trim();
  for (const [path, text] of Object.entries(before)) put(workdir, path, text);
  chmodSync(`${workdir}/run.sh`, 0o755);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  const tree = git('rev-parse', 'HEAD^{tree}');
  const scripts = await scriptTexts(lines, (paths) => textsIn(workdir, tree, paths));
  for (const [path, text] of Object.entries(changes)) put(workdir, path, text);
  return agentSeat(agentConfig('codex', { tools: ['Bash(npm run:*)'] }), { workdir, scripts, ownerLines: lines });
}

it('lines whose scripts are as they were need no person, whatever tests and code became', async () => {
  const seat = await given({ 'test/cart.spec.ts': 'other();\n', 'src/cart.ts': 'new();\n' });
  for (const line of lines) expect(commandRuling(line, seat.workdir, seat)).toBe('allowed');
});

it.each([
  [
    'an entry of package.json',
    'npm test',
    { 'package.json': manifest({ test: 'touch x; node --test' }) },
    /script "test"/,
  ],
  ['what runs before an entry', 'npm t', { 'package.json': manifest({ pretest: 'touch x' }) }, /script "pretest"/],
  ['a script that an entry of an entry runs', 'npm run all', { 'scripts/lint.sh': 'touch x\n' }, /scripts\/lint\.sh/],
  ['the Makefile', 'CI=1 make check', { Makefile: 'check:\n\ttouch x\n' }, /Makefile/],
  ['a Makefile that make prefers', 'make check', { GNUmakefile: 'check:\n\ttouch x\n' }, /GNUmakefile/],
  ['a script file', 'true && ./run.sh --fast', { 'run.sh': 'touch x\n' }, /run\.sh/],
])('a line is asked about once %s differs', async (_what, line, changes, name) => {
  const seat = await given(changes);
  const request = changedScript(line, seat);
  expect(request).toMatchObject({ tool: 'changed script', input: { line } });
  expect(Object.keys(request?.input ?? {}).join()).toMatch(name);
  expect(JSON.stringify(request)).toContain('+ ');
});

it('what a person allows is bound to the content, and to the line', async () => {
  const seat = await given({ 'package.json': manifest({ test: 'touch x' }) });
  const first = commandRuling('npm test', seat.workdir, seat);
  expect(first).toEqual({
    tool: 'changed script',
    input: { line: 'npm test', 'package.json, script "test"': '\n- node --test\n+ touch x' },
  });
  put(seat.workdir, 'package.json', manifest({ test: 'touch y' }));
  expect(commandRuling('npm test', seat.workdir, seat)).not.toEqual(first);
  put(seat.workdir, 'package.json', before['package.json']);
  expect(commandRuling('npm test', seat.workdir, seat)).toBe('allowed');
});

it('an owner who opened all commands is not asked', async () => {
  const seat = await given({ 'run.sh': 'touch x\n' });
  const open = { ...seat, executor: { ...seat.executor, tools: ['Bash'] } };
  expect(commandRuling('./run.sh --fast', seat.workdir, open)).toBe('allowed');
});

it('a check whose script the work changed is named for the reviewer', async () => {
  const seat = await given({ 'package.json': manifest({ test: 'true' }) });
  expect(scriptWarning('npm test', seat)).toBe(
    'the check "npm test" ran a changed script: package.json, script "test"',
  );
  expect(scriptWarning('make check', seat)).toBeNull();
});
