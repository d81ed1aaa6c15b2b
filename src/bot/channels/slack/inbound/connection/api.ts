// How Bolt's own client for sockets calls Slack: one try each, and nothing on the terminal, where a token might stand.
import { boundedFetch } from '../../../bounded-fetch.js';
import { openClient, type SlackPlace } from '../../client.js';

export const callLimitMs = 10_000;

export function socketOptions(place: SlackPlace) {
  const { slackApiUrl } = openClient(place, callLimitMs);
  return {
    slackApiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: callLimitMs,
    fetch: boundedFetch,
  };
}
