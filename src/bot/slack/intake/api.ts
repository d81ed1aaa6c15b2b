// How Bolt's own client for sockets calls Slack: one try each, and nothing on the terminal, where a token might stand.
import { type Logger, LogLevel } from '@slack/bolt';
import { openClient, type SlackPlace } from '../client.js';

export const callLimitMs = 10_000;

export function socketOptions(place: SlackPlace) {
  const { slackApiUrl } = openClient(place, callLimitMs);
  return { slackApiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, timeout: callLimitMs };
}

const nothing = () => undefined;

export const mute: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
};
