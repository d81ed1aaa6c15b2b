// What people do and see, and what the app is told of it.
import { describe, expect, it } from 'vitest';
import { given, refusalOf } from './given.js';
import { HandClock } from './index.js';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const section = (text: string) => ({ type: 'section' as const, text: plain(text) });
const eventsOf = (all: readonly { readonly payload: Readonly<Record<string, unknown>> }[]) =>
  all.map(({ payload }) => payload['event']);

describe('a message in the fake Slack', () => {
  it('keeps its blocks in an edit without blocks and loses them in an edit with an empty list', async () => {
    const { slack, client, general } = await given();
    const { ts = '' } = await client.chat.postMessage({ channel: general.id, text: 'a', blocks: [section('shown')] });
    await client.chat.update({ channel: general.id, ts, text: 'b' });
    expect(slack.screen(general)).toMatchObject([{ text: 'shown', fallback: 'b' }]);
    await client.chat.update({ channel: general.id, ts, text: 'c', blocks: [] });
    expect(slack.screen(general)).toMatchObject([{ text: 'c', isEdited: true }]);
  });

  it('is returned with its metadata on request', async () => {
    const { client, general, ada } = await given();
    const { message: root } = ada.says(general, 'start');
    const metadata = { event_type: 'bosun', event_payload: { key: 'r1' } };
    await client.chat.postMessage({ channel: general.id, thread_ts: root.ts, text: 'x', metadata });
    const plainly = await client.conversations.replies({ channel: general.id, ts: root.ts });
    const wholly = await client.conversations.replies({ channel: general.id, ts: root.ts, include_all_metadata: true });
    expect(plainly.messages?.map((one) => [one.text, one.metadata])).toEqual([
      ['start', undefined],
      ['x', undefined],
    ]);
    expect(wholly.messages?.[1]).toMatchObject({ metadata, thread_ts: root.ts, parent_user_id: ada.id });
  });

  it('causes events for its edits, its deletion and posts of the app itself', async () => {
    const { slack, client, general, ada } = await given();
    const { message } = ada.says(general, 'a');
    ada.edits(message, 'b');
    ada.deletes(message);
    await client.chat.postMessage({ channel: general.id, text: 'own' });
    expect(eventsOf(slack.deliveries)).toMatchObject([
      { type: 'message', text: 'a', user: 'U0ADA', channel_type: 'channel' },
      { subtype: 'message_changed', message: { text: 'b' }, previous_message: { text: 'a' } },
      { subtype: 'message_deleted', deleted_ts: message.ts },
      { type: 'message', text: 'own', bot_id: slack.botId, user: slack.bot.id },
    ]);
  });

  it('causes no event in a channel that the app is not in', async () => {
    const { slack, ada } = await given();
    const away = slack.channel('away', [ada]);
    ada.removes(away);
    expect(ada.mentions(away, 'hi').deliveries).toEqual([]);
    ada.invites(away);
    expect(ada.mentions(away, 'hi').deliveries).toHaveLength(2);
    expect(eventsOf(slack.deliveries.slice(0, 2))).toMatchObject([
      { type: 'channel_left' },
      { type: 'member_joined_channel' },
    ]);
  });

  it('of a guest or of another company is marked as such', async () => {
    const { slack, client } = await given();
    const guest = slack.person('U0GUEST', 'Guest', { isUltraRestricted: true });
    const other = slack.person('U0OTHER', 'Other', { teamId: 'T0OTHER' });
    const shared = slack.channel('shared', [guest, other], { isExtShared: true });
    const [delivery] = other.says(shared, 'hi').deliveries;
    expect(delivery?.payload).toMatchObject({ is_ext_shared_channel: true, event: { team: 'T0OTHER' } });
    expect((await client.users.info({ user: guest.id })).user).toMatchObject({ is_ultra_restricted: true });
    expect((await client.users.info({ user: other.id })).user).toMatchObject({ team_id: 'T0OTHER', is_stranger: true });
    expect((await client.conversations.info({ channel: shared.id })).channel).toMatchObject({ is_ext_shared: true });
  });
});

describe('a response_url', () => {
  it('accepts five answers within half an hour', async () => {
    const clock = new HandClock(1_800_000_000_000);
    const { slack, ada, general } = await given({ clock });
    const address = () => String(ada.slash(general, '/bosun', 'x').payload['response_url']);
    const answer = async (url: string) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ text: 'later' }) });
      return response.status;
    };
    const [used, old] = [address(), address()];
    const statuses = [];
    for (let index = 0; index < 6; index += 1) statuses.push(await answer(used));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
    expect(slack.screen(general)).toHaveLength(5);
    clock.advance(30 * 60_000 + 1);
    expect(await answer(old)).toBe(404);
  });
});

