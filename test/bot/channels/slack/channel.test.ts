// Slack as a whole: the chat of the bot with one person is one place, by whichever of its names it came to be known; and
// it ends within seconds, whatever Slack does.
import { expect, it, onTestFinished } from 'vitest';
import { continuePress } from '../../../../src/bot/channels/slack/inbound/index.js';
import { startSlack } from '../../../../src/bot/channels/slack/index.js';
import { loadConfig } from '../../../../src/config/file/read-config.js';
import { given, usualConfig } from './inbound/given.js';

/** The whole channel, with a project of ada's in which a proposal waits. */
async function opened() {
  const ears = await given({ listens: false, config: usualConfig });
  const { home, runtime, door, slack, ada, folder } = ears;
  const config = () => loadConfig(home, {});
  const wanted = config().channels.slack;
  if (wanted === null) throw new Error('Slack is not configured');
  const channel = startSlack({ home, runtime, door, config }, { ...wanted, apiUrl: slack.apiUrl }, () => undefined);
  onTestFinished(() => channel.close());
  await channel.tried;
  const button = continuePress('blog');
  const element = { type: 'button', action_id: button, text: { type: 'plain_text', text: 'Continue' }, value: button };
  const view = { type: 'home', blocks: [{ type: 'actions', elements: [element] }] };
  const tab = slack.world.addView({ type: 'home', user: ada.id, json: view });
  const says = () => slack.screen(ada.chat).filter(({ by }) => by === 'Bosun');
  const told = (text: string) => slack.until(text, () => says().some((one) => one.text.includes(text)), 8_000);
  return { ...ears, channel, folder, says, told, continues: () => ada.presses(tab, 'Continue') };
}

it.each(['words', 'home tab'] as const)(
  'a direct chat that Bosun first knew by %s follows a run only once',
  async (first) => {
    const { ada, says, told, continues, runtime, settled, slack } = await opened();
    if (first === 'home tab') continues();
    else ada.says(ada.chat, 'projects');
    await slack.until('it is answered', () => says().length > 0, 8_000);
    ada.says(ada.chat, 'start blog: write it');
    await told('Start? ·');
    continues();
    await slack.until('it has begun', () => runtime.store.run('r1')?.status !== 'draft', 8_000);
    ada.says(ada.chat, 'continue blog');
    await settled();
    expect(runtime.store.followers('r1')).toHaveLength(1);
    // What one is told of it as a person goes there too.
    const own = runtime.store.followers('r1')[0] ?? '';
    expect(own).toBe(first === 'words' ? `sl:${ada.chat.id}` : `sl:${ada.id}`);
  },
);

it('channel shutdown takes less than 5 s while every Slack call hangs', async () => {
  const { ada, bob, general, channel, slack, continues } = await opened();
  ada.says(ada.chat, 'projects');
  await slack.until('it is answered', () => slack.ledger.count('chat.postMessage') > 0, 8_000);
  slack.plant({ method: '*', fault: { type: 'hang', acts: false }, times: 1_000 });
  slack.tell({ type: 'app_home_opened', user: ada.id, tab: 'home', channel: ada.chat.id });
  bob.mentions(general, 'status shop');
  ada.uploads(ada.chat, 'plan.txt', Buffer.from('x'), { text: 'shop' });
  continues();
  const calls = () => slack.ledger.calls().filter(({ came }) => came === 'hang');
  const isStuck = () => new Set(calls().map(({ method }) => method)).size >= 3;
  await slack.until('calls hang', isStuck, 8_000);
  const began = performance.now();
  await channel.close();
  expect(performance.now() - began).toBeLessThan(5_000);
});
