// `bosun doctor`: asks Slack about the tokens and the bot's rights.
import { type Home, keptText } from '../../../../config/index.js';
import { broken, doubtful, type Finding, fine, unreachable } from '../../finding.js';
import type { SlackConfig } from '../settings.js';
import { checkTokens } from './check-tokens.js';
import { otherTeam } from './other-team.js';

export async function checkSlack(slack: SlackConfig, home: Home): Promise<readonly Finding[]> {
  const missing = missingSecret(slack);
  if (missing !== null) return [broken('slack tokens', `${missing} is not set`, 'Run "bosun init slack" to enter it.')];
  const check = await checkTokens({ ...slack, appToken: slack.mode === 'socket' ? slack.appToken : null });
  switch (check.kind) {
    case 'good': {
      const { team, teamId } = check.bot;
      const elsewhere = otherTeam(keptText(home, 'slack-team'), { id: teamId, name: team });
      if (elsewhere !== null)
        return [broken('slack tokens', elsewhere, 'Bosun receives nothing from Slack until that is fixed.')];
      return [
        fine('slack tokens', `accepted; the bot is @${check.bot.user} in ${check.bot.team}`),
        ...check.lacks.map(({ scope, without }) =>
          doubtful(
            'slack rights',
            `the app lacks the scope ${scope}, needed for ${without}`,
            'Add it under OAuth & Permissions on the app’s page, then reinstall the app.',
          ),
        ),
      ];
    }
    case 'refused':
      return [
        broken(
          'slack tokens',
          `Slack rejects the ${check.which} token: ${check.why}`,
          'Run "bosun init slack" to enter new ones.',
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
