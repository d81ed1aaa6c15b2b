// Every stop has its ways out: retry, skip, rollback, abort; stopping, killing and going on.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type Bosun, givenBosun, type Options, test, until } from './bosun.js';

const flow = `
workflow: three
version: 1
chain:
  - { id: build, kind: task, prompt: Build it., max_attempts: 2 }
  - { id: polish, kind: task, prompt: Polish it., max_attempts: 2 }
  - { id: look, kind: human }
  - { id: ship, kind: task, prompt: Ship it., mandatory: true, max_attempts: 1 }
`;

const given = (plan: Options['plan'] = {}) =>
  givenBosun({
    projects: { shop: { workflow: 'three', files: { '.ai/workflows/three.yaml': flow, 'own.txt': 'mine\n' } } },
    plan,
  });

const steps = (bosun: Bosun) => bosun.calls().map((call) => call.step);
const failing = { status: 'failing', summary: 'it does not shine' };

test('an escalation names the step and its attempts, and "continue" only shows it again', async () => {
  const bosun = await given({ polish: failing });
  await bosun.run('shop', 'a thing');
  expect(bosun.asked()).toMatchObject({ kind: 'escalation' });
  expect(bosun.asked().text).toBe('shop stuck at polish (2 attempts)\nit does not shine');
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'escalation' });
  const { id } = bosun.asked();
  const shown = await bosun.say('continue');
  expect(shown.messages.at(-1)?.buttons.map((button) => button.label)).toEqual([
    ...['Retry', 'Retry with a note', 'Skip', 'Rollback', 'Abort'],
    ...['Show diff', 'Show log'],
  ]);
  expect(bosun.asked().id).toBe(id);
  expect(steps(bosun)).toEqual(['build', 'polish', 'polish']);
});

test('"retry" as text passes its note to the step and resets its attempts', async () => {
  const bosun = await given({ polish: [failing, failing, failing, {}] });
  await bosun.run('shop', 'a thing');
  await bosun.say('retry shop: use the soft cloth');
  expect(bosun.calls('polish').map((call) => call.attempt)).toEqual([1, 2, 1, 2]);
  expect(bosun.calls('polish').filter((call) => call.prompt.includes('use the soft cloth'))).toHaveLength(1);
  expect(bosun.calls('polish')[2]?.prompt).toContain('use the soft cloth');
  expect(bosun.asked().kind).toBe('review');
});

test('the "Retry" button retries the step, and the old card no longer works', async () => {
  const bosun = await given({ polish: [failing, failing, {}] });
  await bosun.run('shop', 'a thing');
  const old = bosun.asked().id;
  await bosun.pressButton('Retry');
  expect(bosun.asked().kind).toBe('review');
  const late = await bosun.press(`${old}.skip`);
  expect(late.exit).toBe(3);
  expect(late.text).toContain('Tried again by Owner');
  expect(bosun.node('polish').state).toBe('passed');
});

test('a skipped step keeps its reason and author, and a mandatory step cannot be skipped', async () => {
  const bosun = await given({ polish: failing, ship: failing });
  await bosun.run('shop', 'a thing');
  await bosun.say('skip shop polish: it is dull on purpose');
  expect(bosun.node('polish')).toMatchObject({ state: 'skipped', skip_reason: 'it is dull on purpose (owner)' });
  await bosun.reply('review', 'ok');
  const refused = await bosun.say('skip ship');
  expect(refused).toMatchObject({ exit: 3 });
  expect(refused.text).toContain('ship may not be skipped');
  await bosun.pressButton('Skip');
  expect(bosun.asked()).toMatchObject({ kind: 'confirm' });
  expect(bosun.asked().text).toContain('ship may not be skipped. Give up shop instead?');
  await bosun.pressButton('Keep it');
  expect(bosun.asked().kind).toBe('escalation');
  await bosun.pressButton('Skip');
  await bosun.pressButton('Give it up');
  expect(bosun.status().run?.status).toBe('cancelled');
});

