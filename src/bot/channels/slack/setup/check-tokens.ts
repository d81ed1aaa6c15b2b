import { ErrorCode } from '@slack/web-api';
import { z } from 'zod';
import { openClient, whyOf } from '../client.js';
import type { SlackConfig } from '../settings.js';
import { neededScopes, optionalScopes } from './manifest.js';

export type SlackTokenCheck =
  | { readonly kind: 'good'; readonly bot: Bot; readonly lacks: readonly MissingScope[] }
  | { readonly kind: 'refused'; readonly which: 'bot' | 'app'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

export interface Bot {
  readonly team: string;
  readonly teamId: string;
  readonly user: string;
  readonly userId: string;
}

export interface MissingScope {
  readonly scope: string;
  readonly without: string;
}

const limitMs = 15_000;
const label = z.string().max(300);
const identity = z.object({
  ...{ team: label, team_id: label, user: label, user_id: label },
  response_metadata: z.object({ scopes: z.array(label).max(200).optional() }).optional(),
});

export async function checkTokens(
  wanted: Pick<SlackConfig, 'botToken' | 'appToken' | 'apiUrl'>,
): Promise<SlackTokenCheck> {
  const { botToken, appToken, apiUrl } = wanted;
  if (!botToken.startsWith('xoxb-')) return { kind: 'refused', which: 'bot', why: 'it does not begin with xoxb-' };
  if (appToken !== null && !appToken.startsWith('xapp-'))
    return { kind: 'refused', which: 'app', why: 'it does not begin with xapp-' };
  const bot = await asked('bot', async () =>
    identity.parse(await openClient({ token: botToken, apiUrl }, limitMs).auth.test()),
  );
  if ('kind' in bot) return bot;
  const socket =
    appToken === null
      ? null
      : await asked('app', () => openClient({ token: appToken, apiUrl }, limitMs).apps.connections.open({}));
  if (socket !== null && 'kind' in socket) return socket;
  const { team, team_id: teamId, user, user_id: userId, response_metadata: told } = bot.answer;
  return { kind: 'good', bot: { team, teamId, user, userId }, lacks: lacksOf(told?.scopes ?? null) };
}

/** If Slack lists no scopes, none counts as missing. */
function lacksOf(scopes: readonly string[] | null): readonly MissingScope[] {
  if (scopes === null) return [];
  return Object.entries({ ...neededScopes, ...optionalScopes })
    .filter(([scope]) => !scopes.includes(scope))
    .map(([scope, without]) => ({ scope, without }));
}

async function asked<T>(
  which: 'bot' | 'app',
  ask: () => Promise<T>,
): Promise<{ readonly answer: T } | Exclude<SlackTokenCheck, { kind: 'good' }>> {
  try {
    return { answer: await ask() };
  } catch (error) {
    if (isRefusal(error)) return { kind: 'refused', which, why: whyOf(error) };
    return { kind: 'unreachable', why: whyOf(error) };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === ErrorCode.PlatformError;
}
