// Manual, semi and auto: who says that the next step is taken.
import { expect } from 'vitest';
import { type Bosun, givenBosun, test } from './bosun.js';

const flow = `
workflow: three
version: 1
chain:
  - { id: build, kind: task, prompt: Build it. }
  - { id: polish, kind: task, prompt: Polish it. }
  - { id: ship, kind: task, prompt: Ship it. }
`;

const given = (level: 'manual' | 'semi' | 'auto', more = {}) =>
  givenBosun({
    projects: { shop: { level, workflow: 'three', files: { '.ai/workflows/three.yaml': flow } } },
    ...more,
  });

const steps = (bosun: Bosun) => bosun.calls().map((call) => call.step);

test('at level manual nothing runs until a step is named, and its instruction is the whole prompt', async () => {
  const bosun = await given('manual');
  await bosun.run('shop', 'a thing');
  expect(steps(bosun)).toEqual([]);
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'level' });
  const bare = await bosun.say('continue shop');
  expect(bare.messages.at(-1)?.buttons.map((button) => button.label)).toEqual(['build', 'polish', 'ship']);
  await bosun.say('continue shop polish: Use {braces} and --flags, please');
  expect(steps(bosun)).toEqual(['polish']);
  expect(bosun.calls()[0]?.prompt.trim()).toBe('Use {braces} and --flags, please');
  await bosun.pressButton('build');
  expect(steps(bosun)).toEqual(['polish', 'build']);
  expect(bosun.calls()[1]?.prompt).toContain('Build it.');
  const unknown = await bosun.say('continue shop paint');
  expect(unknown.exit).toBe(3);
  expect(unknown.text).toContain('There is no step or story "paint". Steps and stories: build, polish, ship');
  expect(steps(bosun)).toHaveLength(2);
});

test('at level semi "continue" with a named step is refused', async () => {
  const bosun = await given('semi');
  await bosun.run('shop', 'a thing');
  const refused = await bosun.say('continue shop ship: now');
  expect(refused.exit).toBe(3);
  expect(refused.text).toContain('steps are named only at level manual');
  expect(steps(bosun)).toEqual(['build']);
});

test('at level semi one press runs all the named steps', async () => {
  const longer = `${flow}  - { id: tell, kind: task, prompt: Tell of it. }\n`;
  const bosun = await givenBosun({
    projects: { shop: { level: 'semi', workflow: 'three', files: { '.ai/workflows/three.yaml': longer } } },
  });
  await bosun.run('shop', 'a thing');
  await bosun.say('continue with polish + ship, please');
  expect(steps(bosun)).toEqual(['build']);
  await bosun.pressButton('Run polish, ship');
  expect(steps(bosun)).toEqual(['build', 'polish', 'ship']);
  expect(bosun.status().run?.status).toBe('paused');
  expect(bosun.node('tell').state).toBe('ready');
});

test('at level semi each "continue" dispatches once, and the next step is announced with its failure count', async () => {
  const bosun = await given('semi', { plan: { polish: [{ status: 'failing', summary: 'too dull' }, {}] } });
  await bosun.run('shop', 'a thing');
  expect(steps(bosun)).toEqual(['build']);
  expect(bosun.thread().at(-1)?.text).toContain('Next · a thing\nshop · polish');
  await bosun.pressButton('Continue');
  expect(steps(bosun)).toEqual(['build', 'polish']);
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'level' });
  expect(bosun.thread().at(-1)?.text).toContain('shop · polish, failed once so far');
  await bosun.say('continue');
  expect(bosun.calls('polish').map((call) => call.attempt)).toEqual([1, 2]);
  await bosun.say('continue');
  expect(bosun.status().run?.status).toBe('completed');
});

test('at level semi a manual report settles the ready step once, although the hook fires repeatedly', async () => {
  const bosun = await given('semi');
  await bosun.run('shop', 'a thing');
  expect(bosun.node('polish')).toMatchObject({ state: 'ready', outcome: null });
  bosun.write('polished.txt', 'bright\n');
  const fired = [];
  for (let time = 0; time < 3; time++)
    fired.push(await bosun.hook('shop', { status: 'done', summary: 'polished by hand' }));
  expect(fired.map((one) => one.exit)).toEqual([0, 0, 0]);
  expect(bosun.node('polish')).toMatchObject({ state: 'passed', outcome: 'pass', summary: 'polished by hand' });
  expect(bosun.node('ship')).toMatchObject({ state: 'ready', outcome: null });
  expect(bosun.app.runtime.store.attempts('r1', bosun.node('polish').id)).toHaveLength(1);
  expect(steps(bosun)).toEqual(['build']);
  await bosun.say('continue shop');
  expect(steps(bosun)).toEqual(['build', 'ship']);
  expect(bosun.status().run?.status).toBe('completed');
});

