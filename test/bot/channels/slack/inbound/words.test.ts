import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../../../src/bot/channels/slack/inbound/read/message-words.js';
import { bodyOf } from '../../../../../src/bot/channels/slack/inbound/read/payload.js';
import { slackManifest } from '../../../../../src/bot/channels/slack/setup/manifest.js';

const calling = { isForBot: true, isForOthers: false, isCommand: false };
const plain = { isForBot: false, isForOthers: false, isCommand: false };

describe('the text of a Slack message', () => {
  it.each([
    ['<@U0B> status shop', { ...calling, text: 'status shop' }],
    ['<@U0B|bosun>: status shop', { ...calling, text: 'status shop' }],
    ['status shop, <@U0B>', { ...calling, text: 'status shop' }],
    ['<@U0B>', { ...calling, text: '' }],
    ['<@U0B> ask <@U0C|carol> about it', { ...calling, text: 'ask @carol about it' }],
    ['<@U0C> status', { ...plain, isForOthers: true, text: '@U0C status' }],
    ['<!channel> stop', { ...plain, isForOthers: true, text: '@channel stop' }],
    ['<!subteam^S01|@crew> stop', { ...plain, isForOthers: true, text: '@crew stop' }],
    ['!status shop', { ...plain, isCommand: true, text: 'status shop' }],
    ['! status shop', { ...plain, isCommand: true, text: 'status shop' }],
    ['!!!', { ...plain, text: '!!!' }],
    ['see <http://example.com|example.com>', { ...plain, text: 'see example.com' }],
    ['see <https://example.com/a?b=1&amp;c>', { ...plain, text: 'see https://example.com/a?b=1&c' }],
    ['<https://evil.example|the docs>', { ...plain, text: 'the docs (https://evil.example)' }],
    ['<mailto:a@b.example|a@b.example>', { ...plain, text: 'a@b.example' }],
    ['in <#C01|general>', { ...plain, text: 'in #general' }],
    ['a &lt;b&gt; &amp;amp; c', { ...plain, text: 'a <b> &amp; c' }],
  ])('%s is parsed into text, addressee and command flag', (said, words) => {
    expect(wordsOf(said, 'U0B')).toEqual(words);
  });
});

describe('an incoming Slack payload', () => {
  const event = (it: object) => ({
    type: 'event_callback',
    api_app_id: 'A1',
    team_id: 'T1',
    event_id: 'Ev1',
    event: it,
  });
  const message = { type: 'message', channel: 'C01', user: 'U01', ts: '1.2', text: 'hi' };
  it.each([
    [event(message), 'message'],
    [event({ ...message, type: 'app_mention' }), 'message'],
    [event({ ...message, subtype: 'file_share' }), 'message'],
    [event({ ...message, subtype: 'bot_message' }), 'other'],
    [event({ ...message, subtype: 'channel_join' }), 'other'],
    [event({ ...message, subtype: 'message_deleted' }), 'other'],
    [
      event({ type: 'message', subtype: 'message_changed', channel: 'C01', message: { user: 'U01', ts: '1.2' } }),
      'other',
    ],
    [event({ type: 'reaction_added', user: 'U01' }), 'other'],
    [event({ type: 'app_home_opened', user: 'U01', tab: 'home' }), 'home'],
    [event({ type: 'app_home_opened', user: 'U01', tab: 'messages' }), 'other'],
    [event({ type: 'app_uninstalled' }), 'gone'],
    [event({ type: 'subteam_members_changed' }), 'changed'],
    [event({ ...message, files: [{ id: 'F1', name: 'empty.txt', size: 0 }] }), 'message'],
    [event({ ...message, files: [{ id: 'F1', name: 'odd.txt', size: -1 }] }), 'unreadable'],
    [event({ ...message, ts: 'never' }), 'unreadable'],
    [event({ ...message, text: 'x'.repeat(50_001) }), 'unreadable'],
    [{ type: 'view_closed' }, 'other'],
    [{ type: 'block_actions' }, 'unreadable'],
    [{ command: '/bosun', user_id: 'U01', channel_id: 'C01', team_id: 'T1', trigger_id: '1.2' }, 'slash'],
    [null, 'unreadable'],
  ])('%j is classified by kind', (raw, kind) => {
    expect(bodyOf(raw).kind).toBe(kind);
  });

  it('is subscribed to for every event that changes who is heard', () => {
    const { bot_events: events } = slackManifest({ name: 'Bosun', url: null }).settings.event_subscriptions;
    expect(events).toEqual(expect.arrayContaining(['channel_shared', 'channel_unshared', 'subteam_members_changed']));
  });

  it('is identified by app, workspace and event id', () => {
    const body = bodyOf({ ...event(message), authorizations: [{ team_id: 'T2' }] });
    expect('told' in body && body.told).toEqual({ key: 'A1:T2:Ev1', team: 'T2', isShared: null });
  });
});
