// Several projects, several runs, several stories.
import { expect } from 'vitest';
import { queuedTasks } from '../../src/dispatch/index.js';
import { givenBosun, test } from './bosun.js';

const short = { workflow: 'stories' };

test('with two projects "continue" asks which one, and the pressed button continues it', async () => {
  const bosun = await givenBosun({
    projects: { shop: { ...short, aliases: ['A'] }, blog: { ...short, aliases: ['B'] } },
  });
  await bosun.import('shop', [{ id: 'US-001', title: 'One' }]);
  await bosun.import('blog', [{ id: 'US-002', title: 'Two' }]);
  const asked = await bosun.say('continue');
  expect(asked.messages.at(-1)).toMatchObject({ text: 'Which project?' });
  expect(asked.messages.at(-1)?.buttons.map((button) => button.label)).toEqual(['shop', 'blog']);
  expect(bosun.calls()).toHaveLength(0);
  await bosun.pressButton('blog');
  expect(bosun.calls('build').map((call) => call.project)).toEqual(['blog']);
  expect(bosun.status('shop').run?.status).toBe('draft');
});

test('"continue B" reports that B is still running, and A runs in parallel', async () => {
  const bosun = await givenBosun({
    projects: { shop: { ...short, aliases: ['A'] }, blog: { ...short, aliases: ['B'] } },
    plan: { 'blog build': { until: 'go' } },
  });
  await bosun.run('blog', 'US-002 two', { hasty: true });
  await bosun.called('build', 1, 'blog');
  const again = await bosun.say('continue B', { hasty: true });
  expect(again.text).toMatch(/^US-002 is still running \(build\), for/);
  await bosun.run('shop', 'US-001 one');
  expect(bosun.asked('shop').kind).toBe('review');
  expect(bosun.status('blog')).toMatchObject({ health: 'running', run: { status: 'running' } });
  bosun.openGate('go');
  await bosun.rest();
  expect(bosun.calls('build', 'blog')).toHaveLength(1);
  expect(JSON.parse(bosun.read('.ai/STATE.json', 'blog'))).toMatchObject({ project: 'blog', story: 'US-002' });
  expect(JSON.parse(bosun.read('.ai/STATE.json', 'shop'))).toMatchObject({ project: 'shop', story: 'US-001' });
});

test('two simultaneous "continue" messages dispatch once', async () => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await bosun.import('shop', [{ id: 'US-001', title: 'One' }]);
  const both = await Promise.all([
    bosun.say('continue shop', { hasty: true }),
    bosun.say('continue shop', { hasty: true, thread: 'other' }),
  ]);
  await bosun.rest();
  expect(bosun.calls('build')).toHaveLength(1);
  expect(both.map((said) => said.exit)).toEqual([0, 0]);
});

test('an unknown project is answered with suggestions and starts nothing', async () => {
  const bosun = await givenBosun({ projects: { shop: short, blog: short } });
  await bosun.say('use blog');
  const meant = await bosun.say('status');
  expect(meant.text).toContain('blog: idle');
  await expect(bosun.run('shpo', 'US-001 one')).rejects.toMatchObject({
    message: expect.stringContaining('No project "shpo"'),
    hint: expect.stringMatching(/shop.*blog|blog.*shop/),
  });
  const asked = await bosun.say('continue shpo');
  expect([asked.exit, asked.text]).toEqual([2, expect.stringContaining('Did you mean')]);
  expect(asked.messages.at(-1)?.buttons.map((button) => button.label)).toContain('continue shop');
  expect(bosun.calls()).toHaveLength(0);
});

test('a run started while another is active is queued and starts when that one ends', async () => {
  const bosun = await givenBosun({ projects: { shop: short }, plan: { 'US-001 build': { until: 'go' } } });
  await bosun.run('shop', 'US-001 one', { hasty: true });
  await bosun.called('build');
  const second = await bosun.say('shop: US-002 two', { hasty: true });
  expect(second.text).toContain('Queued, 1st');
  const queued = await bosun.pressButton('Start', { hasty: true });
  expect(queued.text).toContain('starts when its turn comes');
  expect(bosun.status().drafts).toEqual([{ id: 'r2', task: 'US-002 two', approved: true }]);
  bosun.openGate('go');
  await bosun.rest();
  await bosun.reply('review', 'ok');
  expect(bosun.status().run).toMatchObject({ id: 'r2', status: 'paused' });
  expect(bosun.calls('build').map((call) => call.run)).toEqual(['r1', 'r2']);
  expect(bosun.status().drafts).toEqual([]);
});

