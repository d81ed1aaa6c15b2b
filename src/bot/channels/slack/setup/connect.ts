import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BosunError } from '../../../../base/index.js';
import { type Environment, editConfig, type Home, keptText, mapAt } from '../../../../config/index.js';
import {
  askKept,
  type Kept,
  keptOption,
  type Meeting,
  type SetupDesk,
  type SetupOptions,
  wordOption,
} from '../../setup-desk.js';
import { slackEventsPath } from '../settings.js';
import { type Bot, checkTokens, type MissingScope, type SlackTokenCheck } from './check-tokens.js';
import { manifestLink, newAppPage, slackManifest } from './manifest.js';
import { otherTeam } from './other-team.js';

interface Tokens {
  readonly bot: string;
  readonly app: string | null;
  readonly signing: string | null;
}

const variables = { bot: 'SLACK_BOT_TOKEN', app: 'SLACK_APP_TOKEN', signing: 'SLACK_SIGNING_SECRET' } as const;

export async function connectSlack(desk: SetupDesk, options: SetupOptions): Promise<Meeting | null> {
  const { home, env, config } = desk;
  const [ownUrl, http] = [wordOption(options, 'apiUrl'), wordOption(options, 'http')];
  showManifest(desk, wordOption(options, 'appName') ?? 'Bosun', http);
  if (options['manifestOnly']) return null;
  const { tokens, keep } = await tokensOf(desk, http !== null, keptOption(options));
  const { bot, lacks } = await checked(home, tokens, ownUrl ?? config.channels.slack?.apiUrl ?? null);
  editConfig(home, env, (document) => {
    const channel = mapAt(document, ['channels', 'slack']);
    for (const [key, variable, value] of kept(tokens))
      channel.set(key, keep === 'variable' ? `\${${variable}}` : value);
    if (ownUrl !== null) channel.set('api_url', ownUrl);
    if (http === null) channel.delete('mode');
    else channel.set('mode', 'http');
  });
  desk.print(`Connected as @${bot.user} in ${bot.team} (${config.path}).`);
  if (keep === 'variable') {
    const names = kept(tokens).map(([, variable]) => variable);
    desk.print(`Bosun reads the tokens from ${names.join(', ')}: set them in its environment.`);
  }
  desk.print(...lacking(lacks));
  return {
    link: null,
    step: (code) => `In Slack, write ${code} to @${bot.user} in a direct message.`,
    did: 'wrote this code to the bot',
  };
}

function kept({ bot, app, signing }: Tokens): readonly (readonly [string, string, string])[] {
  const all = [
    ['bot_token', variables.bot, bot],
    ['app_token', variables.app, app],
    ['signing_secret', variables.signing, signing],
  ] as const;
  return all.flatMap(([key, variable, value]) => (value === null ? [] : [[key, variable, value] as const]));
}

function showManifest(desk: SetupDesk, name: string, http: string | null): void {
  const url = http === null ? null : postedTo(http);
  const manifest = slackManifest({ name, url });
  const file = join(desk.home.dir, 'slack-manifest.json');
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const link = manifestLink(manifest);
  desk.print(
    'Open this page to create the app: choose the workspace, press Create, then Install to Workspace.',
    link,
    `Or by hand: ${newAppPage}, From a manifest, and paste the contents of ${file}.`,
    '',
  );
  if (desk.isTerminal) openPage(link, desk.env);
}

function postedTo(address: string): string {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new BosunError('usage', `--http needs an address such as https://bosun.example.org`);
  }
  const base = address.replace(/\/+$/, '');
  return base.endsWith(slackEventsPath) ? base : `${base}${slackEventsPath}`;
}

/** Best effort: the printed link can be copied. */
function openPage(link: string, env: Environment): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const hasDesktop = process.platform === 'darwin' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (!hasDesktop) return;
  const child = spawn(program, [link], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

async function checked(
  home: Home,
  tokens: Tokens,
  apiUrl: string | null,
): Promise<{ readonly bot: Bot; readonly lacks: readonly MissingScope[] }> {
  const check = await checkTokens({ botToken: tokens.bot, appToken: tokens.app, apiUrl });
  if (check.kind !== 'good') throw whyNot(check);
  const elsewhere = otherTeam(keptText(home, 'slack-team'), { id: check.bot.teamId, name: check.bot.team });
  if (elsewhere !== null) throw new BosunError('bad_input', `Nothing was changed: ${elsewhere}`);
  return check;
}

function whyNot(check: Exclude<SlackTokenCheck, { kind: 'good' }>): BosunError {
  if (check.kind === 'unreachable') {
    return new BosunError('not_now', `Cannot check the tokens with Slack: ${check.why}`, {
      hint: 'Nothing was changed. Try again once this machine can reach it.',
    });
  }
  const [what, place] =
    check.which === 'bot'
      ? ['bot token (xoxb-…)', 'OAuth & Permissions, after Install to Workspace']
      : ['app token (xapp-…)', 'Basic Information → App-Level Tokens, with the scope connections:write'];
  return new BosunError('bad_input', `Slack rejects the ${what}: ${check.why}; nothing was changed`, {
    hint: `Copy it again from the app’s page: ${place}.`,
  });
}

function lacking(lacks: readonly MissingScope[]): readonly string[] {
  if (lacks.length === 0) return [];
  return [
    'The app lacks scopes: add them under OAuth & Permissions (or paste the manifest again), then reinstall the app.',
    ...lacks.map(({ scope, without }) => `  ${scope}: needed for ${without}`),
  ];
}

/** Takes set variables without asking. */
async function tokensOf(desk: SetupDesk, isHttp: boolean, keep: Kept | null): Promise<{ tokens: Tokens; keep: Kept }> {
  const given = (variable: string) => (desk.env[variable] ?? '').trim();
  const second = isHttp ? variables.signing : variables.app;
  if (given(variables.bot) !== '' && given(second) !== '') {
    return { tokens: tokensFrom(given(variables.bot), given(second), isHttp), keep: keep ?? 'variable' };
  }
  if (!desk.isTerminal) {
    throw new BosunError('usage', 'Cannot ask for the app’s tokens without a terminal', {
      hint: `Set ${variables.bot} and ${second}, or run this at a terminal.`,
    });
  }
  return desk.asking(async (ask) => {
    const bot = await ask('Bot token, from OAuth & Permissions (xoxb-…, hidden): ', true);
    const asks = isHttp
      ? 'Signing secret, from Basic Information (hidden): '
      : 'App token, from Basic Information → App-Level Tokens, with connections:write (xapp-…, hidden): ';
    const tokens = tokensFrom(bot, await ask(asks, true), isHttp);
    return { tokens, keep: keep ?? (await askKept(ask, 'Store them in config.yaml, or read them from variables?')) };
  });
}

function tokensFrom(bot: string, second: string, isHttp: boolean): Tokens {
  return { bot, app: isHttp ? null : second, signing: isHttp ? second : null };
}
