// A verb is its row and its handler: the one that docs/extending.md adds works everywhere.
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { botCommands, grammar } from '../../src/bot/index.js';
import { checkConfig } from '../../src/config/index.js';
import { givenBosun, test } from './bosun.js';

const config = () => ({ people: { ada: { telegram: 1 }, eve: { telegram: 2 } } });
const projects = { shop: { members: { ada: 'operator', eve: 'viewer' } }, blog: {} };

test('a verb of one row and one handler is parsed, listed, reserved, guarded by its right and carried out', async () => {
  const bosun = await givenBosun({ projects, config });
  expect((await bosun.say('salute shop')).text).toBe('Hello shop.');
  expect((await bosun.say('shop: wave at: how are you')).text).toContain('Hello shop, how are you.');
  expect((await bosun.say('salute all')).text.split('\n')).toEqual(['Hello shop.', 'Hello blog.']);
  expect((await bosun.say('salute shop', { as: 'ada', thread: 'tg:1' })).text).toBe('Hello shop.');
  const refused = await bosun.say('salute shop', { as: 'eve', thread: 'tg:2' });
  expect(refused).toMatchObject({ exit: 3, text: expect.stringContaining("You're a viewer in shop; ") });

  const asked = await bosun.say('salut shop');
  expect(asked.messages[0]?.buttons.map(({ label }) => label)).toContain('salute shop');
  expect((await bosun.pressButton('salute shop')).text).toBe('Hello shop.');
  expect((await bosun.say('help all')).text).toContain(
    'salute [project or all] [: remark] — greets the project (wave at)',
  );
  const command = { command: 'salute', description: 'greets the project' };
  expect(botCommands(grammar, 'private')).toContainEqual(command);
  expect(botCommands(grammar, 'group')).not.toContainEqual(command);

  const { home } = bosun.app;
  writeFileSync(home.configPath, 'projects: { salute: { root: /srv/salute } }\n', { mode: 0o600 });
  const read = checkConfig(home, {});
  expect(read.kind === 'bad' && read.problems[0]?.message).toContain('"salute" is a chat command');
});