test("a rollback reverts the agent's changes and loses nothing of the person's", async () => {
  const bosun = await given({
    build: [
      { files: { 'built.txt': 'first\n', 'own.txt': 'mine\nand built\n' } },
      { files: { 'built.txt': 'second\n' } },
    ],
    polish: [{ ...failing, files: { 'polish.txt': 'dull\n' } }, failing, {}],
  });
  await bosun.run('shop', 'a thing');
  bosun.write('notes.txt', 'my own notes\n');
  await bosun.pressButton('Rollback');
  expect(bosun.asked()).toMatchObject({ kind: 'choice' });
  await bosun.pressButton('build');
  expect(bosun.asked().kind).toBe('review');
  expect(steps(bosun)).toEqual(['build', 'polish', 'polish', 'build', 'polish']);
  expect(bosun.read('own.txt')).toBe('mine\n');
  expect(bosun.read('built.txt')).toBe('second\n');
  expect(bosun.has('polish.txt')).toBe(false);
  const kept = bosun.thread().find((message) => message.text.includes('The undone changes are in'))?.text ?? '';
  const [, file = ''] = /are in (.+\.diff)\./.exec(kept) ?? [];
  // What came into the checkout since, by whomever, is never lost.
  expect(readFileSync(file, 'utf8')).toContain('dull');
  expect(bosun.has('notes.txt') || readFileSync(file, 'utf8').includes('my own notes')).toBe(true);
  expect(bosun.git('shop', 'stash', 'list')).toBe('');
});

test('a rollback to a future step or to the present one is refused', async () => {
  const bosun = await given();
  await bosun.run('shop', 'a thing');
  expect(await bosun.say('rollback shop to ship')).toMatchObject({ exit: 3 });
  const present = await bosun.say('rollback shop to look');
  expect(present.exit).toBe(3);
  const unknown = await bosun.say('rollback shop to paint');
  expect(unknown.text).toContain('There is no step or story "paint"');
  expect(bosun.asked().kind).toBe('review');
});

test('an abort asks first, "continue" cancels it, and a confirmed abort ends the running step', async () => {
  const bosun = await given({ build: { until: 'never' } });
  await bosun.run('shop', 'a thing', { hasty: true });
  const call = await bosun.called('build');
  await bosun.say('abort shop', { hasty: true });
  expect(bosun.asked().text).toContain('Abort shop: a thing?\n1 running');
  const back = await bosun.say('continue shop', { hasty: true });
  expect(back.text).toContain('is still running (build)');
  expect(bosun.status().interactions).toEqual([]);
  await bosun.say('abort shop', { hasty: true });
  const aborted = await bosun.pressButton('Abort it');
  expect(aborted.text).toContain('aborted.');
  expect(bosun.status().run).toMatchObject({ status: 'cancelled', pause_reason: null });
  await until('the agent ends', () => !isAlive(call.pid));
  expect(bosun.node('build')).toMatchObject({ state: 'cancelled', outcome: 'cancelled' });
  expect(bosun.status().health).toBe('idle');
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('"stop" lets the running step finish and starts no other, and "continue" resumes', async () => {
  const bosun = await given({ build: { until: 'go' } });
  await bosun.run('shop', 'a thing', { hasty: true });
  await bosun.called('build');
  const stopped = await bosun.say('stop shop', { hasty: true });
  expect(stopped.text).toContain('Still running: build');
  expect(stopped.messages.at(-1)?.buttons.map((button) => button.label)).toEqual(['Kill it now', 'Continue']);
  bosun.openGate('go');
  await bosun.rest();
  expect(bosun.node('build').outcome).toBe('pass');
  expect(steps(bosun)).toEqual(['build']);
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'user' });
  await bosun.say('continue');
  expect(steps(bosun)).toEqual(['build', 'polish']);
});

