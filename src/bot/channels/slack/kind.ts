// What Bosun knows of Slack before it loads Slack's SDKs.
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
    description: 'talk to Bosun in Slack: makes the app, checks its tokens, keeps them, and lets you in',
    options: [
      { flags: '--app-name <n>', description: 'what people call it', usual: 'Bosun' },
      {
        flags: '--http <address>',
        description: 'let Slack post to this address of yours, in place of a socket that Bosun opens',
      },
      { flags: '--manifest-only', description: 'write the manifest, and stop there' },
      {
        flags: '--keep <where>',
        description: 'where the tokens stay: in variables, or in config.yaml',
        choices: ['variable', 'file'],
      },
      { flags: '--api-url <address>', description: 'another server in place of slack.com' },
    ],
    connect: async (desk, options) => (await import('./setup/index.js')).connectSlack(desk, options),
  },
  secretsOf: ({ botToken, appToken, signingSecret }: SlackConfig) => [botToken, appToken, signingSecret],
  start: async (services, settings: SlackConfig, log) =>
    (await import('./index.js')).startSlack(services, settings, log),
  doctor: async (settings: SlackConfig, home) => (await import('./setup/index.js')).checkSlack(settings, home),
};
