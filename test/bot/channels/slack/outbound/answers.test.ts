// What delivery makes of each refusal, and of a network that fails.

import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClient, whyOf } from '../../../../../src/bot/channels/slack/client.js';
import { slackCarrier } from '../../../../../src/bot/channels/slack/outbound/carrier.js';
import type { PostResult } from '../../../../../src/bot/delivery/index.js';
import { type OutgoingMessage, outgoingMessageOf } from '../../../../../src/bot/delivery/outgoing-message.js';
import { pictureReader } from '../../../../../src/bot/render/picture-file.js';
import { placedThread } from '../../../../open-store.js';
import { newMessage } from '../../fixture/delivery.js';
import { type Fault, faults, startSlack } from '../server/index.js';

function parcel(parts: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const thread = placedThread('sl:C01GEN');
  if (thread === null) throw new Error('no thread');
  const message = { ...newMessage('sl:C01GEN', 'hello'), id: 'm7', edits: null };
  return { ...outgoingMessageOf(message, thread, 'C01GEN'), ...parts };
}

async function posting(method: string, fault: Fault, parts: Partial<OutgoingMessage> = {}): Promise<PostResult> {
  const slack = await startSlack();
  onTestFinished(() => slack.close());
  slack.channel('gen', [slack.person('U01ADA', 'Ada')], { id: 'C01GEN' });
  slack.plant({ method, fault });
  const carrier = slackCarrier(openClient({ token: slack.tokens.bot, apiUrl: slack.apiUrl }), {
    home: '',
    pictures: pictureReader({ dir: tmpdir() }),
  });
  return carrier.post(parcel(parts), new AbortController().signal);
}

const shownText = { place: '["1700000000.000100tOTHER"]' };
const toMend = 'check channels.slack.bot_token in config.yaml; until then all messages wait';
/** Each version of Node has its own. */
const bySocket: string = expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET|EPIPE)$/);
const lacks = (scope: string) => `the Slack app lacks the scope ${scope}: add it to the app and install it again`;

describe('posting a message', () => {
  it.each<readonly [what: string, fault: Fault, posted: PostResult]>([
    ['429', faults.ratelimited(17), { kind: 'wait', ms: 17_000 }],
    ['ratelimited', faults.refuse('ratelimited'), { kind: 'wait', ms: 10_000 }],
    ['rate_limited', faults.refuse('rate_limited'), { kind: 'wait', ms: 10_000 }],
    ['429 without a time', faults.status(429), { kind: 'wait', ms: 10_000 }],
    ['500', faults.status(500), lost("Slack's server answered with 500", true)],
    ['503', faults.status(503), lost("Slack's server answered with 503", true)],
    ['404', faults.status(404), lost("Slack's server answered with 404", false)],
    ['a page', faults.status(200), lost('no answer of Slack', true)],
    ['internal_error', faults.refuse('internal_error'), lost('Slack says internal_error', true)],
    ['fatal_error', faults.refuse('fatal_error'), lost('Slack says fatal_error', true)],
    ['a lost request', faults.lostRequest, lost(bySocket, true)],
    ['a lost answer', faults.lostAnswer, lost(bySocket, true)],
    ['a cut answer', faults.cutAnswer, lost(bySocket, true)],
    ['invalid_auth', faults.refuse('invalid_auth'), barred('invalid_auth', toMend)],
    ['token_revoked', faults.refuse('token_revoked'), barred('token_revoked', toMend)],
    [
      'account_inactive',
      faults.refuse('account_inactive'),
      barred('account_inactive', 'the app was removed from the workspace; install it again'),
    ],
    [
      'missing_scope of chat:write',
      faults.refuse('missing_scope', { needed: 'chat:write', provided: '' }),
      { kind: 'barred', why: lacks('chat:write') },
    ],
    [
      'missing_scope of another',
      faults.refuse('missing_scope', { needed: 'files:write', provided: 'chat:write' }),
      refused('message', lacks('files:write')),
    ],
    ['invalid_blocks', faults.refuse('invalid_blocks'), { kind: 'plainer' }],
    ['msg_blocks_too_long', faults.refuse('msg_blocks_too_long'), { kind: 'plainer' }],
    ['msg_too_long', faults.refuse('msg_too_long'), { kind: 'plainer' }],
    ['thread_not_found', faults.refuse('thread_not_found'), refused('thread', gone('thread_not_found'))],
    [
      'not_in_channel',
      faults.refuse('not_in_channel'),
      refused('lane', 'not_in_channel: invite me there: /invite @bosun'),
    ],
    [
      'channel_not_found',
      faults.refuse('channel_not_found'),
      refused(
        'lane',
        'channel_not_found: there is no such channel, or I am not in it; invite me there: /invite @bosun',
      ),
    ],
    [
      'is_archived',
      faults.refuse('is_archived'),
      refused('lane', 'is_archived: the channel is archived; unarchive it, or let the project live in another one'),
    ],
    [
      'restricted_action',
      faults.refuse('restricted_action'),
      refused('lane', 'restricted_action: a workspace admin has to let me post there'),
    ],
    [
      'what nobody has heard of',
      faults.refuse('some_new_error'),
      refused('message', 'Slack refused it: some_new_error'),
    ],
  ])('maps the response %s to its delivery result', async (_what, fault, answer) => {
    expect(await posting('chat.postMessage', fault)).toEqual(answer);
  });

  it('without blocks is refused when Slack rejects its markup again', async () => {
    const answer = await posting('chat.postMessage', faults.refuse('invalid_blocks'), { isPlain: true });
    expect(answer).toEqual(refused('message', 'Slack takes neither its blocks nor its bare text'));
  });
});

