// Checks the secret before parsing.
import { isSameSecret } from '../../../../base/index.js';
import type { ChannelResponse, WebhookReceiver } from '../../channel.js';
import type { Receipt } from './webhook-registration.js';

export interface WebhookPlace {
  readonly url: string;
  readonly secret: string;
}

export function telegramWebhookReceiver(
  { url, secret }: WebhookPlace,
  receive: (update: unknown) => Receipt,
): WebhookReceiver {
  return {
    url,
    async receive({ headers, body }) {
      if (!isSameSecret(headers['x-telegram-bot-api-secret-token'] ?? '', secret))
        return refusal(401, 'That is not the secret of this webhook');
      const update = jsonOf(body);
      if (update === null) return refusal(400, 'The body is no JSON');
      return receive(update.read) === 'taken' ? { status: 200, body: '{}' } : refusal(503, 'Post it again');
    },
  };
}

function jsonOf(body: string): { readonly read: unknown } | null {
  try {
    return { read: JSON.parse(body) as unknown };
  } catch {
    return null;
  }
}

function refusal(status: number, why: string): ChannelResponse {
  return { status, body: `${why}\n` };
}
