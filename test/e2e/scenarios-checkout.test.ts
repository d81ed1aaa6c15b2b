// What happens to a person's checkout: their own changes, commits, the quick workflow from end to end.
import { rmSync } from 'node:fs';
import { expect } from 'vitest';
import { givenBosun, type Options, test } from './bosun.js';

const given = (plan: Options['plan'] = {}, more = {}) =>
  givenBosun({ projects: { shop: { workflow: 'quick', ...more } }, plan });

test("quick turns a task from chat into one commit of the agent's changes", async () => {
  const bosun = await given({
    implement: [
      { files: { 'src/cart.js': 'export {};\n' }, tests: { pass: 3, fail: 1 } },
      { files: { 'src/cart.js': 'export const cart = [];\n' }, tests: { pass: 4, fail: 0 } },
    ],
  });
  await bosun.say('shop: add a cart');
  expect(bosun.asked().text).toContain('Workflow: quick\nSteps: implement → check → review\nYou decide at: review');
  await bosun.pressButton('Start');
  expect(bosun.calls('implement')).toHaveLength(2);
  expect(bosun.calls('implement')[1]?.prompt).toContain('failing: test 4');
  expect(bosun.node('check')).toMatchObject({ kind: 'check', outcome: 'pass', tests: { pass: 4, fail: 0, skip: 0 } });
  expect(bosun.posts().join('\n')).toContain('check failing (attempt 1), 3/4, 1 failing, back to implement');
  const review = bosun.thread().findLast((message) => message.kind === 'review');
  expect(review?.text).toContain('Files: src/cart.js');
  expect(review?.text).toContain('tests 4 of 4 ✓');
  expect(bosun.commits()).toEqual([]);
  await bosun.reply('review', 'lgtm');
  expect(bosun.commits()).toEqual(['add a cart']);
  expect(bosun.git('shop', 'show', '--name-only', '--format=', 'HEAD')).toBe('src/cart.js');
  expect(bosun.git('shop', 'show', 'HEAD:src/cart.js')).toContain('cart = []');
  expect(bosun.git('shop', 'status', '--porcelain')).toBe('');
  expect(bosun.thread().at(-1)?.text).toMatch(/Done · add a cart\nshop is done/);
  expect(bosun.status()).toMatchObject({ health: 'idle', run: { status: 'completed' }, interactions: [] });
  expect(bosun.status().run?.ended_at).not.toBeNull();
});

test('changes requested at the review go back to the agent, and only the last state is committed', async () => {
  const bosun = await given(
    { implement: [{ files: { 'a.txt': '1\n' } }, { files: { 'a.txt': '2\n' } }] },
    { tests: 'none' },
  );
  await bosun.run('shop', 'a thing');
  expect(bosun.thread().findLast((message) => message.kind === 'review')?.text).toContain('not checked');
  await bosun.reply('review', 'changes: make it two');
  expect(bosun.calls('implement')[1]?.prompt).toContain('make it two');
  await bosun.reply('review', 'ok');
  expect(bosun.commits()).toEqual(['a thing']);
  expect(bosun.git('shop', 'show', 'HEAD:a.txt')).toBe('2');
});

test('a run that changed nothing makes no commit, and its final message says so', async () => {
  const bosun = await given();
  await bosun.run('shop', 'US-001 look around', { workflow: 'stories' });
  await bosun.reply('review', 'ok');
  expect(bosun.commits()).toEqual([]);
  expect(bosun.posts().at(-1)).toContain('no change');
  expect(bosun.status().run?.status).toBe('completed');
});

test('each story becomes one commit with its key and title', async () => {
  const bosun = await givenBosun({
    projects: { shop: { workflow: 'stories', afterStory: 'start' } },
    plan: { 'US-001 build': { files: { 'one.ts': '1\n' } }, 'US-002 build': { files: { 'two.ts': '2\n' } } },
  });
  await bosun.import('shop', [
    { id: 'US-001', title: 'One' },
    { id: 'US-002', title: 'Two' },
  ]);
  await bosun.say('continue');
  await bosun.reply('review', 'ok');
  await bosun.reply('review', 'ok');
  expect(bosun.commits()).toEqual(['US-001: One', 'US-002: Two']);
  expect(bosun.git('shop', 'show', '--name-only', '--format=', 'HEAD')).toBe('two.ts');
  expect(bosun.posts().join('\n')).toMatch(
    /US-002 done · Two\nshop · 2 of 2 stories done.*\ncommit [0-9a-f]{8}, 1 file \+1 −0 · tests not checked/,
  );
});

