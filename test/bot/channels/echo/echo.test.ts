// The channel that docs/extending.md adds carries a whole conversation, so that nothing else has to name a channel.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { codingAgents } from '../../../../src/agents/adapters/registry.js';
import { Channels } from '../../../../src/bot/channels/connected-channels.js';
import { channelKinds } from '../../../../src/bot/channels/registry.js';
import { type BotServices, grammar, inboxService, present } from '../../../../src/bot/index.js';
import { approveKnock, homeRedaction, loadConfig, openHome } from '../../../../src/config/index.js';
import { openRuntime, ownersThreads } from '../../../../src/dispatch/index.js';
import { acceptProjectRules } from '../../../accept-rules.js';
import { tempFolder } from '../../../dispatch/given.js';
import { commitFirst } from '../../../first-commit.js';
import { runtimeParts } from '../../../runtime-parts.js';
import { echoChat } from './echo-chat.js';

const workflow = `workflow: two
version: 1
chain:
  - id: build
    kind: task
    prompt: Build it
  - id: review
    kind: human
`;

async function openEcho() {
  const platform = await echoChat();
  const folder = tempFolder();
  const root = join(folder, 'shop');
  mkdirSync(join(root, '.ai/workflows'), { recursive: true });
  writeFileSync(join(root, '.ai/workflows/two.yaml'), workflow);
  commitFirst(root);
  execFileSync('git', ['-C', root, 'add', '-A']);
  execFileSync('git', ['-C', root, 'commit', '-q', '-m', 'flow', '--allow-empty']);
  const home = openHome(join(folder, 'home'), {
    agents: codingAgents,
    channels: channelKinds,
    reservedWords: grammar.reservedWords,
  });
  const script = join(folder, 'agent.yaml');
  writeFileSync(script, '- { step: build, write: { made.txt: made }, result: { status: pass } }\n');
  const project = { root, workflow: 'two', chats: [{ echo: '#room' }], members: { ada: 'owner' } };
  writeFileSync(
    home.configPath,
    JSON.stringify({
      executors: { agent: { kind: 'script', file: script } },
      projects: { shop: project },
      channels: { echo: { token: 'hush-hush-echo' } },
    }),
    { mode: 0o600 },
  );
  acceptProjectRules(home.dir, root);
  const config = () => loadConfig(home, {});
  const runtime = openRuntime({ ...runtimeParts, home, config, present });
  const services: BotServices = { home, runtime, config, door: inboxService(runtime, config) };
  const channels = new Channels(services, channelKinds, () => undefined);
  onTestFinished(async () => {
    await channels.close();
    await runtime.close();
  });
  await channels.align();
  runtime.startWorker(1);
  const newest = (chat: string) => platform.shownIn(chat).at(-1);
  const buttonIn = async (chat: string, press: RegExp) => {
    const find = () =>
      platform
        .shownIn(chat)
        .flatMap(({ buttons }) => buttons.flatMap((one) => (press.test(one.press) ? [one.press] : [])));
    await expect.poll(find, { interval: 10 }).not.toEqual([]);
    return find().at(-1) ?? '';
  };
  return { platform, home, config, runtime, channels, newest, buttonIn };
}

it('carries a conversation over a channel that only a test knows', async () => {
  const { platform, home, config, runtime, channels, newest, buttonIn } = await openEcho();
  expect(channels.all.map(({ name }) => name)).toEqual(['echo']);

  // A stranger is shown a code, and the host lets them in.
  await platform.deliver(platform.write('ada', '@ada', 'hello'));
  const code = newest('@ada')?.text ?? '';
  approveKnock(home, {}, { code, person: 'ada' }, Date.now());
  expect(config().people).toEqual([{ name: 'ada', accounts: { echo: 'ada' }, group: null, prefers: null }]);

  await platform.deliver(platform.write('ada', '@ada', 'start shop: Make it'));
  await platform.deliver(platform.press('ada', '@ada', await buttonIn('@ada', /\.start$/)));

  // The card stands where ada asked and where the project lives.
  const approve = await buttonIn('@ada', /\.approve$/);
  expect(await buttonIn('#room', /\.approve$/)).toBe(approve);
  expect(runtime.store.deliveries.failed(9)).toEqual([]);

  const pressed = platform.press('ada', '#room', approve);
  await platform.deliver(pressed);
  await expect.poll(() => runtime.store.run('r1')?.status, { interval: 10 }).toBe('completed');
  await expect
    .poll(() =>
      platform
        .shownIn('@ada')
        .map(({ text }) => text)
        .join('\n'),
    )
    .toContain('echo');
  const count = () => runtime.store.messages('ec:#room', null, 500).length;
  await expect.poll(() => runtime.store.deliveries.counts(), { interval: 10 }).toEqual([]);
  const before = count();
  // The same update once more, as a platform does that was not answered.
  await platform.deliver(pressed);
  expect(count()).toBe(before);

  // An offer of Bosun's own, which no interaction backs.
  await platform.deliver(platform.write('ada', '@ada', 'projects'));
  await expect.poll(() => newest('@ada')?.buttons.map(({ label }) => label), { interval: 10 }).toEqual(['shop']);
  await platform.deliver(platform.press('ada', '@ada', newest('@ada')?.buttons[0]?.press ?? ''));
  await expect.poll(() => newest('@ada')?.text, { interval: 10 }).toContain('done');

  const [shop] = config().projects;
  expect(shop && ownersThreads(config(), shop)).toEqual(['local', 'ec:@ada']);
  expect(homeRedaction(config, home, {}).redact('hush-hush-echo')).not.toContain('hush');
});
