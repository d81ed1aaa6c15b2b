// What Slack refuses, in its words, told to the real client.
import { describe, expect, it } from 'vitest';
import { clientOf, given, refusalOf } from './given.js';
import { HandClock } from './index.js';

type Ready = Awaited<ReturnType<typeof ready>>;

async function ready(clock = new HandClock(1_800_000_000_000)) {
  const all = await given({ clock });
  const { slack, ada, bob, general, client } = all;
  const asked = ada.says(general, 'hello').message;
  const posted = await client.chat.postMessage({ channel: general.id, text: 'hi' });
  const closed = slack.channel('closed', [ada], { isArchived: true });
  const away = slack.channel('away', [ada], { members: new Set([ada.id]) });
  const secret = slack.channel('secret', [ada], { kind: 'group', members: new Set([ada.id]) });
  return { ...all, clock, asked, ts: posted.ts ?? '', closed, away, secret, bob };
}

const text = 'x';
const blocks = [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text: 'x'.repeat(3001) } }];
const long = Array.from({ length: 5 }, () => ({
  ...blocks[0],
  type: 'section' as const,
  text: { type: 'mrkdwn' as const, text: 'x'.repeat(2900) },
}));
const modal = { type: 'modal' as const, title: { type: 'plain_text' as const, text: 'T' }, blocks: [] };

const refusals: readonly (readonly [string, (given: Ready) => Promise<unknown>, string])[] = [
  ['no such method', ({ client }) => client.apiCall('chat.shout'), 'unknown_method'],
  ['no such channel', ({ client }) => client.chat.postMessage({ channel: 'C404', text }), 'channel_not_found'],
  [
    'a channel that the bot is not in',
    ({ client, away }) => client.chat.postMessage({ channel: away.id, text }),
    'not_in_channel',
  ],
  ['a private one', ({ client, secret }) => client.chat.postMessage({ channel: secret.id, text }), 'channel_not_found'],
  ['an archived one', ({ client, closed }) => client.chat.postMessage({ channel: closed.id, text }), 'is_archived'],
  ['nothing to post', ({ client, general }) => client.chat.postMessage({ channel: general.id, text: '' }), 'no_text'],
  [
    'too much text',
    ({ client, general }) => client.chat.postMessage({ channel: general.id, text: 'x'.repeat(40_001) }),
    'msg_too_long',
  ],
  [
    'a block too long',
    ({ client, general }) => client.chat.postMessage({ channel: general.id, text, blocks }),
    'invalid_blocks',
  ],
  [
    'blocks too long together',
    ({ client, general }) => client.chat.postMessage({ channel: general.id, text, blocks: long }),
    'msg_blocks_too_long',
  ],
  [
    'blocks that are none',
    ({ client, general }) => client.apiCall('chat.postMessage', { channel: general.id, blocks: '{' }),
    'invalid_blocks_format',
  ],
  [
    'an unknown thread',
    ({ client, general }) => client.chat.postMessage({ channel: general.id, text, thread_ts: '1.000001' }),
    'thread_not_found',
  ],
  [
    'an edit of nothing',
    ({ client, general }) => client.chat.update({ channel: general.id, ts: '1.000001', text }),
    'message_not_found',
  ],
  [
    "an edit of another's",
    ({ client, general, asked }) => client.chat.update({ channel: general.id, ts: asked.ts, text }),
    'cant_update_message',
  ],
  [
    'an edit too long',
    ({ client, general, ts }) => client.chat.update({ channel: general.id, ts, text: 'x'.repeat(4001) }),
    'msg_too_long',
  ],
  [
    "a deletion of another's",
    ({ client, general, asked }) => client.chat.delete({ channel: general.id, ts: asked.ts }),
    'cant_delete_message',
  ],
  ['an unknown person', ({ client }) => client.users.info({ user: 'U404' }), 'user_not_found'],
  ['a chat with nobody', ({ client }) => client.conversations.open({ users: 'U404' }), 'user_not_found'],
  [
    'replies of no thread',
    ({ client, general }) => client.conversations.replies({ channel: general.id, ts: '1.000001' }),
    'thread_not_found',
  ],
  [
    'a reaction taken back that is not there',
    ({ client, general, ts }) => client.reactions.remove({ channel: general.id, timestamp: ts, name: 'eyes' }),
    'no_reaction',
  ],
  ['a view with no trigger', ({ client }) => client.views.open({ trigger_id: 'x', view: modal }), 'invalid_trigger_id'],
  [
    'a view that is none',
    ({ client }) => client.apiCall('views.open', { trigger_id: 'x', view: { type: 'modal' } }),
    'invalid_arguments',
  ],
  [
    'a user group that is not there',
    ({ client }) => client.usergroups.users.list({ usergroup: 'S404' }),
    'no_such_subteam',
  ],
  ['no token', ({ slack }) => clientOf(slack, '').auth.test(), 'not_authed'],
  ['a wrong token', ({ slack }) => clientOf(slack, 'xoxb-wrong').auth.test(), 'invalid_auth'],
  [
    "the app's token",
    ({ slack, general }) => clientOf(slack, slack.tokens.app).chat.postMessage({ channel: general.id, text }),
    'not_allowed_token_type',
  ],
  ["the bot's token for sockets", ({ client }) => client.apps.connections.open(), 'not_allowed_token_type'],
];

