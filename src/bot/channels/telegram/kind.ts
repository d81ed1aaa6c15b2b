// Loads no SDK.
import { configKeys } from '../../../config/index.js';
import type { ChannelKind } from '../channel-kind.js';
import { type TelegramConfig, telegramSettings, telegramWebhookPath } from './settings.js';
import { telegramThreads, telegramTopics } from './thread-ids.js';

const id = configKeys.number('a whole number', Number.isSafeInteger);

export const telegram: ChannelKind = {
  ...telegramThreads,
  name: 'telegram',
  title: 'Telegram',
  settings: telegramSettings,
  accountId: id,
  chatId: id,
  hasNumericIds: true,
  hasGroups: false,
  topics: telegramTopics,
  webhookPath: telegramWebhookPath,
  setup: {
    description: 'set up Telegram: check and store a bot’s token, and pair you',
    options: [
      {
        flags: '--keep <where>',
        description: 'where the token stays: the variable TELEGRAM_BOT_TOKEN, or config.yaml',
        choices: ['variable', 'file'],
      },
      { flags: '--api-root <address>', description: 'a server to use instead of api.telegram.org' },
    ],
    connect: async (desk, options) => (await import('./setup/index.js')).connectTelegram(desk, options),
  },
  secretsOf: ({ token, webhook }: TelegramConfig) => [token, webhook?.secret],
  start: async (services, settings: TelegramConfig, log) =>
    (await import('./index.js')).startTelegram(services, settings, log),
  doctor: async (settings: TelegramConfig) => (await import('./setup/index.js')).checkTelegram(settings),
};
