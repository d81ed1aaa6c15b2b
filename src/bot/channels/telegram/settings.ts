import type { z } from 'zod';
import { configKeys } from '../../../config/index.js';

export interface TelegramConfig {
  readonly token: string;
  readonly apiRoot: string | null;
  /** Null: polls. */
  readonly webhook: TelegramWebhookConfig | null;
}

export interface TelegramWebhookConfig {
  readonly url: string;
  /** Null: generated and kept in the home. */
  readonly secret: string | null;
}

declare module '../../../config/config.js' {
  interface ChannelSettings {
    readonly telegram: TelegramConfig | null;
  }
}

export const telegramWebhookPath = '/telegram/webhook';

const { expected, httpUrl, keys, optionalText, url } = configKeys;

/** A server on this machine needs no https. */
const publicUrl = url(
  /^(?:https:\/\/|http:\/\/(?=(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$)))[^\s/?#@]+(?:\/[^\s?#]*)?$/,
  'an address that begins with https:// (http:// only for this machine), without ? and #',
).refine((said) => said === null || URL.canParse(said), expected('an address'));
const webhookSecret = optionalText.refine(
  (said) => said === null || /^[\w-]{16,256}$/.test(said),
  expected('16 to 256 letters, digits, - and _'),
);

export const telegramSettings: z.ZodType<TelegramConfig | null> = keys({
  token: optionalText,
  api_root: httpUrl,
  webhook: keys({ url: publicUrl, secret: webhookSecret }).prefault({}),
})
  .transform(({ token, api_root: apiRoot, webhook: { url: base, secret } }) => {
    if (token === null) return null;
    return { token, apiRoot, webhook: base === null ? null : { url: withPath(base), secret } };
  })
  .prefault({});

function withPath(address: string): string {
  const base = new URL(address).href.replace(/\/+$/, '');
  return base.endsWith(telegramWebhookPath) ? base : `${base}${telegramWebhookPath}`;
}
