// A Bosun of its own process to which Slack posts, through Bosun's own HTTP side, over a death in the middle of work.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startSlack } from '../bot/channels/slack/server/index.js';
import { newFolder } from '../cli/given.js';
import { freePort } from '../free-port.js';
import { configureDemo, startReady } from './platform-home.js';

const limitMs = 20_000;

it('Slack over HTTP handles signed requests once, also after a SIGKILL, and refuses all others', async () => {
  // Slack's second try comes after a minute, which is long for a test.
  const slack = await startSlack({ patience: { retriesAfterMs: Array(60).fill(500) } });
  onTestFinished(() => slack.close());
  const ada = slack.person('U0ADA', 'Ada');
  const general = slack.channel('general', [ada]);
  const home = join(newFolder(), 'home');
  const port = await freePort();
  const up = () => startReady(home, port);
  const first = await up();
  const place = { bot_token: slack.tokens.bot, signing_secret: slack.signingSecret, mode: 'http' };
  configureDemo(home, {
    people: { ada: { slack: ada.id } },
    members: { ada: 'owner' },
    channels: { slack: { ...place, api_url: slack.apiUrl } },
  });
  slack.postTo({ events: `http://127.0.0.1:${port}/slack/events` });
  await expect.poll(async () => (await slack.verifyUrl()).status, { timeout: limitMs }).toBe(200);

  const event = { type: 'message', channel: ada.chat.id, channel_type: 'im', user: ada.id, ts: '1.1', text: 'status' };
  const posted = { type: 'event_callback', api_app_id: 'A', team_id: slack.team.id, event_id: 'Ev1', event };
  for (const forgery of [{ secret: 'of nobody' }, { skewS: -301 }, { skewS: 400 }, { signature: '' }])
    expect((await slack.forge(posted, forgery)).status).toBe(401);

  const said = (text: RegExp) => slack.screen(general).filter((one) => text.test(one.text));
  const hears = (text: RegExp) => slack.until(`${text}`, () => said(text).length > 0, limitMs);
  const { message } = ada.mentions(general, 'continue demo');
  await hears(/Review · /);
  first.child.kill('SIGKILL');
  await first.ended;
  const card = slack.sent(general).find(({ ts }) => ts === said(/Review · /)[0]?.ts);
  if (card === undefined) throw new Error('The card is gone');
  // Slack posts events again, and neither presses nor commands: those who made them see that nobody answered.
  ada.says(general, '!history', { thread: message });
  const second = await up();
  await hears(/attempt 1 began/);
  ada.presses(card, 'Approve');
  const slash = ada.slash(general, '/bosun', 'whoami');
  await hears(/Approved ·.*by Ada/s);
  await hears(/You are Ada/);
  expect(said(/You are Ada/)).toMatchObject([{ ephemeralTo: ada.id }]);
  await hears(/Question · /);
  ada.says(general, 'newest first', { thread: message });
  await hears(/Answered ·.*by Ada/s);
  for (const text of [/Approved ·.*by Ada/s, /Answered ·.*by Ada/s]) expect(said(text)).toHaveLength(1);
  expect([slash.ackedAt === null, slack.ledger.count('apps.connections.open')]).toEqual([false, 0]);
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
}, 90_000);