describe('files', () => {
  it('are uploaded by the real client and shown in their thread', async () => {
    const { slack, client, general, ada } = await given();
    const { message: root } = ada.says(general, 'log?');
    const content = Buffer.from('1 < 2');
    await client.filesUploadV2({ channel_id: general.id, thread_ts: root.ts, file: content, filename: 'out.txt' });
    expect(slack.screen(general, root.ts)).toMatchObject([{}, { files: ['out.txt'] }]);
    expect(slack.sent(general)[0]?.files[0]?.bytes.toString()).toBe('1 < 2');
  });

  it('are served to a valid token, and other requests get an HTML page', async () => {
    const { slack, client, general, ada } = await given();
    const { message, deliveries } = ada.uploads(general, 'a.txt', Buffer.from('secret'));
    expect(eventsOf(deliveries)).toMatchObject([{ subtype: 'file_share', files: [{ name: 'a.txt', size: 6 }] }]);
    const { file } = await client.files.info({ file: message.files[0]?.id ?? '' });
    const read = async (token: string) => {
      const response = await fetch(file?.url_private ?? '', { headers: { authorization: `Bearer ${token}` } });
      return [response.headers.get('content-type'), (await response.text()).slice(0, 9)];
    };
    expect(await read(slack.tokens.bot)).toEqual(['application/octet-stream', 'secret']);
    expect(await read('xoxb-wrong')).toEqual(['text/html', '<!DOCTYPE']);
  });
});

describe('the fake Slack', () => {
  it('streams text into a thread until the stream is too old', async () => {
    const clock = new HandClock(1_800_000_000_000);
    const { slack, client, general, ada } = await given({ clock });
    const { message: root } = ada.says(general, 'go');
    const who = { recipient_team_id: slack.team.id, recipient_user_id: ada.id };
    const place = { channel: general.id, thread_ts: root.ts };
    expect(await refusalOf(client.chat.startStream(place))).toBe('missing_recipient_team_id');
    const stream = client.chatStream({ ...place, ...who, buffer_size: 1 });
    await stream.append({ markdown_text: 'one ' });
    await stream.append({ markdown_text: 'two' });
    await stream.stop();
    expect(slack.screen(general, root.ts)[1]?.text).toBe('one two');
    const { ts = '' } = await client.chat.startStream({ ...place, ...who, markdown_text: 'x' });
    clock.advance(5 * 60_000 + 1);
    const late = client.chat.appendStream({ channel: general.id, ts, markdown_text: 'y' });
    expect(await refusalOf(late)).toBe('message_not_in_streaming_state');
  });

  it('shows a status above the compose box until it is cleared', async () => {
    const { slack, client, ada } = await given();
    const { message: root } = ada.says(ada.chat, 'go');
    const set = (status: string) =>
      client.assistant.threads.setStatus({ channel_id: ada.chat.id, thread_ts: root.ts, status });
    await set('is thinking…');
    await client.chat.postMessage({ channel: ada.chat.id, thread_ts: root.ts, text: 'x' });
    expect(slack.status(ada.chat, root.ts)).toBe('is thinking…');
    await set('');
    expect(slack.status(ada.chat, root.ts)).toBe('');
  });

  it('stacks at most three modals', async () => {
    const { client, ada, general } = await given();
    const trigger_id = () => String(ada.slash(general, '/bosun', 'x').payload['trigger_id']);
    const view = { type: 'modal' as const, title: plain('T'), blocks: [section('s')] };
    await client.views.open({ trigger_id: trigger_id(), view });
    await client.views.push({ trigger_id: trigger_id(), view });
    await client.views.push({ trigger_id: trigger_id(), view });
    expect(await refusalOf(client.views.push({ trigger_id: trigger_id(), view }))).toBe('push_limit_reached');
  });

  it('returns lists page by page', async () => {
    const { client, general, ada } = await given();
    for (const text of ['a', 'b', 'c']) ada.says(general, text);
    const texts: unknown[] = [];
    for await (const page of client.paginate('conversations.history', { channel: general.id, limit: 2 })) {
      texts.push(
        'messages' in page && Array.isArray(page['messages']) ? page['messages'].map((one) => one.text) : null,
      );
    }
    expect(texts).toEqual([['c', 'b'], ['a']]);
  });
});