test('three simultaneous hooks count once', async () => {
  const bosun = await given('semi');
  await bosun.run('shop', 'a thing');
  const fire = () => bosun.hook('shop', { status: 'pass' });
  await Promise.all([fire(), fire(), fire()]);
  expect(bosun.app.runtime.store.attempts('r1', bosun.node('polish').id)).toHaveLength(1);
  expect(bosun.node('ship').outcome).toBeNull();
});

test('a hook is refused when no step waits for a report, and changes nothing while an agent runs', async () => {
  const bosun = await given('auto', { plan: { polish: { until: 'go' } } });
  await expect(bosun.hook('shop', { status: 'pass' })).rejects.toThrow('no step that waits for a report');
  await bosun.run('shop', 'a thing', { hasty: true });
  const call = await bosun.called('polish');
  const events = bosun.app.runtime.store.events('r1', 0, 1000).length;
  await bosun.say('status', { hasty: true });
  const token = call.env['BOSUN_TOKEN'] ?? '';
  const [withToken, without] = await Promise.all([hastyHook(bosun, token), hastyHook(bosun, null)]);
  expect([withToken, without]).toEqual([0, 0]);
  expect(bosun.app.runtime.store.events('r1', 0, 1000)).toHaveLength(events);
  bosun.openGate('go');
  await bosun.rest();
  expect(bosun.status().run?.status).toBe('completed');
  await expect(bosun.hook('shop', { token, status: 'pass' })).rejects.toThrow('belongs to no attempt');
});

test('a report by hand names its run where steps of two runs wait, and else is refused', async () => {
  const bosun = await givenBosun({ projects: { shop: { level: 'manual' } } });
  await bosun.run('shop', 'US-001 One');
  await bosun.say('start shop: US-002 Two');
  await bosun.say('start q2 beside');
  const dispatched = () => ['r1', 'r2'].map((run) => bosun.app.runtime.store.run(run)?.counters.dispatches);
  const before = dispatched();
  await expect(bosun.hook('shop', { status: 'pass' })).rejects.toThrow(
    /^Steps of several runs in shop wait for a report: r1 \(.+\), r2 \(.+\)/,
  );
  expect(dispatched()).toEqual(before);
  await bosun.hook('shop', { run: 'r2', status: 'pass' });
  expect(dispatched()).toEqual([before[0], (before[1] ?? 0) + 1]);
  await expect(bosun.hook('shop', { run: 'r7', status: 'pass' })).rejects.toThrow('no step that waits for a report');
});

async function hastyHook(bosun: Bosun, token: string | null): Promise<number> {
  const { perform } = await import('../../src/bot/index.js');
  const base = { thread: 'local', as: null, cwd: bosun.folder };
  const answered = await perform(bosun.app, {
    do: 'hook',
    project: 'shop',
    token,
    status: 'pass',
    reason: null,
    summary: null,
    ...base,
  });
  return answered.exit;
}

test('level manual overrides a workflow made for auto, and its reviews are still asked', async () => {
  const bosun = await givenBosun({ projects: { shop: { level: 'manual' } } });
  await bosun.run('shop', 'US-001 a thing');
  expect(bosun.status()).toMatchObject({ level: 'manual', run: { status: 'paused', pause_reason: 'level' } });
  expect(steps(bosun)).toEqual([]);
  for (const step of ['bdd', 'sdd-delta', 'contract']) await bosun.say(`continue shop ${step}`);
  expect(steps(bosun)).toEqual(['bdd', 'sdd-delta', 'contract']);
  expect(bosun.asked()).toMatchObject({ kind: 'review', item: 'US-001' });
  await bosun.reply('review', 'ok');
  expect(steps(bosun)).toHaveLength(3);
  await bosun.say('continue shop impl: only the header');
  expect(bosun.calls('impl')[0]?.prompt.trim()).toBe('only the header');
});

test('at level semi an approved review does not dispatch the next step', async () => {
  const bosun = await givenBosun({ projects: { shop: { level: 'semi' } } });
  await bosun.import('shop', [{ id: 'US-001', title: 'One' }]);
  for (let time = 0; time < 3; time++) await bosun.say('continue');
  expect(steps(bosun)).toEqual(['bdd', 'sdd-delta', 'contract']);
  await bosun.reply('review', 'ok');
  expect(steps(bosun)).toHaveLength(3);
  expect(bosun.thread().at(-1)?.text).toContain('Next · One\nshop · US-001 · Test scaffolding');
  await bosun.say('continue');
  expect(steps(bosun)).toEqual(['bdd', 'sdd-delta', 'contract', 'scaffold']);

  const two = await givenBosun({ projects: { shop: { level: 'semi', workflow: 'stories' } } });
  await two.import('shop', [
    { id: 'US-001', title: 'One' },
    { id: 'US-002', title: 'Two' },
  ]);
  await two.say('continue');
  await two.reply('review', 'ok');
  expect(two.calls().map((call) => call.item)).toEqual(['US-001']);
  await two.pressButton('Start US-002');
  expect(two.calls().map((call) => call.item)).toEqual(['US-001', 'US-002']);
});