describe('the fake Slack refuses', () => {
  it.each(refusals)('%s', async (_name, call, word) => {
    expect(await refusalOf(call(await ready()))).toBe(word);
  });

  it('a duplicate reaction, and points to the place of an invalid block', async () => {
    const { client, general, ts } = await ready();
    const react = () => client.reactions.add({ channel: general.id, timestamp: ts, name: 'eyes' });
    expect([await refusalOf(react()), await refusalOf(react())]).toEqual(['taken', 'already_reacted']);
    const refused = await client.chat
      .postMessage({ channel: general.id, text, blocks })
      .catch((error: unknown) => error);
    const place = 'must be less than 3001 characters [json-pointer:/blocks/0/text/text]';
    expect(refused).toMatchObject({ data: { errors: [place], response_metadata: { messages: [`[ERROR] ${place}`] } } });
  });

  it('a call that the scopes or the standing of the token do not allow', async () => {
    const { client, slack, general } = await ready();
    slack.tokens.scopes.delete('chat:write');
    const post = () => client.chat.postMessage({ channel: general.id, text });
    const refused = await post().catch((error: unknown) => error);
    expect(refused).toMatchObject({ data: { error: 'missing_scope', needed: 'chat:write' } });
    expect((await client.auth.test()).response_metadata?.scopes).not.toContain('chat:write');
    for (const standing of ['token_revoked', 'account_inactive'] as const) {
      slack.tokens.standing = standing;
      expect(await refusalOf(post())).toBe(standing);
    }
  });

  it('a trigger id that was used or is older than three seconds', async () => {
    const { client, clock, ada, general, slack } = await ready();
    const trigger = () => String(ada.slash(general, '/bosun', 'x').payload['trigger_id']);
    const [used, old, young] = [trigger(), trigger(), trigger()];
    const open = (trigger_id: string) => refusalOf(client.views.open({ trigger_id, view: modal }));
    expect(await open(used)).toBe('taken');
    expect(await open(used)).toBe('exchanged_trigger_id');
    clock.advance(3_000);
    expect(await open(young)).toBe('taken');
    clock.advance(1);
    expect(await open(old)).toBe('expired_trigger_id');
    expect(slack.ledger.calls('views.open').map((one) => one.came)).toEqual([
      'ok',
      'exchanged_trigger_id',
      'ok',
      'expired_trigger_id',
    ]);
  });

  it('an edit after the edit window has closed', async () => {
    const { client, clock, slack, general, ts } = await ready();
    slack.closeEditsAfter(60_000);
    clock.advance(60_001);
    expect(await refusalOf(client.chat.update({ channel: general.id, ts, text }))).toBe('edit_window_closed');
  });
});
