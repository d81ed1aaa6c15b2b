// Asks the chat platforms whether the tokens are valid, and what the bot may do.
import { checkConfig, type Home, keptText, type SlackConfig, type TelegramConfig } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import { broken, doubtful, type Finding, fine } from './finding.js';

export async function checkChannels({ home, shell }: CommandContext): Promise<readonly Finding[]> {
  const reading = checkConfig(home, shell.env);
  if (reading.kind === 'bad') return [];
  const { telegram, slack } = reading.config.channels;
  const found = await Promise.all([
    telegram === null ? [] : checkTelegram(telegram),
    slack === null ? [] : checkSlack(slack, home),
  ]);
  return found.flat();
}

async function checkTelegram(telegram: TelegramConfig): Promise<readonly Finding[]> {
  const { checkToken } = await import('../../bot/channels/telegram/setup/index.js');
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

async function checkSlack(slack: SlackConfig, home: Home): Promise<readonly Finding[]> {
  const missing = missingSecret(slack);
  if (missing !== null) return [broken('slack tokens', `${missing} is not set`, 'bosun init slack asks for it.')];
  const { checkTokens, otherTeam } = await import('../../bot/channels/slack/setup/index.js');
  const check = await checkTokens({ ...slack, appToken: slack.mode === 'socket' ? slack.appToken : null });
  switch (check.kind) {
    case 'good': {
      const { team, teamId } = check.bot;
      const elsewhere = otherTeam(keptText(home, 'slack-team'), { id: teamId, name: team });
      if (elsewhere !== null) return [broken('slack tokens', elsewhere, 'Bosun takes nothing from there until then.')];
      return [
        fine('slack tokens', `they are @${check.bot.user}’s in ${check.bot.team}`),
        ...check.lacks.map(({ scope, without }) =>
          doubtful(
            'slack rights',
            `the app lacks ${scope}: without it, no ${without}`,
            'Add it under OAuth & Permissions on the app’s page, then reinstall the app.',
          ),
        ),
      ];
    }
    case 'refused':
      return [
        broken(
          'slack tokens',
          `Slack does not take the ${check.which} token: ${check.why}`,
          'bosun init slack takes others.',
        ),
      ];
    case 'unreachable':
      return [unreachable('slack tokens', 'Slack', check.why)];
  }
}

function missingSecret({ mode, appToken, signingSecret }: SlackConfig): string | null {
  if (mode === 'socket') return appToken === null ? 'channels.slack.app_token' : null;
  return signingSecret === null ? 'channels.slack.signing_secret' : null;
}

function unreachable(name: string, platform: string, why: string): Finding {
  const mend = `Bosun tries again by itself; see whether this machine reaches ${platform}.`;
  return doubtful(name, `${platform} cannot be asked: ${why}`, mend);
}
