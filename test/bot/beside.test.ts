// A waiting task starts at once beside the run that has the project's folder: in a worktree and on a branch of its own.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { inboxService, present } from '../../src/bot/index.js';
import { openRuntime, type Runtime } from '../../src/dispatch/index.js';
import { configOf, givenWorld } from '../dispatch/given.js';
import { runtimeParts } from '../runtime-parts.js';

const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects:
  shop:
    root: "%ROOT%"
    workflow: one
    MORE
    members: { ada: owner }
people: { ada: { telegram: 7 } }
channels: { telegram: { token: "1:x" } }
`;

const flow = `workflow: one
version: 1
chain:
  - { id: impl, prompt: Do it }
  - { id: review, kind: human }
`;

/** The agent writes its folder into a file called after that, and waits where one called \`hold\` lies. */
const agent =
  'pwd >> "made-$(basename "$PWD").txt"; while [ -e "$(dirname "$0")/hold" ]; do sleep 0.1; done; echo STATUS: pass';

async function shop(more = '') {
  const world = givenWorld(agent, config.replace('MORE', more));
  world.write('.ai/workflows/one.yaml', flow);
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'flow');
  const read = configOf(world);
  const hold = join(world.home.dir, '..', 'hold');
  const open = (): Runtime => openRuntime({ ...runtimeParts, home: world.home, config: () => read, present });
  let runtime = open();
  runtime.startWorker(4);
  onTestFinished(() => runtime.close());
  const say = async (text: string, replyTo: string | null = null) => {
    const body = { type: 'text', text, replyTo } as const;
    const { messages } = await inboxService(runtime, () => read).hear({ thread: 'tg:7', by: 'ada', body, cwd: '/' });
    return messages.map(({ view }) => view.text);
  };
  const press = (pressed: string) =>
    inboxService(runtime, () => read).hear({
      ...{ thread: 'tg:7', by: 'ada', cwd: '/' },
      body: { type: 'press', press: pressed, text: null },
    });
  const run = (id: string) => runtime.store.run(id);
  const until = (what: () => unknown, value: unknown) =>
    expect.poll(what, { timeout: 8_000, interval: 20 }).toEqual(value);
  const reviewOf = (id: string) =>
    runtime.store.openInteractions('shop').find((one) => one.run === id && one.interaction.kind === 'review')
      ?.interaction;
  const asked = async (id: string) => {
    await until(() => reviewOf(id) !== undefined, true);
    return reviewOf(id)?.id ?? '';
  };
  await say('shop: First');
  await press('i1-1.start');
  await say('shop: Second');
  await press('i2-1.start');
  return {
    ...{ world, hold, say, press, run, until, asked },
    texts: () => runtime.store.messages('tg:7', null, 500).map(({ view }) => view.text),
    last: () => runtime.store.messages('tg:7', null, 500).at(-1),
    async restart() {
      await runtime.close();
      runtime = open();
      await runtime.recover();
      runtime.startWorker(4);
    },
  };
}

it('works on its own branch while the other run goes on, and is not merged into the folder that the other one has', async () => {
  const { world, say, press, run, until, asked, texts } = await shop();
  const first = await asked('r1');
  expect((await say('queue shop'))[0]).toContain('1. “Second”');
  await say('start q2 beside');
  const second = await asked('r2');
  const folder = run('r2')?.branch?.folder ?? '';
  expect(run('r2')).toMatchObject({ beside: true, branch: { base: 'main', name: 'bosun/r2-second' } });
  expect(readFileSync(join(folder, 'made-run.txt'), 'utf8').trim()).toBe(folder);
  expect(readFileSync(join(world.root, 'made-shop.txt'), 'utf8').trim()).toBe(world.root);
  expect((await say('status shop'))[0]).toMatch(/^shop: waiting for you\n.*Beside it: “Second” \("status r2"\)$/s);
  expect((await say('status r2'))[0]).toMatch(/^shop: waiting for you · r2\n/);
  await press(`${second}.approve`);
  await until(() => run('r2')?.status, 'completed');
  await until(() => existsSync(folder), false);
  expect(world.git('show', 'bosun/r2-second:made-run.txt').trim()).toBe(folder);
  expect(texts().join('\n')).toContain('Not merged into main, because r1 works in the project');
  expect(run('r2')?.unlanded).toBe('waits');
  expect([run('r1')?.status, world.git('log', '--format=%s', 'main').split('\n').length]).toEqual(['paused', 2]);
  await press(`${first}.approve`);
  await until(() => run('r1')?.status, 'completed');
  expect(world.git('show', 'main:made-shop.txt').trim()).toBe(world.root);
});

/** The second run has ended unmerged; approving the first one's review ends that, too. */
async function besideEnded() {
  const shopping = await shop();
  const { say, press, run, until, asked, last } = shopping;
  const first = await asked('r1');
  await say('start q2 beside');
  await press(`${await asked('r2')}.approve`);
  await until(() => run('r2')?.unlanded, 'waits');
  return {
    ...shopping,
    endFirst: async () => {
      await press(`${first}.approve`);
      await until(() => run('r1')?.status, 'completed');
    },
    offered: () => until(() => last()?.view.text.split('\n')[0], 'Merge? · Second'),
    main: () => shopping.world.git('log', '--format=%s', 'main').split('\n'),
  };
}

it('is offered for merging once the folder is free, and merged with a button', async () => {
  const { world, press, until, endFirst, offered, last, main, texts } = await besideEnded();
  expect(texts().at(-2)).toContain('I will ask once it has ended.');
  await endFirst();
  await offered();
  const card = last();
  expect(card?.view).toMatchObject({
    rings: true,
    buttons: [
      ...[{ label: 'Merge now' }, { label: 'Leave it on its branch' }],
      ...[{ label: 'Show diff' }, { label: 'Show log' }],
    ],
  });
  expect(card?.view.text.split('\n').slice(0, -1)).toEqual([
    'Merge? · Second',
    'shop',
    'Merge r2 “Second” into main? It is on the branch bosun/r2-second.',
  ]);
  await press('i2-3.merge');
  await until(() => last()?.view.text.split(' · ')[0], '✅ Merged');
  expect(last()?.view.text).toMatch(/^✅ Merged · Second\nshop · 1 commit, 1 file \+1 −0, on main as [0-9a-f]{8}$/);
  expect(last()?.card).toBe(card?.card);
  expect([main().slice(0, 2), world.git('branch', '--list', 'bosun/*')]).toEqual([['Second', 'First'], '']);
});

it('is left on its branch, and merged later by its name', async () => {
  const { say, press, until, endFirst, offered, last, main } = await besideEnded();
  expect(await say('merge r2')).toEqual([
    'shop: another task is working in this folder; I will ask again once it is free.',
  ]);
  await endFirst();
  await offered();
  await press('i2-3.leave');
  expect(last()?.view.text).toMatch(/^✅ Left on its branch · Second\nshop\nby Ada.*\n"merge r2" merges it later\.$/);
  await say('merge r2');
  await until(() => last()?.view.text.split(' · ')[0], '✅ Merged');
  expect(main()[0]).toBe('Second');
  expect(await say('merge r2')).toEqual(['shop: r2 has no branch that waits to be merged.']);
  expect(await say('merge r9')).toEqual(['There is no task r9.']);
});

it('is offered anew when another task had taken the folder, and not while the queue goes on', async () => {
  const { say, press, run, until, asked, endFirst, offered, texts, main } = await besideEnded();
  await say('shop: Third');
  await press('i3-1.start');
  await endFirst();
  // The queue had a task for the free folder.
  const third = await asked('r3');
  expect(texts().filter((text) => text.startsWith('Merge?'))).toEqual([]);
  await press(`${third}.approve`);
  await until(() => run('r3')?.status, 'completed');
  await offered();
  await say('shop: Fourth');
  await press('i4-1.start');
  const fourth = await asked('r4');
  await press('i2-3.merge');
  expect(texts().join('\n')).toContain('I will ask again once it is free.');
  await press(`${fourth}.approve`);
  await until(() => run('r4')?.status, 'completed');
  await offered();
  await press('i2-4.merge');
  await until(() => main()[0], 'Second');
});

it('conflicts: the files are named, and the branch stays', async () => {
  const { world, press, until, endFirst, offered, last, main } = await besideEnded();
  await endFirst();
  await offered();
  world.write('made-run.txt', 'another\n');
  world.git('add', 'made-run.txt');
  world.git('commit', '-q', '-m', 'Other');
  await press('i2-3.merge');
  await until(() => last()?.view.text.split(' · ')[0], '⚠️ Not merged');
  expect(last()?.view.text.split('\n').slice(1)).toEqual([
    'shop · it conflicts with newer commits on main in: made-run.txt',
    'Nothing was changed. The work stays on the branch bosun/r2-second.',
  ]);
  expect(last()?.view.offers).toEqual([
    'shop: merge the branch bosun/r2-second into main and resolve the conflicts in made-run.txt',
    'merge r2',
  ]);
  expect(main()[0]).toBe('Other');
});

it('is offered once, also after a restart', async () => {
  const { texts, until, endFirst, offered, restart, press, main } = await besideEnded();
  await restart();
  await endFirst();
  await offered();
  await restart();
  expect(texts().filter((text) => text.startsWith('Merge?'))).toHaveLength(1);
  await press('i2-3.merge');
  await restart();
  await until(() => main()[0], 'Second');
});

it('is merged like any other run once the folder is free, and the next task in line does not wait for it', async () => {
  const { world, say, press, run, until, asked } = await shop();
  await asked('r1');
  await say('shop: Third');
  await press('i3-1.start');
  await say('start q2 beside');
  const second = await asked('r2');
  await press(`${await asked('r1')}.approve`);
  await until(() => run('r1')?.status, 'completed');
  // The folder is free, so the next one has it.
  const third = await asked('r3');
  expect(run('r3')?.beside).toBeUndefined();
  await press(`${third}.approve`);
  await until(() => run('r3')?.status, 'completed');
  await press(`${second}.approve`);
  await until(() => run('r2')?.status, 'completed');
  expect(world.git('log', '--format=%s', 'main')).toContain('Second');
  expect(world.git('ls-files')).toContain('made-run.txt');
});

it('is stopped and aborted by its id, and what it wrote stays on its branch', async () => {
  const { world, hold, say, press, run, until, asked, last } = await shop();
  await asked('r1');
  writeFileSync(hold, '');
  await say('start q2 beside');
  await until(() => run('r2')?.live.length, 1);
  const folder = () => run('r2')?.branch?.folder ?? '';
  await until(() => existsSync(join(folder(), 'made-run.txt')), true);
  const place = folder();
  await say('stop r2');
  expect([run('r1')?.held, run('r2')?.held]).toEqual([false, true]);
  await say('abort r2');
  expect(last()?.view.text).toMatch(/^Abort\? · Second/);
  await press('i2-2.abort');
  await until(() => run('r2')?.status, 'cancelled');
  await until(() => existsSync(place), false);
  expect(run('r1')?.status).toBe('paused');
  expect(world.git('show', 'bosun/r2-second:made-run.txt').trim()).toBe(place);
});

it('begins where the other run began, not from the branch that this made for itself', async () => {
  const { world, say, press, run, until, asked } = await shop('deliver: branch');
  await asked('r1');
  expect(world.git('branch', '--show-current')).toBe('bosun/r1-first');
  await say('start q2 beside');
  const second = await asked('r2');
  expect(run('r2')).toMatchObject({ base: 'main', branch: { base: 'main', name: 'bosun/r2-second' } });
  await press(`${second}.approve`);
  await until(() => run('r2')?.status, 'completed');
  expect(world.git('merge-base', 'main', 'bosun/r2-second')).toBe(world.git('rev-parse', 'main'));
  expect(world.git('branch', '--show-current')).toBe('bosun/r1-first');
});

it('is offered where the task waits, at most three at a time', async () => {
  const { say, press, asked, last, run } = await shop();
  await asked('r1');
  const [told] = await say('queue shop');
  expect(told).toContain('Now: “First”');
  expect(last()?.view.buttons.map(({ label }) => label)).toContain('Start 1 beside it');
  const at = last()?.view.buttons.findIndex(({ label }) => label === 'Start 1 beside it');
  await press(`${last()?.id}.${at}`);
  expect(run('r2')).toMatchObject({ status: 'running', beside: true });
  for (const n of [3, 4, 5]) {
    await say(`shop: Task ${n}`);
    await press(`i${n}-1.start`);
    const labels = last()?.view.menu?.map(({ label }) => label);
    expect(labels).toEqual(['Start now beside it', 'Move to first', 'Take it out']);
  }
  await say('start q3 beside');
  await say('start q4 beside');
  expect(await say('start q5 beside')).toEqual(['3 tasks of shop already run beside the first. “Task 5” waits.']);
});

it('is stopped with the first run by "stop all"', async () => {
  const { hold, say, run, until, asked } = await shop();
  await asked('r1');
  writeFileSync(hold, '');
  await say('start q2 beside');
  await until(() => run('r2')?.live.length, 1);
  await say('stop all');
  expect([run('r1')?.held, run('r2')?.held]).toEqual([true, true]);
});

it('goes on after a restart', async () => {
  const { say, press, run, until, asked, restart, world } = await shop();
  await asked('r1');
  await say('start q2 beside');
  await until(() => run('r2')?.status, 'running');
  await restart();
  const second = await asked('r2');
  await press(`${second}.approve`);
  await until(() => run('r2')?.status, 'completed');
  await until(() => world.git('worktree', 'list').split('\n').length, 1);
  expect(world.git('show', 'bosun/r2-second:made-run.txt')).toContain('/r2/run');
});
