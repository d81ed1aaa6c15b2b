// Free sentences of S3's "Level 0": each is proposed with a button, and only a press by the right person starts anything.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findProblems } from '../../src/cli/reads/verify-run.js';
import { eight } from '../bot/grammar/corpus-instructions.js';
import { givenBosun, test } from './bosun.js';

const members = { ada: 'owner', vic: 'viewer', bob: 'reviewer' };
const says = (start: string) => eight.map(([, text]) => text).find((text) => text.startsWith(start)) ?? '';
const given = (level: 'manual' | 'auto') =>
  givenBosun({ projects: { shop: { aliases: ['A'], level, members }, api: {} } });

test('free sentences walk a story: started at bdd, reviewed, then exactly the named steps', async () => {
  const bosun = await given('auto');
  const steps = () => bosun.calls().map(({ step }) => step);
  const begun = await bosun.say(says('Add shopping cart'));
  expect(begun.text).toContain('I did nothing yet. shop: Add shopping cart feature to A project');
  expect(begun.messages[0]?.buttons.map(({ label }) => label)).toEqual(['Start at bdd']);
  expect(bosun.status().run).toBeNull();
  const viewer = await bosun.pressButton('Start at bdd', { as: 'vic' });
  expect(viewer).toMatchObject({ exit: 3, text: expect.stringContaining("You're a viewer in shop; ") });
  expect(bosun.status().run).toBeNull();
  await bosun.pressButton('Start at bdd', { as: 'ada' });
  expect(steps()).toEqual(['bdd', 'sdd-delta', 'contract']);
  expect(bosun.status().run).toMatchObject({ task: 'Add shopping cart feature to A project' });
  const twice = await bosun.pressButton('Start at bdd', { as: 'ada' });
  expect(twice).toMatchObject({ exit: 3, text: expect.stringContaining('has changed since this was proposed') });

  const passed = await bosun.say(`A, ${says('OK, continue').slice(4)}`);
  expect(passed.text).toContain('is at review. sdd-delta is not one of the next steps. Next: scaffold, impl');

  expect((await bosun.say('continue with impl in A')).text).toContain('impl would skip steps');
  const reviewed = await bosun.say(says('I reviewed it'), { thread: 'local' });
  expect(reviewed.messages[0]?.text).toBe('Which project?');
  await bosun.pressButton('shop');
  expect(steps()).toHaveLength(3);
  const button = 'Approve and run scaffold, impl';
  expect((await bosun.pressButton(button, { as: 'bob' })).text).toContain("You're a reviewer in shop; ");
  bosun.plan({
    scaffold: { tests: { pass: 1, fail: 1 } },
    impl: { tests: { pass: 2, fail: 0 }, files: { 'a.ts': 'x' } },
  });
  await bosun.pressButton(button, { as: 'ada' });
  expect(steps().slice(3)).toEqual(['scaffold', 'impl']);
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'user' });
  expect(bosun.thread().at(-1)?.text).toMatch(/^Next · .*\nshop · TASK-1 · Verification\n/);

  await bosun.say('use shop');
  await bosun.say(says('Continue with verify'));
  await bosun.pressButton('Run verify, update-memory', { as: 'ada' });
  expect(steps().slice(5)).toEqual(['verify', 'update-memory']);
  expect(bosun.status().items[0]?.status).toBe('done');
  const late = await bosun.pressButton('Run verify, update-memory', { as: 'ada' });
  expect(late).toMatchObject({ exit: 3, text: expect.stringMatching(/^Nothing was started\./) });
  expect(findProblems(bosun.app.runtime.store, 'r1')).toEqual([]);
});

