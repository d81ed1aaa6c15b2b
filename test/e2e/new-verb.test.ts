// A verb is its row and its handler: one that only this file knows works everywhere.
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { say } from '../../src/bot/commands/message-context.js';
import { botCommands, createGrammar, ownVerbs, VERBS, type VerbRegistry, type VerbRow } from '../../src/bot/index.js';
import { checkConfig } from '../../src/config/index.js';
import { givenBosun, test } from './bosun.js';

const row: VerbRow = {
  verb: 'salute',
  synonyms: ['wave at'],
  project: 'optional-or-all',
  target: 'none',
  note: 'remark',
  help: 'greets the project',
  effect: 'drives',
  right: 'retry',
  menu: 'private',
};

const verbs: VerbRegistry = {
  grammar: createGrammar([...VERBS, row]),
  handlers: {
    ...ownVerbs.handlers,
    salute: {
      of: 'project',
      plan: (context, { name }, { note }) =>
        say(context, { kind: 'answer', text: `Hello ${name}${note === null ? '' : `, ${note}`}.` }),
      all: { isMeant: () => true, text: 'No project to greet.' },
    },
  },
};

const config = () => ({ people: { ada: { telegram: 1 }, eve: { telegram: 2 } } });
const projects = { shop: { members: { ada: 'operator', eve: 'viewer' } }, blog: {} };

test('a verb of one row and one handler is parsed, listed, reserved, guarded by its right and carried out', async () => {
  const bosun = await givenBosun({ projects, config, verbs });
  expect((await bosun.say('salute shop')).text).toBe('Hello shop.');
  expect((await bosun.say('shop: wave at: how are you')).text).toContain('Hello shop, how are you.');
  expect((await bosun.say('salute all')).text.split('\n')).toEqual(['Hello shop.', 'Hello blog.']);
  expect((await bosun.say('salute shop', { as: 'ada', thread: 'tg:1' })).text).toBe('Hello shop.');
  const refused = await bosun.say('salute shop', { as: 'eve', thread: 'tg:2' });
  expect(refused).toMatchObject({ exit: 3, text: expect.stringContaining('Not allowed: eve is viewer in shop') });

  const asked = await bosun.say('salut shop');
  expect(asked.messages[0]?.buttons.map(({ label }) => label)).toContain('salute shop');
  expect((await bosun.pressButton('salute shop')).text).toBe('Hello shop.');
  expect((await bosun.say('help')).text).toContain('salute [project or all] [: remark] — greets the project (wave at)');
  const command = { command: 'salute', description: 'greets the project' };
  expect(botCommands(verbs.grammar, 'private')).toContainEqual(command);
  expect(botCommands(verbs.grammar, 'group')).not.toContainEqual(command);

  const { home } = bosun.app;
  writeFileSync(home.configPath, 'projects: { salute: { root: /srv/salute } }\n', { mode: 0o600 });
  const read = checkConfig(home, {});
  expect(read.kind === 'bad' && read.problems[0]?.message).toContain('"salute" is a word of the chat\'s commands');
});
