import {
  SlackError,
  type WebAPICallResult,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
} from '@slack/web-api';
import type { PostResult } from '../../../delivery/index.js';
import { wasNeverSent } from '../../bounded-fetch.js';
import { AnswerLacks, codeOf, UploadRefused, whyOf, withoutSecrets } from '../client.js';

export type SlackCall = 'send' | 'edit' | 'delete' | 'other';

/** For a refusal that names no time. */
const defaultWaitS = 10;
const maxWaitS = 24 * 3_600;
const maxWhyChars = 200;

export function answerTo(error: unknown, doing: SlackCall): PostResult {
  if (error instanceof WebAPIRateLimitedError) return wait(error.retryAfter);
  if (error instanceof WebAPIPlatformError) return refusal(error.data, doing);
  if (error instanceof WebAPIHTTPError) return ofStatus(error.statusCode, doing);
  if (error instanceof UploadRefused) return ofStatus(error.status, doing);
  if (error instanceof Error && /^Retry header did not contain/.test(error.message)) return wait(defaultWaitS);
  if (error instanceof AnswerLacks || isOfNetwork(error)) return lost(error, doing);
  throw error;
}

function wait(seconds: number | undefined): PostResult {
  const named = seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : defaultWaitS;
  return { kind: 'wait', ms: Math.min(named, maxWaitS) * 1_000 };
}

/** A gateway may have passed on a 5xx, but not a 4xx. */
function ofStatus(status: number, doing: SlackCall): PostResult {
  const mayHaveArrived = doing === 'send' && status >= 500;
  return { kind: 'lost', mayHaveArrived, why: `Slack's server answered with ${status}` };
}

/** An error while reading the body bypasses the client's types. */
function isOfNetwork(error: unknown): error is Error {
  if (error instanceof SlackError) return true;
  if (error instanceof DOMException) return error.name === 'AbortError' || error.name === 'TimeoutError';
  return error instanceof TypeError && (codeOf(error) !== null || /fetch failed|terminated/.test(error.message));
}

function lost(error: Error, doing: SlackCall): PostResult {
  const code = codeOf(error);
  const mayHaveArrived = doing === 'send' && !wasNeverSent(code);
  return { kind: 'lost', mayHaveArrived, why: (code ?? whyOf(error)).slice(0, maxWhyChars) };
}

function refusal(data: WebAPICallResult & { readonly error: string }, doing: SlackCall): PostResult {
  const { error } = data;
  if (!/^\w{1,80}$/.test(error)) return { kind: 'lost', mayHaveArrived: doing === 'send', why: 'no answer of Slack' };
  if (error === 'missing_scope') return withoutScope(data);
  if (waits.has(error)) return wait(data.response_metadata?.retryAfter);
  if (failures.has(error)) return { kind: 'lost', mayHaveArrived: doing === 'send', why: `Slack says ${error}` };
  const barred = bars.get(error);
  if (barred !== undefined) return { kind: 'barred', why: `Slack refuses this bot (${error}): ${barred}` };
  const known = meanings.find(({ says, of = [doing] }) => says.has(error) && of.includes(doing));
  if (known !== undefined) return known.is;
  const lane = lanes.get(error);
  if (lane !== undefined) return { kind: 'refused', why: `${error}: ${lane}`, of: 'lane' };
  if (threads.has(error)) return { kind: 'refused', why: `${error}: its thread is gone or locked`, of: 'thread' };
  return { kind: 'refused', why: `Slack refused it: ${error}${detailsOf(data)}`.slice(0, maxWhyChars), of: 'message' };
}

/** Without chat:write the bot is mute. */
function withoutScope(data: WebAPICallResult): PostResult {
  const needed = 'needed' in data ? data.needed : null;
  const scope = typeof needed === 'string' && /^[\w:.,-]{1,100}$/.test(needed) ? needed : 'it does not name';
  const why = `the Slack app lacks the scope ${scope}: add it to the app and install it again`;
  return scope.split(',').includes('chat:write') ? { kind: 'barred', why } : { kind: 'refused', why, of: 'message' };
}

function detailsOf({ response_metadata: metadata }: WebAPICallResult): string {
  const first = metadata?.messages?.[0];
  return first === undefined ? '' : ` (${withoutSecrets(first)})`;
}

const waits = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

const failures = new Set([
  ...['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'team_added_to_org'],
  ...['accesslimited', 'enterprise_is_restricted_temporarily'],
]);

const newToken = 'check channels.slack.bot_token in config.yaml; until then all messages wait';

const bars: ReadonlyMap<string, string> = new Map([
  ['invalid_auth', newToken],
  ['not_authed', newToken],
  ['token_revoked', newToken],
  ['token_expired', newToken],
  ['account_inactive', 'the app was removed from the workspace; install it again'],
  ['not_allowed_token_type', 'channels.slack.bot_token must begin with xoxb-'],
  ['org_login_required', 'the workspace moves to an organisation; until that is over all messages wait'],
  ['ekm_access_denied', 'the organisation holds back its keys; until then all messages wait'],
]);

interface Meaning {
  readonly says: ReadonlySet<string>;
  /** Absent: any call. */
  readonly of?: readonly SlackCall[];
  readonly is: PostResult;
}

const meanings: readonly Meaning[] = [
  { says: new Set(['already_reacted', 'no_reaction']), is: { kind: 'unchanged' } },
  {
    says: new Set(['message_not_found', 'cant_delete_message', 'file_not_found', 'file_deleted', 'cant_delete_file']),
    of: ['delete'],
    is: { kind: 'unchanged' },
  },
  {
    says: new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']),
    of: ['edit'],
    is: { kind: 'gone' },
  },
  {
    says: new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long', 'block_mismatch']),
    is: { kind: 'plainer' },
  },
];

const inviteMe = 'invite me there: /invite @bosun';
const askAdmin = 'a workspace admin has to let me post there';

const lanes: ReadonlyMap<string, string> = new Map([
  ['channel_not_found', `there is no such channel, or I am not in it; ${inviteMe}`],
  ['not_in_channel', inviteMe],
  ['is_archived', 'the channel is archived; unarchive it, or let the project live in another one'],
  ['restricted_action', askAdmin],
  ['restricted_action_read_only_channel', askAdmin],
  ['posting_to_general_channel_denied', askAdmin],
  ['user_disabled', 'the person has left the workspace'],
  ['user_not_found', 'there is no such person in this workspace'],
  ['user_not_visible', 'I may not see this person'],
  ['users_not_found', 'there is no such person in this workspace'],
  ['cannot_dm_bot', 'it is an app, and apps get no messages of other apps'],
  ['messages_tab_disabled', 'turn on the Messages tab in the settings of the app, under App Home'],
]);

const threads = new Set([
  ...['thread_not_found', 'invalid_thread_ts', 'cannot_reply_to_message', 'message_not_found'],
  ...['restricted_action_thread_locked', 'restricted_action_non_threadable_channel'],
]);