test.each([
  ['an array', (stories: unknown[]) => stories],
  ['an object', (stories: unknown[]) => ({ project: 'shop', userStories: stories })],
])('stories imported as %s make a draft, and a story starts only after the one it depends on', async (_, wrap) => {
  const bosun = await givenBosun({ projects: { shop: { ...short, afterStory: 'start' } } });
  const imported = await bosun.import(
    'shop',
    wrap([
      { id: 'US-002', title: 'Second', depends_on: ['US-003'], acceptanceCriteria: ['it is second'] },
      { id: 'US-003', title: 'Third' },
    ]),
  );
  expect(imported.text).toContain('2 stories imported as r1');
  expect(bosun.status().run).toMatchObject({ id: 'r1', status: 'draft' });
  expect(bosun.status().items).toMatchObject([
    { key: 'US-002', depends_on: ['US-003'] },
    { key: 'US-003', depends_on: [] },
  ]);
  await bosun.say('continue shop');
  expect(bosun.calls().map((call) => call.item)).toEqual(['US-003']);
  await bosun.reply('review', 'ok');
  expect(bosun.asked()).toMatchObject({ kind: 'review', item: 'US-002' });
  expect(bosun.calls('build')[1]?.prompt).toContain('- it is second');
});

test('a story that depends on a skipped one is blocked, and a card offers to skip it too', async () => {
  const bosun = await givenBosun({ projects: { shop: { ...short, afterStory: 'start' } } });
  await bosun.import('shop', [
    { id: 'US-001', title: 'One' },
    { id: 'US-002', title: 'Two', depends_on: ['US-001'] },
    { id: 'US-003', title: 'Three' },
  ]);
  await bosun.say('continue shop');
  await bosun.say('skip shop US-001: not wanted any more');
  expect(bosun.status().items.map((item) => `${item.key} ${item.status}`)).toEqual([
    'US-001 cancelled',
    'US-002 blocked',
    'US-003 running',
  ]);
  await bosun.reply('review', 'ok');
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'failure' });
  expect(bosun.asked().options.map((one) => one.label)).toEqual(['Skip US-002', 'Abort']);
  expect(bosun.posts().join('\n')).toMatch(/US-002.*(blocked|waits)|(blocked|stuck).*US-002/i);
  await bosun.pressButton('Skip US-002');
  expect(bosun.status().run?.status).toBe('completed');
});

test.each([
  [
    'a cycle',
    [
      { id: 'A-1', title: 'a', depends_on: ['A-2'] },
      { id: 'A-2', title: 'b', depends_on: ['A-1'] },
    ],
    'A-1 → A-2 → A-1',
  ],
  ['an unknown story', [{ id: 'A-1', title: 'a', depends_on: ['A-9'] }], 'A-1 depends on A-9'],
  [
    'the same id twice',
    [
      { id: 'A-1', title: 'a' },
      { id: 'A-1', title: 'b' },
    ],
    'two stories have the id A-1',
  ],
])('an import with %s is refused with its reason and creates no run', async (_, stories, why) => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await expect(bosun.import('shop', stories)).rejects.toThrow(why);
  expect(bosun.status().run).toBeNull();
});

test('a project can have the next story started without asking', async () => {
  const bosun = await givenBosun({ projects: { shop: { ...short, afterStory: 'start' } } });
  await bosun.import('shop', [
    { id: 'US-001', title: 'One' },
    { id: 'US-002', title: 'Two' },
  ]);
  await bosun.say('continue shop');
  await bosun.reply('review', 'ok');
  expect(bosun.asked()).toMatchObject({ kind: 'review', item: 'US-002' });
});