test('"Kill it now" ends the process, and an escalation waits for a person', async () => {
  const bosun = await given({ build: [{ until: 'never' }, {}] });
  await bosun.run('shop', 'a thing', { hasty: true });
  const { pid } = await bosun.called('build');
  await bosun.say('stop', { hasty: true });
  await bosun.pressButton('Kill it now');
  expect(isAlive(pid)).toBe(false);
  expect(bosun.node('build')).toMatchObject({ state: 'cancelled', outcome: 'cancelled' });
  expect(bosun.asked().kind).toBe('escalation');
  await bosun.say('continue');
  expect(bosun.asked().kind).toBe('escalation');
  await bosun.pressButton('Retry');
  expect(steps(bosun)).toEqual(['build', 'build', 'polish']);
});

test('"stop all" pauses every active project, and "continue all" resumes each of them', async () => {
  const bosun = await givenBosun({
    projects: { shop: { workflow: 'stories' }, blog: { workflow: 'stories' }, idle: {} },
  });
  await bosun.run('shop', 'US-001 one');
  await bosun.run('blog', 'US-002 two');
  await bosun.say('stop all');
  expect(['shop', 'blog'].map((one) => bosun.status(one).run?.pause_reason)).toEqual(['user', 'user']);
  expect(bosun.status('idle').run).toBeNull();
  await bosun.say('continue all');
  // Each has run on to the question that comes next.
  expect(['shop', 'blog'].map((one) => bosun.status(one).run?.pause_reason)).toEqual(['decision', 'decision']);
  expect(bosun.status('idle').run).toBeNull();
});

test('a cancelled proposal starts no run, and the next task can be proposed', async () => {
  const bosun = await given();
  await bosun.say('shop: a thing');
  expect(bosun.asked()).toMatchObject({ kind: 'confirm' });
  expect(bosun.asked().options.map((one) => one.label)).toEqual(['Start', 'Cancel']);
  expect(bosun.status().run).toMatchObject({ status: 'draft' });
  await bosun.pressButton('Cancel');
  expect(bosun.status().run).toMatchObject({ status: 'cancelled' });
  await bosun.say('shop: another thing');
  await bosun.say('continue');
  expect(steps(bosun)).toEqual(['build', 'polish']);
});

test('after a restart open questions are still asked, and the interrupted step runs again', async () => {
  const bosun = await given({ build: [{ until: 'never' }, {}] });
  await bosun.run('shop', 'a thing', { hasty: true });
  const { pid } = await bosun.called('build');
  await bosun.close();
  expect(isAlive(pid)).toBe(false);
  await bosun.open();
  await bosun.rest();
  expect(steps(bosun)).toEqual(['build', 'build', 'polish']);
  const { id } = bosun.asked();
  await bosun.close();
  await bosun.open();
  expect(bosun.asked().id).toBe(id);
  await bosun.press(`${id}.approve`);
  expect(bosun.status().run?.status).toBe('completed');
});

test('"abort" ends a draft that was never started, together with its proposal', async () => {
  const bosun = await given();
  await bosun.say('shop: a thing');
  await bosun.say('abort');
  expect(bosun.status().interactions).toHaveLength(2);
  await bosun.pressButton('Abort it');
  expect(bosun.status()).toMatchObject({ health: 'idle', run: { status: 'cancelled' }, interactions: [] });
  expect(bosun.calls()).toEqual([]);
});

test('a running step can be neither retried, skipped nor rolled back, and "why" and "status" describe it', async () => {
  const bosun = await given({ build: { until: 'go' } });
  await bosun.run('shop', 'a thing', { hasty: true });
  await bosun.called('build');
  for (const text of ['retry', 'skip', 'rollback to build']) {
    expect(await bosun.say(text, { hasty: true })).toMatchObject({ exit: 3 });
  }
  expect((await bosun.say('why', { hasty: true })).text).toBe('shop is working: build, attempt 1 (said nothing yet).');
  expect((await bosun.say('status', { hasty: true })).text).toContain('build: working, attempt 1 of 2');
  expect(bosun.status().health).toBe('running');
  bosun.openGate('go');
  await bosun.rest();
  expect(steps(bosun)).toEqual(['build', 'polish']);
});