describe('editing a message', () => {
  it.each<readonly [what: string, fault: Fault, posted: PostResult]>([
    ['message_not_found', faults.refuse('message_not_found'), { kind: 'gone' }],
    ['cant_update_message', faults.refuse('cant_update_message'), { kind: 'gone' }],
    ['edit_window_closed', faults.refuse('edit_window_closed'), { kind: 'gone' }],
    ['500', faults.status(500), lost("Slack's server answered with 500", false)],
    ['a lost request', faults.lostRequest, lost(bySocket, false)],
    ['msg_too_long', faults.refuse('msg_too_long'), { kind: 'plainer' }],
  ])('maps the response %s to its delivery result', async (_what, fault, answer) => {
    expect(await posting('chat.update', fault, shownText)).toEqual(answer);
  });
});

describe('the Slack client', () => {
  it('reports that nothing arrived when the connection is refused', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const carrier = slackCarrier(openClient({ token: 'xoxb-1-2-abc', apiUrl: `http://127.0.0.1:${port}` }), {
      home: '',
      pictures: pictureReader({ dir: tmpdir() }),
    });
    expect(await carrier.post(parcel(), new AbortController().signal)).toEqual(lost('ECONNREFUSED', false));
  });

  it('aborts a call through its signal', async () => {
    const slack = await startSlack();
    onTestFinished(() => slack.close());
    slack.channel('gen', [slack.person('U01ADA', 'Ada')], { id: 'C01GEN' });
    slack.plant({ method: 'chat.postMessage', fault: { type: 'hang', acts: false } });
    const carrier = slackCarrier(openClient({ token: slack.tokens.bot, apiUrl: slack.apiUrl }), {
      home: '',
      pictures: pictureReader({ dir: tmpdir() }),
    });
    const controller = new AbortController();
    const call = carrier.post(parcel(), controller.signal);
    await slack.until('the call', () => slack.ledger.count('chat.postMessage') === 1);
    controller.abort();
    expect(await call).toMatchObject({ kind: 'lost', mayHaveArrived: true });
  });

  it.each([
    ['http://127.0.0.1:9', 'http://127.0.0.1:9/api/'],
    ['http://127.0.0.1:9/', 'http://127.0.0.1:9/api/'],
    ['https://slack.com/api', 'https://slack.com/api/'],
    ['https://slack.example/proxy/api/', 'https://slack.example/proxy/api/'],
  ])('turns the configured address %s into the API root %s', (apiUrl, root) => {
    expect(openClient({ token: 'xoxb-1', apiUrl }).slackApiUrl).toBe(root);
  });

  it('hides tokens and addresses in error messages', async () => {
    const failed = new Error('xoxb-12-34-AbC, xapp-1-A0-9-f00 and xoxe.xoxp-1-z at https://hooks.example/T/secret');
    expect(whyOf(failed)).toBe('[token], [token] and [token] at [address]');
    const client = openClient({ token: 'xoxb-1-2-abc', apiUrl: 'http://127.0.0.1:1' });
    const error: unknown = await client.auth.test().catch((one: unknown) => one);
    expect(whyOf(error)).not.toMatch(/xoxb|127\.0\.0\.1:1\/api/);
    expect(whyOf(error)).not.toBe('');
  });
});

function lost(why: string, mayHaveArrived: boolean): PostResult {
  return { kind: 'lost', mayHaveArrived, why };
}

function barred(error: string, why: string): PostResult {
  return { kind: 'barred', why: `Slack refuses this bot (${error}): ${why}` };
}

function refused(of: 'message' | 'thread' | 'lane', why: string): PostResult {
  return { kind: 'refused', why, of };
}

function gone(error: string): string {
  return `${error}: its thread is gone or locked`;
}
