// Where a run is told in Slack: in one thread of a channel, and people who drive it elsewhere learn where.
import { expect, it } from 'vitest';
import { perform } from '../../../src/bot/index.js';
import { givenDesk } from '../channels/terminal/given.js';

async function given() {
  const { app } = await givenDesk({ imported: false });
  const say = async (thread: string, text: string) => {
    const { messages } = await perform(app, { do: 'say', text, replyTo: null, thread, as: null, cwd: '/' });
    return messages.map(({ view }) => view.text).join('\n');
  };
  return { app, say };
}

const home = 'sl:C01GEN:1700000000.000100';
const other = 'sl:C01GEN:1700000000.000200';

it('a run is posted in the first thread that drove it, and other threads of the channel are pointed there', async () => {
  const { app, say } = await given();
  await say(home, 'start demo: tidy up');
  expect(app.runtime.store.followers('r1')).toEqual([home]);
  expect(await say(other, 'continue demo')).toContain('are in its own thread');
  expect(app.runtime.store.followers('r1')).toEqual([home]);
});

it('a thread in another channel follows the run as well', async () => {
  const { app, say } = await given();
  await say(home, 'start demo: tidy up');
  expect(await say('sl:C02OPS:1700000000.000300', 'continue demo')).not.toContain('its own thread');
  expect(app.runtime.store.followers('r1')).toContain('sl:C02OPS:1700000000.000300');
});

it('a thread that drove a project means that project from then on', async () => {
  const { app, say } = await given();
  await say(home, 'start demo: tidy up');
  expect(app.runtime.store.thread(home)).toMatchObject({ project: 'demo' });
});
