import { z } from 'zod';
import { configKeys } from '../../../config/index.js';

export interface SlackConfig {
  readonly botToken: string;
  readonly appToken: string | null;
  readonly signingSecret: string | null;
  readonly apiUrl: string | null;
  /** `http`: Slack posts to Bosun's server. */
  readonly mode: 'socket' | 'http';
  readonly allowGuests: boolean;
  readonly allowSharedChannels: boolean;
}

declare module '../../../config/config.js' {
  interface ChannelSettings {
    readonly slack: SlackConfig | null;
  }
}

export const slackEventsPath = '/slack/events';

const { expected, httpUrl, keys, optionalText, word } = configKeys;

export const slackId = z
  .string(expected('an id such as C01GEN'))
  .regex(/^[A-Z0-9]{2,40}$/, expected('an id such as C01GEN'));

export const slackSettings: z.ZodType<SlackConfig | null> = keys({
  bot_token: optionalText,
  app_token: optionalText,
  signing_secret: optionalText,
  api_url: httpUrl,
  mode: word(['socket', 'http']).default('socket'),
  allow_guests: z.boolean(expected('true or false')).default(false),
  allow_shared_channels: z.boolean(expected('true or false')).default(false),
})
  .transform((raw) => {
    if (raw.bot_token === null) return null;
    return {
      botToken: raw.bot_token,
      appToken: raw.app_token,
      signingSecret: raw.signing_secret,
      apiUrl: raw.api_url,
      mode: raw.mode,
      allowGuests: raw.allow_guests,
      allowSharedChannels: raw.allow_shared_channels,
    };
  })
  .prefault({});
