// `bosun doctor`: asks Telegram whether the token is valid.
import { broken, type Finding, fine, unreachable } from '../../finding.js';
import type { TelegramConfig } from '../settings.js';
import { checkToken } from './check-token.js';

export async function checkTelegram(telegram: TelegramConfig): Promise<readonly Finding[]> {
  const check = await checkToken(telegram);
  switch (check.kind) {
    case 'good':
      return [fine('telegram token', `it is @${check.me.username}’s`)];
    case 'refused':
      return [broken('telegram token', 'Telegram does not know it', 'bosun init telegram takes another one.')];
    case 'unreachable':
      return [unreachable('telegram token', 'Telegram', check.why)];
  }
}
