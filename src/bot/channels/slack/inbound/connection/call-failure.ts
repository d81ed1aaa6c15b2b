// Wait and report after a failed call. Never gives up, because the cause may be fixed at Slack.
import { webApi } from '@slack/bolt';
import { backOffMs } from '../../../../delivery/index.js';
import { whyOf } from '../../client.js';

export interface CallFailure {
  readonly ms: number;
  readonly problem: string;
}

/** A person must act first. */
const personWaitMs = 5 * 60_000;

const botToken = 'set channels.slack.bot_token anew ("bosun init slack")';
const appToken = 'set channels.slack.app_token anew ("bosun init slack")';

export function troubleOf(error: unknown, token: 'bot' | 'app', failures: number, random: () => number): CallFailure {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    return { ms: error.retryAfter * 1000, problem: 'Slack says to wait: too many calls' };
  }
  const code = errorOf(error);
  const problem = code === null ? null : personal(code, token, error);
  if (problem !== null) return { ms: personWaitMs, problem };
  const ms = backOffMs(failures, random);
  return { ms, problem: code === null ? `Slack cannot be reached: ${whyOf(error)}` : `Slack answers ${code}` };
}

/** Only a person can fix these. */
function personal(code: string, token: 'bot' | 'app', error: unknown): string | null {
  const hint = token === 'bot' ? botToken : appToken;
  switch (code) {
    case 'invalid_auth':
    case 'not_authed':
    case 'token_revoked':
    case 'token_expired':
      return `Slack refuses the ${token} token (${code}): ${hint}`;
    case 'account_inactive':
    case 'user_removed_from_team':
    case 'team_disabled':
      return `Slack has put the app out of the workspace (${code}): install it again ("bosun init slack")`;
    case 'not_allowed_token_type': {
      const begins = token === 'bot' ? 'xoxb-' : 'xapp-';
      return `the ${token} token is of another kind, it begins with ${begins}: ${hint}`;
    }
    case 'missing_scope':
      return `the ${token} token may too little (${whyOf(error)}): add the scope and install the app again`;
    case 'link_disabled':
    case 'socket_mode_not_enabled':
      return 'Socket Mode is switched off for this app: switch it on at api.slack.com, or set channels.slack.mode to http';
    default:
      return null;
  }
}

export function errorOf(error: unknown): string | null {
  return error instanceof webApi.WebAPIPlatformError ? String(error.data.error) : null;
}
