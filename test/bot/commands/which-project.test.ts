// Which project words are about, for a person who may not know of all of them.
import { expect, it } from 'vitest';
import { channelKinds } from '../../../src/bot/channels/registry.js';
import type { MessageContext } from '../../../src/bot/commands/message-context.js';
import { meantProject } from '../../../src/bot/commands/which-project.js';
import { parse } from '../../../src/bot/grammar/index.js';

/** zed may read shop, and is nobody in secret; ada may read both. */
function heardFrom(by: string, more: object = {}): MessageContext {
  const projects = [
    { name: 'shop', aliases: [], chats: [], members: { ada: 'viewer', zed: 'viewer' } },
    {
      name: 'secret',
      aliases: ['s'],
      chats: [{ channel: 'telegram', chat: -7, topic: null }],
      members: { ada: 'viewer' },
    },
  ];
  const now = { at: 1, spine: () => ({ run: { project: 'secret' } }) };
  const thread = { id: 't1', channel: 'local', address: {}, project: null, quiet: false };
  const config = { projects, channelKinds };
  const heard: unknown = { now, config, thread, by, isHomeOwner: false, repliesTo: null, cwd: '/' };
  return { ...(heard as MessageContext), ...more };
}

const thread = { id: 't1', channel: 'local', address: {}, project: null, quiet: false };
const names = [{ name: 'secret', aliases: ['s'] }];

it.each([
  ['said', {}, 'status secret'],
  ['said by its alias', {}, 'status s'],
  ["the thread's", { thread: { ...thread, project: 'secret' } }, 'status'],
  ["that of the thread's run", { thread: { ...thread, address: { opened: 'r7' } } }, 'status'],
  ["the chat's", { thread: { ...thread, id: 'tg:-7', channel: 'telegram' } }, 'status'],
  ['that of the card which is answered', { repliesTo: { run: 'r7' } }, 'status'],
])('a project that a person may not read is reported as unknown: %s', (_where, more, text) => {
  const parsed = parse(text, names);
  const stranger = meantProject(heardFrom('zed', more), parsed);
  const told = 'plan' in stranger ? stranger.plan.messages?.map(({ view }) => view.text) : stranger.project.name;
  expect(told).toEqual([expect.stringMatching(/^No project "(secret|s)"\. Your projects: shop\.$/)]);
  const member = meantProject(heardFrom('ada', more), parsed);
  expect('project' in member && member.project.name).toBe('secret');
});