test('a proposed next story starts by its button, and "Finish here" ends the run', async () => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await bosun.import('shop', [
    { id: 'US-001', title: 'One' },
    { id: 'US-002', title: 'Two' },
    { id: 'US-003', title: 'Three' },
    { id: 'US-004', title: 'Four' },
  ]);
  await bosun.say('continue shop');
  await bosun.reply('review', 'ok');
  await bosun.say('continue shop');
  expect(bosun.asked()).toMatchObject({ kind: 'review', item: 'US-002' });
  await bosun.reply('review', 'ok');
  await bosun.pressButton('Start US-003');
  expect(bosun.asked()).toMatchObject({ kind: 'review', item: 'US-003' });
  await bosun.reply('review', 'ok');
  await bosun.pressButton('Finish here');
  expect(bosun.status().run?.status).toBe('completed');
  expect(bosun.status().items.map((item) => item.status)).toEqual(['done', 'done', 'done', 'cancelled']);
  expect(bosun.thread().at(-1)?.text).toMatch(/done/);
});

const naming = `
workflow: naming
version: 1
chain:
  - id: stories
    kind: loop
    over: items
    body:
      - { id: build, kind: task, prompt: Build it., outputs: [NEXT_STORY] }
      - { id: look, kind: human }
`;

test('a story named by a report joins the run and is proposed next', async () => {
  const bosun = await givenBosun({
    projects: { shop: { workflow: 'naming', files: { '.ai/workflows/naming.yaml': naming } } },
    plan: { 'US-001 build': { print: 'NEXT_STORY: US-002 Discount codes' } },
  });
  await bosun.run('shop', 'US-001 one');
  await bosun.reply('review', 'ok');
  expect(bosun.asked()).toMatchObject({ kind: 'confirm' });
  expect(bosun.asked().text).toContain('Next: US-002 Discount codes');
});

const failing = `
workflow: hard
version: 1
chain:
  - { id: build, kind: task, prompt: Build it., max_attempts: 1, on_exhausted: fail }
  - { id: look, kind: human }
`;

test('a failed run keeps its place until a person resolves it, and then the queued run starts', async () => {
  const shop = { workflow: 'hard', files: { '.ai/workflows/hard.yaml': failing } };
  const bosun = await givenBosun({ projects: { shop }, plan: { build: { status: 'failing' } } });
  await bosun.run('shop', 'first');
  const { id } = bosun.asked();
  expect(bosun.status().run).toMatchObject({ id: 'r1', status: 'failed' });
  expect(bosun.asked().options.map((one) => one.label)).toEqual([
    'Retry',
    'Retry with a note',
    'Skip',
    'Rollback',
    'Abort',
  ]);
  bosun.plan({});
  await bosun.say('shop: second');
  const queued = await bosun.pressButton('Start');
  expect(queued.text).toContain('starts when its turn comes');
  expect(bosun.calls().map((call) => call.run)).toEqual(['r1']);
  await bosun.press(`${id}.retry`);
  expect(bosun.calls().map((call) => call.run)).toEqual(['r1', 'r1']);
  await bosun.reply('review', 'ok');
  expect(bosun.calls().map((call) => call.run)).toEqual(['r1', 'r1', 'r2']);
});

test('a thread that drives a run follows it from then on, and so does the first thread', async () => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await bosun.run('shop', 'US-001 one', { thread: 'a' });
  expect(bosun.posts('b')).toEqual([]);
  await bosun.say(`approve ${bosun.asked().id}`, { thread: 'b' });
  for (const thread of ['a', 'b']) expect(bosun.thread(thread).at(-1)?.text).toMatch(/Done · .*\nshop is done/);
  expect(bosun.thread('a').filter((message) => message.kind === 'review')).toHaveLength(1);
});

test('a quiet thread gets questions and results, but no progress', async () => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await bosun.say('quiet');
  await bosun.run('shop', 'US-001 one');
  await bosun.reply('review', 'ok');
  expect(bosun.thread().map((message) => message.kind)).not.toContain('progress');
  expect(bosun.thread().map((message) => message.kind)).toContain('review');
  expect(bosun.thread().at(-1)?.text).toContain('is done');
  await bosun.say('verbose');
  await bosun.run('shop', 'US-002 two');
  expect(bosun.thread().map((message) => message.kind)).toContain('progress');
});

