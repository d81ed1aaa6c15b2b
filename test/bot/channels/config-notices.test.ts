// What people in chat hear of a changed config.yaml.
import { expect, it, onTestFinished } from 'vitest';
import { configNotices } from '../../../src/bot/index.js';
import { openApp } from '../../../src/cli/app.js';
import { presentConfig } from '../../../src/config/index.js';
import { givenWorld } from '../../dispatch/given.js';

const config = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects:
  shop: { root: "%ROOT%", members: { ada: owner, bob: reviewer } }
people: { ada: { telegram: 7 }, bob: { telegram: 8 } }
channels: { telegram: { token: "1:x" } }
`;

async function openNotices() {
  const world = givenWorld('true', config);
  const read = presentConfig(world.home, { env: {}, tell: () => undefined });
  const app = await openApp({ home: world.home, work: false, config: read });
  onTestFinished(() => app.close());
  const notices = configNotices(app, () => undefined);
  read.onNews(notices.refused);
  app.onConfig(notices.changed);
  const write = (written: string) => {
    world.configure(written);
    read.fresh();
  };
  const heard = (thread: string) => app.runtime.store.messages(thread, null, 99);
  return { write, heard };
}

it('tells the owner once for each refused version, rings for the first, and says when it is valid again', async () => {
  const { write, heard } = await openNotices();
  write(`${config}budgett: 5\n`);
  await expect.poll(() => heard('tg:7').length).toBe(1);
  expect(heard('tg:7')[0]?.view).toMatchObject({
    rings: true,
    text: expect.stringMatching(/^⚠️ config\.yaml .*budgett/s),
  });
  write(`${config}budgettt: 5\n`);
  await expect.poll(() => heard('tg:7').length).toBe(2);
  write(`${config}\n`);
  await expect.poll(() => heard('tg:7').length).toBe(3);
  const [first, ...later] = heard('tg:7');
  expect(later.map(({ edits, view }) => [edits, view.rings])).toEqual(later.map(() => [first?.id, false]));
  expect(later.at(-1)?.view.text).toMatch(/^✅ config\.yaml is valid again/);
  expect(heard('tg:8')).toEqual([]);
});

it('greets a newcomer in their own chat with three things to write, and nobody else', async () => {
  const { write, heard } = await openNotices();
  write(
    config
      .replace('bob: { telegram: 8 }', 'bob: { telegram: 8 }, cy: { telegram: 9 }')
      .replace('bob: reviewer', 'bob: reviewer, cy: operator'),
  );
  await expect.poll(() => heard('tg:9').length).toBe(1);
  const [greeting] = heard('tg:9');
  expect(greeting?.view.text).toBe(
    "You're in: Cy, operator of shop.\nYou can write, for example:\nshop: fix the login page\ncontinue shop\nwhat needs me",
  );
  expect(greeting?.view).toMatchObject({ rings: true, offers: ['continue shop', 'help'] });
  expect([heard('tg:7'), heard('tg:8')]).toEqual([[], []]);
});
