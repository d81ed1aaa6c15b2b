// Loads no SDK.
import type { ChannelKind } from '../channel-kind.js';
import { type SlackConfig, slackEventsPath, slackId, slackSettings } from './settings.js';
import { slackThreads } from './thread-ids.js';

export const slack: ChannelKind = {
  ...slackThreads,
  name: 'slack',
  title: 'Slack',
  settings: slackSettings,
  accountId: slackId,
  chatId: slackId,
  hasNumericIds: false,
  hasGroups: true,
  topics: null,
  webhookPath: slackEventsPath,
  setup: {
    description: 'set up Slack: create the app, check and store its tokens, and pair you',
    options: [
      { flags: '--app-name <n>', description: 'the bot’s display name', usual: 'Bosun' },
      {
        flags: '--http <address>',
        description: 'receive events at this public address instead of over Socket Mode',
      },
      { flags: '--manifest-only', description: 'only write the manifest' },
      {
        flags: '--keep <where>',
        description: 'where to store the tokens: in variables or in config.yaml',
        choices: ['variable', 'file'],
      },
      { flags: '--api-url <address>', description: 'a server to use instead of slack.com' },
    ],
    connect: async (desk, options) => (await import('./setup/index.js')).connectSlack(desk, options),
  },
  secretsOf: ({ botToken, appToken, signingSecret }: SlackConfig) => [botToken, appToken, signingSecret],
  start: async (services, settings: SlackConfig, log) =>
    (await import('./index.js')).startSlack(services, settings, log),
  doctor: async (settings: SlackConfig, home) => (await import('./setup/index.js')).checkSlack(settings, home),
};
