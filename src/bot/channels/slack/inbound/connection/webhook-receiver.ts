// HTTP instead of a socket. Signatures expire after five minutes.
import { isValidSlackRequest } from '@slack/bolt';
import type { Clock } from '../../../../../base/index.js';
import type { ChannelPost, ChannelResponse, WebhookReceiver } from '../../../channel.js';
import { whyOf } from '../../client.js';
import type { TakePayload } from './bolt-app.js';

export interface WebhookReceiverParts {
  readonly signingSecret: string;
  readonly take: TakePayload;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

const windowS = 5 * 60;
const maxBodyChars = 1_000_000;

export function slackWebhookReceiver(parts: WebhookReceiverParts): WebhookReceiver {
  return {
    url: null,
    async receive(posted) {
      if (!isSigned(posted, parts)) return refusal(401, 'That is not signed by Slack, or too old');
      const read = bodyOf(posted);
      if (read === null) return refusal(400, 'The body cannot be read');
      const { body } = read;
      if (isRecord(body) && body['type'] === 'url_verification') return json({ challenge: String(body['challenge']) });
      if (isRecord(body) && body['ssl_check'] === '1') return json(null);
      return await taken(body, parts);
    },
  };
}

async function taken(body: unknown, { take, log }: WebhookReceiverParts): Promise<ChannelResponse> {
  try {
    const told = await take(body);
    return told.kind === 'taken' ? json(told.answer) : refusal(503, 'Post it again');
  } catch (error) {
    log(`slack: something was not taken and will be posted again: ${whyOf(error)}`);
    return refusal(503, 'Post it again');
  }
}

function isSigned({ headers, body }: ChannelPost, { signingSecret, clock }: WebhookReceiverParts): boolean {
  const at = Number(headers['x-slack-request-timestamp'] ?? Number.NaN);
  const signature = headers['x-slack-signature'] ?? '';
  if (!Number.isSafeInteger(at) || at > clock.now() / 1000 + windowS || body.length > maxBodyChars) return false;
  return isValidSlackRequest({
    signingSecret,
    body,
    headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': at },
    nowMilliseconds: clock.now(),
  });
}

/** Events are JSON, presses and modals a form with JSON, commands a form. */
function bodyOf({ headers, body }: ChannelPost): { readonly body: unknown } | null {
  try {
    if (!/^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')) {
      return { body: JSON.parse(body) as unknown };
    }
    const form = Object.fromEntries(new URLSearchParams(body));
    return { body: form['payload'] === undefined ? form : (JSON.parse(form['payload']) as unknown) };
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function json(answer: unknown): ChannelResponse {
  if (answer === null) return { status: 200, body: '' };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
}

function refusal(status: number, why: string): ChannelResponse {
  return { status, body: `${why}\n` };
}