test('at level manual only the named steps run, one after the other', async () => {
  const bosun = await given('manual');
  await bosun.say('add a cart to A, start with bdd');
  await bosun.pressButton('Start at bdd');
  expect(bosun.calls()).toEqual([]);
  await bosun.say('continue A with bdd, sdd delta');
  await bosun.pressButton('Run bdd, sdd-delta');
  expect(bosun.calls().map(({ step }) => step)).toEqual(['bdd', 'sdd-delta']);
  expect(findProblems(bosun.app.runtime.store, 'r1')).toEqual([]);
});

test('a sentence about missing work runs as one step, and starting at a later step skips those before it', async () => {
  const bosun = await given('auto');
  const offered = await bosun.say(says("A project's US-003"));
  expect(offered.messages[0]?.buttons.map(({ label }) => label)).toEqual([
    'Do it in one step',
    'As a run of micro-waterfall',
  ]);
  bosun.plan({ task: [{ files: { 'docs/ddd/glossary.md': 'Cart' } }] });
  await bosun.pressButton('Do it in one step');
  expect(bosun.calls()[0]?.prompt).toContain(says("A project's US-003"));
  expect(bosun.status().run).toMatchObject({ workflow: 'one-step', status: 'completed' });

  await bosun.say('add coupons to A, start at the API contract');
  await bosun.pressButton('Start at contract');
  expect(bosun.calls().map(({ step }) => step)).toEqual(['task', 'contract']);
  expect(bosun.node('bdd')).toMatchObject({ state: 'skipped', skip_reason: 'it begins with contract (owner)' });
  expect(findProblems(bosun.app.runtime.store, 'r2')).toEqual([]);
  const beyond = await bosun.say('add coupons to A, start with impl');
  expect(beyond.text).toContain("impl comes after review, which can't be left out");
});

test('small talk and a project that the speaker may not read get no proposal', async () => {
  const bosun = await given('auto');
  for (const text of ['thanks', 'looks good to me but the names are odd', 'he said "continue with impl"']) {
    const said = await bosun.say(text, { as: 'ada' });
    expect(said).toMatchObject({ exit: 2, text: expect.stringMatching(/so I did nothing\./) });
  }
  const other = await bosun.say('add a health check to api, start with bdd', { as: 'ada' });
  expect(other.text).not.toContain('api:');
  expect(bosun.status('api').run).toBeNull();
});

test('a project requested in chat is created when an owner confirms, and its bootstrap run completes', async () => {
  const bosun = await givenBosun({
    projects: { shop: { members } },
    config: (folder) => {
      mkdirSync(join(folder, 'new'));
      mkdirSync(join(folder, 'new', 'taken'));
      return { new_projects: { root: join(folder, 'new') } };
    },
  });
  const file = (path: string) => ({ files: { [path]: 'text' } });
  const kept = Object.fromEntries(['bdd', 'deltas', 'api'].map((one) => [`docs/${one}/.gitkeep`, '']));
  bosun.plan({
    // Evidence decides: the first try says it is done and leaves nothing.
    context: [{}, file('PROJECT_CONTEXT.md')],
    sdd: file('docs/sdd.md'),
    constitution: file('docs/constitution.md'),
    folders: { files: kept },
    memory: file('PROJECT_MEMORY.md'),
  });
  for (const [text, why] of [
    ['set up shop project: again', /"shop" is already a name of the project shop/],
    ['new project taken', /taken already exists/],
    ['new project status', /is a chat command/],
  ] as const) {
    expect(await bosun.say(text), text).toMatchObject({ exit: 3, text: expect.stringMatching(why) });
  }
  expect((await bosun.say(says('Help me'), { as: 'vic' })).text).toContain('Only the owner of this Bosun');
  const offered = await bosun.say(says('Help me'), { as: 'ada' });
  const root = join(bosun.folder, 'new', 'todo-app');
  expect(offered.text).toContain(`Create the project todo-app in ${root}`);
  expect(existsSync(root)).toBe(false);
  expect((await bosun.pressButton('Make todo-app', { as: 'bob' })).exit).toBe(3);
  expect(existsSync(root)).toBe(false);
  const made = await bosun.pressButton('Make todo-app', { as: 'ada' });
  expect(made.text).toContain(`Created todo-app in ${root}`);
  expect(made.text).toContain('PROJECT_CONTEXT.md is missing or empty');
  expect(bosun.calls(undefined, 'todo-app').map(({ step }) => step)).toEqual([
    ...['context', 'context', 'sdd', 'constitution', 'folders', 'memory'],
  ]);
  expect(bosun.calls()[0]?.prompt).toContain('Go backend + React frontend');
  expect(bosun.app.config().projects.at(-1)).toMatchObject({ name: 'todo-app', root, members: { ada: 'owner' } });
  await bosun.pressButton('Approve', { as: 'ada' });
  expect(bosun.status('todo-app').run).toMatchObject({ workflow: 'bootstrap', status: 'completed' });
  expect(bosun.git('new/todo-app', 'show', '--name-only', '--format=', 'HEAD')).toContain('PROJECT_MEMORY.md');
  expect((await bosun.say('retry todo-app')).text).toMatch(/^todo-app has no run now \(E006\): “.*” is done\. Give/);
  const again = await bosun.pressButton('Make todo-app', { as: 'ada' });
  expect(again).toMatchObject({ exit: 3, text: 'todo-app is already set up.' });
});

