// The real Bolt, by sockets and by requests: the same conversation either way.
import { describe, expect, it } from 'vitest';
import { type App, given, httpApp, socketApp, startByHttp } from './given.js';
import type { Slack } from './index.js';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const modal = {
  type: 'modal' as const,
  callback_id: 'changes',
  title: plain('Changes'),
  submit: plain('Send'),
  blocks: [
    {
      type: 'input' as const,
      block_id: 'what',
      label: plain('What?'),
      element: { type: 'plain_text_input' as const, action_id: 'text' },
    },
  ],
};
const card = [
  { type: 'section' as const, text: { type: 'mrkdwn' as const, text: '*Ready* &amp; waiting' } },
  {
    type: 'actions' as const,
    elements: [
      { type: 'button' as const, text: plain('Approve'), action_id: 'approve', value: 'p-1' },
      { type: 'button' as const, text: plain('Changes'), action_id: 'ask' },
    ],
  },
];

function talks(app: App): string[] {
  const heard: string[] = [];
  app.event('app_mention', async ({ event, say }) => {
    heard.push(`mention ${event.text}`);
    await say({ text: 'A card', blocks: card, thread_ts: event.thread_ts ?? event.ts });
  });
  app.message(async ({ message }) => {
    if (!('text' in message)) return;
    heard.push(`${message.channel_type} ${message.text}`);
  });
  app.action('approve', async ({ ack, respond, body }) => {
    await ack();
    const pressed = 'actions' in body && body.actions[0] && 'value' in body.actions[0] ? body.actions[0].value : '';
    heard.push(`pressed ${pressed}`);
    await respond({ text: 'Approved', blocks: [], replace_original: true });
  });
  app.action('ask', async ({ ack, client, body }) => {
    await ack();
    if ('trigger_id' in body) await client.views.open({ trigger_id: body.trigger_id, view: modal });
  });
  app.view('changes', async ({ ack, view }) => {
    const typed = view.state.values['what']?.['text']?.value ?? '';
    if (typed === 'no') return await ack({ response_action: 'errors', errors: { what: 'Too short' } });
    heard.push(`modal ${typed}`);
    await ack();
  });
  app.command('/bosun', async ({ ack, command }) => {
    heard.push(`command ${command.text}`);
    await ack({ text: `you said ${command.text}` });
  });
  app.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({ user_id: event.user, view: { type: 'home', blocks: card } });
  });
  return heard;
}

const ways: readonly (readonly [string, (slack: Slack) => App, (slack: Slack, app: App) => Promise<unknown>])[] = [
  ['Socket Mode', (slack) => socketApp(slack), (_slack, app) => app.start()],
  ['HTTP mode', httpApp, startByHttp],
];

describe.each(ways)('Bolt in %s', (_name, make, start) => {
  async function ready() {
    const all = await given();
    const app = make(all.slack);
    const heard = talks(app);
    await start(all.slack, app);
    return { ...all, app, heard };
  }

  it('receives a mention as two events and replies in its thread', async () => {
    const { slack, ada, general, heard } = await ready();
    const { message, deliveries } = ada.mentions(general, 'hi');
    await slack.until('a card', () => slack.sent(general, message.ts).length === 1);
    expect(heard.sort()).toEqual(['channel <@U0BOSUN> hi', 'mention <@U0BOSUN> hi']);
    expect(slack.read(general, message.ts)).toBe('Ada: @Bosun hi\n\nBosun: *Ready* & waiting\n[Approve] [Changes]');
    expect(slack.screen(general, null)).toMatchObject([{ text: '@Bosun hi', replies: 1 }]);
    await slack.until('all is acknowledged', () => deliveries.every((one) => one.ackedAt !== null));
    expect(deliveries.map((one) => one.attempts.length)).toEqual([1, 1]);
  });

  it('receives a press and replaces the buttons with the outcome', async () => {
    const { slack, ada, general, client, heard } = await ready();
    await client.chat.postMessage({ channel: general.id, text: 'A card', blocks: card });
    const [posted] = slack.sent(general);
    if (!posted) throw new Error('nothing was posted');
    const pressed = ada.presses(posted, 'Approve');
    await slack.until('the outcome', () => slack.screen(general)[0]?.text === 'Approved');
    expect(heard).toContain('pressed p-1');
    expect(slack.screen(general)).toMatchObject([{ buttons: [], isEdited: true }]);
    expect(pressed.ackedAt).not.toBeNull();
    expect(() => ada.presses(posted, 'Approve')).toThrow('there are: none');
  });

  it('opens a modal, rejects invalid input and accepts valid input', async () => {
    const { slack, ada, client, general, heard } = await ready();
    await client.chat.postMessage({ channel: general.id, text: 'A card', blocks: card });
    const [posted] = slack.sent(general);
    if (!posted) throw new Error('nothing was posted');
    ada.presses(posted, 'Changes');
    await slack.until('a modal', () => ada.modal !== null);
    const { modal } = ada;
    if (!modal) throw new Error('no modal');
    expect(slack.readView(modal)).toBe('Changes\nWhat?: ____\n[Send]');
    await expect(ada.submits(modal)).rejects.toThrow('"What?" has to be filled in');
    expect(await ada.submits(modal, { 'What?': 'no' })).toMatchObject({
      action: 'errors',
      errors: { what: 'Too short' },
    });
    expect(await ada.submits(modal, { 'What?': 'more tests' })).toMatchObject({ action: 'closed' });
    expect(heard).toContain('modal more tests');
    expect(ada.modal).toBeNull();
  });

  it('answers a slash command ephemerally', async () => {
    const { slack, ada, general } = await ready();
    ada.slash(general, '/bosun', 'status');
    await slack.until('an answer', () => slack.screen(general).length === 1);
    expect(slack.screen(general)).toMatchObject([{ text: 'you said status', ephemeralTo: 'U0ADA' }]);
  });

  it('receives a direct message once and publishes the home tab', async () => {
    const { slack, ada, heard } = await ready();
    const { deliveries } = ada.mentions(ada.chat, 'hi');
    ada.opensHome();
    await slack.until('the home tab', () => ada.home !== null && heard.length > 0);
    expect(deliveries).toHaveLength(1);
    expect(heard).toEqual(['im <@U0BOSUN> hi']);
    expect(ada.home && slack.readView(ada.home)).toContain('[Approve]');
  });
});
