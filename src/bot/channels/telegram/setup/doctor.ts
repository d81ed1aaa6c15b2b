import { broken, type Finding, fine, unreachable } from '../../finding.js';
import type { TelegramConfig } from '../settings.js';
import { checkToken } from './check-token.js';

export async function checkTelegram(telegram: TelegramConfig): Promise<readonly Finding[]> {
  const check = await checkToken(telegram);
  switch (check.kind) {
    case 'good':
      return [fine('telegram token', `accepted; the bot is @${check.me.username}`)];
    case 'refused':
      return [broken('telegram token', 'Telegram rejects the token', 'Run "bosun init telegram" to enter a new one.')];
    case 'unreachable':
      return [unreachable('telegram token', 'Telegram', check.why)];
  }
}