test('the queue lists its tasks by title, and its buttons move a task to the front and take one out', async () => {
  const shop = { ...short, members: { vic: 'viewer' } };
  const bosun = await givenBosun({ projects: { shop }, plan: { 'US-001 build': { until: 'go' } } });
  await bosun.run('shop', 'US-001 one', { hasty: true });
  await bosun.called('build');
  for (const task of ['US-002 two', 'US-003 three', 'US-004 four']) {
    await bosun.say(`shop: ${task}`, { hasty: true });
    await bosun.pressButton('Start', { hasty: true });
  }
  const listed = await bosun.say('queue shop', { hasty: true });
  expect(listed.text).toMatch(/Queue of shop · 3 waiting\nNow: “US-001 one”.*\n1\. “US-002 two”.*\n2\. “US-003 three”/);
  expect(listed.text).not.toMatch(/\br[1-4]\b/);
  const refused = await bosun.pressButton('Remove 1', { as: 'vic', hasty: true });
  expect(refused).toMatchObject({ exit: 3 });
  expect((await bosun.pressButton('Move 3 first', { hasty: true })).text).toContain('“US-004 four” is first now.');
  await bosun.say('queue', { hasty: true });
  const removed = await bosun.pressButton('Remove 2', { hasty: true });
  expect(removed.text).toContain('Taken out of the queue: “US-002 two”.');
  const waiting = () => bosun.app.runtime.store.drafts('shop').map(({ task }) => task);
  expect(waiting()).toEqual(['US-004 four', 'US-003 three']);
  expect((await bosun.say('move q3 up', { hasty: true })).text).toBe('“US-003 three” is first now.');
  expect((await bosun.say('move q3 up', { hasty: true })).text).toBe('“US-003 three” is first already.');
  expect((await bosun.say('move q3 down', { hasty: true })).text).toBe('“US-003 three” is 2nd now.');
  expect(await bosun.say('drop q4', { as: 'vic', hasty: true })).toMatchObject({ exit: 3 });
  await bosun.say('drop q4', { hasty: true });
  await bosun.pressButton('Put it back', { hasty: true });
  expect(waiting()).toEqual(['US-004 four', 'US-003 three']);
  expect((await bosun.say('drop q4', { hasty: true })).text).toContain('no longer in the queue');
  await bosun.say('drop q5', { hasty: true });
  expect(queuedTasks(bosun.app.runtime.store, 'shop')).toMatchObject([{ id: 'q3', position: 1, task: 'US-003 three' }]);
  await bosun.say('start shop: US-004 four', { hasty: true });
  await bosun.pressButton('Start', { hasty: true });
  await bosun.say('move q6 first', { hasty: true });
  bosun.openGate('go');
  await bosun.rest();
  await bosun.reply('review', 'ok');
  expect(bosun.status().run).toMatchObject({ id: 'r6', status: 'paused' });
  expect(bosun.status().drafts.map(({ id }) => id)).toEqual(['r3']);
});

test('with after_run: propose the next task waits for a button, which starts it', async () => {
  const bosun = await givenBosun({
    projects: { shop: { ...short, afterRun: 'propose' } },
    plan: { 'US-001 build': { until: 'go' } },
  });
  await bosun.run('shop', 'US-001 one', { hasty: true });
  await bosun.called('build');
  await bosun.say('shop: US-002 two', { hasty: true });
  await bosun.pressButton('Start', { hasty: true });
  bosun.openGate('go');
  await bosun.rest();
  await bosun.reply('review', 'ok');
  const statusOf = (run: string) => bosun.app.runtime.store.run(run)?.status;
  expect([statusOf('r1'), statusOf('r2')]).toEqual(['completed', 'draft']);
  const offer = bosun.thread().find(({ text }) => text.startsWith('Next · '));
  expect(offer?.text).toBe('Next · US-002 two\nshop · first in the queue, asked by Owner');
  await bosun.pressButton('Start it');
  expect(bosun.status().run).toMatchObject({ id: 'r2', status: 'paused' });
});

test('a proposal says what such work usually takes once three runs of its workflow were completed', async () => {
  const flow = 'workflow: one\nversion: 1\nchain:\n  - { id: build, prompt: Build it. }\n';
  const files = { '.ai/workflows/one.yaml': flow };
  const bosun = await givenBosun({ projects: { shop: { workflow: 'one', files } } });
  for (const task of ['first', 'second']) await bosun.run('shop', task);
  expect((await bosun.say('shop: third')).text).not.toContain('Usually');
  await bosun.pressButton('Start');
  const proposed = await bosun.say('shop: fourth');
  expect(proposed.text).toMatch(/\nUsually under a minute\.\nCode i\d+-\d+$/);
});