test('requesting a project without new_projects.root says what to configure', async () => {
  const bosun = await given('auto');
  expect(await bosun.say('set up todo-app: Go backend, React frontend')).toMatchObject({
    exit: 3,
    text: expect.stringContaining('set new_projects: { root: <folder> } in'),
  });
});

test('the intent program can only choose among the proposals, and any other output is ignored', async () => {
  const program = `const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));
    const mode = require('fs').readFileSync(__dirname + '/mode', 'utf8');
    require('fs').writeFileSync(__dirname + '/asked.json', JSON.stringify({ asked, env: Object.keys(process.env) }));
    if (mode === 'hang') setTimeout(() => {}, 60000);
    else if (mode === 'noise') console.log('x'.repeat(20000));
    else if (mode === 'fails') process.exit(1);
    else if (mode === 'words') console.log('@task shop - one-step - rm -rf /');
    else if (mode === 'foreign') console.log(JSON.stringify({ proposals: ['p999', '@kill shop'] }));
    else console.log(JSON.stringify({ proposals: [asked.proposals.find((one) => one.label.includes('one step')).id] }));`;
  const bosun = await givenBosun({
    config: (folder) => {
      writeFileSync(join(folder, 'intent.cjs'), program);
      return { intent: { run: [process.execPath, join(folder, 'intent.cjs')], timeout_s: 1 } };
    },
  });
  const labels = async (mode: string, text = 'the totals come out wrong') => {
    writeFileSync(join(bosun.folder, 'mode'), mode);
    return (await bosun.say(text)).messages[0]?.buttons.map(({ label }) => label) ?? [];
  };
  expect(await labels('one')).toEqual(['shop: Do it in one step']);
  const { asked, env } = JSON.parse(bosun.read('../asked.json'));
  expect(asked).toMatchObject({
    text: 'the totals come out wrong',
    proposals: expect.arrayContaining([{ id: 'p2', label: 'status shop' }]),
  });
  expect(env).not.toContain('VITEST');
  const plain = await labels('foreign');
  expect(plain).not.toContain('shop: Do it in one step');
  for (const mode of ['hang', 'noise', 'fails', 'words']) expect(await labels(mode), mode).toEqual(plain);
  expect(await labels('one', 'add a cart to shop, start with bdd')).toEqual(['Start at bdd']);
  expect(bosun.status().run).toBeNull();
  await labels('one');
  bosun.plan({ task: { files: { 'a.txt': 'x' } } });
  await bosun.pressButton('shop: Do it in one step');
  expect(bosun.status().run).toMatchObject({ workflow: 'one-step', task: 'the totals come out wrong' });
});