test("a person's own changes are stashed on request and restored unchanged at the end", async () => {
  const bosun = await given({ implement: { files: { 'agent.txt': 'agent\n' } } });
  bosun.write('README.md', 'A project, changed by me.\n');
  bosun.write('draft.txt', 'mine\n');
  bosun.git('shop', 'add', 'README.md');
  await bosun.run('shop', 'a thing');
  expect(bosun.asked()).toMatchObject({ kind: 'choice' });
  expect(bosun.asked().text).toContain('shop has uncommitted changes:\nREADME.md\ndraft.txt');
  expect(bosun.calls()).toHaveLength(0);
  await bosun.pressButton('Stash them until the end');
  expect(bosun.asked().kind).toBe('review');
  expect(bosun.has('draft.txt')).toBe(false);
  await bosun.reply('review', 'ok');
  expect(bosun.git('shop', 'show', '--name-only', '--format=', 'HEAD')).toBe('agent.txt');
  expect(bosun.read('draft.txt')).toBe('mine\n');
  expect(bosun.git('shop', 'status', '--porcelain').split('\n').sort()).toEqual(['?? draft.txt', 'M  README.md']);
  expect(bosun.git('shop', 'stash', 'list')).toBe('');
  expect(bosun.posts().join('\n')).toContain('Your own changes are back.');
});

test('stashed changes are restored after an abort too', async () => {
  const bosun = await given();
  bosun.write('draft.txt', 'mine\n');
  await bosun.run('shop', 'a thing');
  await bosun.pressButton('Stash them until the end');
  await bosun.say('abort');
  await bosun.pressButton('Abort it');
  expect(bosun.read('draft.txt')).toBe('mine\n');
  expect(bosun.git('shop', 'stash', 'list')).toBe('');
});

test('"Cancel" leaves a person’s changes alone and ends the run', async () => {
  const bosun = await given();
  bosun.write('draft.txt', 'mine\n');
  await bosun.run('shop', 'a thing');
  await bosun.pressButton('Cancel');
  expect(bosun.status().run?.status).toBe('cancelled');
  expect(bosun.read('draft.txt')).toBe('mine\n');
  expect(bosun.git('shop', 'stash', 'list')).toBe('');
  expect(bosun.calls()).toHaveLength(0);
});

test('a project without a repository is reported with a way out', async () => {
  const bosun = await given();
  bosun.git('shop', 'rev-parse', 'HEAD');
  rmSync(`${bosun.root()}/.git`, { recursive: true });
  await bosun.run('shop', 'a thing');
  expect(bosun.asked().kind).toBe('escalation');
  expect(bosun.asked().options.map((one) => one.label)).toEqual(['Retry', 'Abort']);
  await bosun.pressButton('Abort');
  expect(bosun.status().run?.status).toBe('cancelled');
});

test("the agent gets its folder, run and step as variables, but no path to Bosun's home", async () => {
  const bosun = await given();
  await bosun.run('shop', 'a thing');
  const [call] = bosun.calls('implement');
  expect(call?.env).toMatchObject({
    BOSUN_PROJECT: 'shop',
    BOSUN_RUN: 'r1',
    BOSUN_ITEM: '',
    BOSUN_STEP: 'implement',
    BOSUN_LABEL: 'step-001',
    BOSUN_ATTEMPT: '1',
    BOSUN_ROOT: bosun.root(),
    BOSUN_WORKDIR: bosun.root(),
    BOSUN_RESULT_FILE: `${bosun.root()}/.ai/executor-result`,
    BOSUN_HANDOFF_FILE: `${bosun.root()}/.ai/HANDOFF.md`,
  });
  expect(call?.prompt).toContain('a thing');
  expect(call?.prompt).not.toContain(call?.env['BOSUN_TOKEN']);
  expect(call?.env['BOSUN_TOKEN']).toMatch(/^\S{16,}$/);
  expect(Object.keys(call?.env ?? {})).not.toContain('BOSUN_HOME');
});

test('stashed changes that no longer apply are kept, and the person learns how to restore them', async () => {
  const bosun = await given({ implement: { files: { 'README.md': 'The agent was here.\n' } } });
  bosun.write('README.md', 'I was here.\n');
  await bosun.run('shop', 'a thing');
  await bosun.pressButton('Stash them until the end');
  await bosun.reply('review', 'ok');
  const told = bosun.thread().at(-1)?.text ?? '';
  expect(told).toContain('Could not restore your own changes');
  expect(bosun.read('README.md')).toBe('The agent was here.\n');
  const [, sha = ''] = /git stash apply --index ([0-9a-f]+)/.exec(told) ?? [];
  expect(bosun.git('shop', 'show', `${sha}:README.md`)).toBe('I was here.');
  expect(bosun.status()).toMatchObject({ health: 'idle', run: { status: 'completed' } });
});

test('a repository without a commit is reported, and "Retry" continues once it has one', async () => {
  const bosun = await given();
  rmSync(`${bosun.root()}/.git`, { recursive: true });
  bosun.git('shop', 'init', '-q');
  await bosun.run('shop', 'a thing');
  expect(bosun.asked().text).toContain('has no commit yet');
  bosun.git('shop', 'add', '-A');
  bosun.git('shop', 'commit', '-q', '-m', 'start');
  await bosun.pressButton('Retry');
  expect(bosun.asked().kind).toBe('review');
});
