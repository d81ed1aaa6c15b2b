// `bosun init slack`: opens Slack's page with the app's manifest, checks and stores the tokens, and prints a pairing
// code.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { BosunError } from '../../base/index.js';
import type { Bot, MissingScope, SlackTokenCheck } from '../../bot/channels/slack/setup/index.js';
import { editConfig, keptText, mapAt, slackEventsPath } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { openQuestions } from '../questions.js';
import { firstPairing } from './first-pairing.js';

interface SlackOptions {
  readonly keep?: 'variable' | 'file';
  readonly appName: string;
  readonly http?: string;
  readonly apiUrl?: string;
  readonly manifestOnly?: true;
}

interface Tokens {
  readonly bot: string;
  /** Socket mode only. */
  readonly app: string | null;
  /** HTTP mode only. */
  readonly signing: string | null;
}

const variables = { bot: 'SLACK_BOT_TOKEN', app: 'SLACK_APP_TOKEN', signing: 'SLACK_SIGNING_SECRET' } as const;

export function registerInitSlack(init: Command, cli: CommandContext): void {
  init
    .command('slack')
    .description('talk to Bosun in Slack: makes the app, checks its tokens, keeps them, and lets you in')
    .option('--app-name <n>', 'what people call it', 'Bosun')
    .option('--http <address>', 'let Slack post to this address of yours, in place of a socket that Bosun opens')
    .option('--manifest-only', 'write the manifest, and stop there')
    .addOption(
      new Option('--keep <where>', 'where the tokens stay: in variables, or in config.yaml').choices([
        'variable',
        'file',
      ]),
    )
    .option('--api-url <address>', 'another server in place of slack.com')
    .action(cli.act((options: SlackOptions) => initSlack(cli, options)));
}

async function initSlack(cli: CommandContext, options: SlackOptions): Promise<ExitCode> {
  const { home, shell, config } = cli;
  const apiUrl = options.apiUrl ?? config.channels.slack?.apiUrl ?? null;
  await showManifest(cli, options);
  if (options.manifestOnly) return 0;
  const { tokens, keep } = await tokensOf(cli, options);
  const { bot, lacks } = await checked(cli, tokens, apiUrl);
  editConfig(home, shell.env, (document) => {
    const channel = mapAt(document, ['channels', 'slack']);
    for (const [key, variable, value] of kept(tokens))
      channel.set(key, keep === 'variable' ? `\${${variable}}` : value);
    if (options.apiUrl !== undefined) channel.set('api_url', options.apiUrl);
    if (options.http === undefined) channel.delete('mode');
    else channel.set('mode', 'http');
  });
  cli.print(`@${bot.user} of ${bot.team} is this Bosun’s bot (${config.path}).`);
  if (keep === 'variable') {
    const names = kept(tokens).map(([, variable]) => variable);
    cli.print(`Its tokens are read from ${names.join(', ')}: Bosun needs those where it starts.`);
  }
  cli.print(...lacking(lacks));
  await firstPairing(cli, {
    channel: 'slack',
    link: null,
    step: (code) => `In Slack, write ${code} to @${bot.user} in a direct message.`,
  });
  return 0;
}

function kept({ bot, app, signing }: Tokens): readonly (readonly [string, string, string])[] {
  const all = [
    ['bot_token', variables.bot, bot],
    ['app_token', variables.app, app],
    ['signing_secret', variables.signing, signing],
  ] as const;
  return all.flatMap(([key, variable, value]) => (value === null ? [] : [[key, variable, value] as const]));
}

async function showManifest(cli: CommandContext, { appName: name, http }: SlackOptions): Promise<void> {
  const { manifestLink, newAppPage, slackManifest } = await import('../../bot/channels/slack/setup/index.js');
  const url = http === undefined ? null : postedTo(http);
  const manifest = slackManifest({ name, url });
  const file = join(cli.home.dir, 'slack-manifest.json');
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const link = manifestLink(manifest);
  cli.print(
    'This page makes the app: choose the workspace, press Create, then Install to Workspace.',
    link,
    `The same by hand: ${newAppPage}, From a manifest, and paste what ${file} holds.`,
    '',
  );
  if (cli.isTerminal) openPage(link, cli.shell.env);
}

function postedTo(address: string): string {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new BosunError('usage', `--http takes an address such as https://bosun.example.org`);
  }
  const base = address.replace(/\/+$/, '');
  return base.endsWith(slackEventsPath) ? base : `${base}${slackEventsPath}`;
}

/** Without a desktop, the printed link can be copied. */
function openPage(link: string, env: CommandContext['shell']['env']): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const hasDesktop = process.platform === 'darwin' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (!hasDesktop) return;
  const child = spawn(program, [link], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

async function checked(
  { home }: CommandContext,
  tokens: Tokens,
  apiUrl: string | null,
): Promise<{ readonly bot: Bot; readonly lacks: readonly MissingScope[] }> {
  // Loaded on demand.
  const { checkTokens, otherTeam } = await import('../../bot/channels/slack/setup/index.js');
  const check = await checkTokens({ botToken: tokens.bot, appToken: tokens.app, apiUrl });
  if (check.kind !== 'good') throw whyNot(check);
  const elsewhere = otherTeam(keptText(home, 'slack-team'), { id: check.bot.teamId, name: check.bot.team });
  if (elsewhere !== null) throw new BosunError('bad_input', `Nothing was changed: ${elsewhere}`);
  return check;
}

function whyNot(check: Exclude<SlackTokenCheck, { kind: 'good' }>): BosunError {
  if (check.kind === 'unreachable') {
    return new BosunError('not_now', `Slack cannot be asked whether the tokens are right: ${check.why}`, {
      hint: 'Nothing was changed; try again once this machine reaches it.',
    });
  }
  const [what, place] =
    check.which === 'bot'
      ? ['bot token (xoxb-…)', 'OAuth & Permissions, after Install to Workspace']
      : ['app token (xapp-…)', 'Basic Information → App-Level Tokens, with the scope connections:write'];
  return new BosunError('bad_input', `Slack does not take the ${what}: ${check.why}; nothing was changed`, {
    hint: `Copy it again from the app’s page: ${place}.`,
  });
}

function lacking(lacks: readonly MissingScope[]): readonly string[] {
  if (lacks.length === 0) return [];
  return [
    'It lacks rights: add them under OAuth & Permissions (or paste the manifest again), then reinstall the app.',
    ...lacks.map(({ scope, without }) => `  ${scope}: without it, no ${without}`),
  ];
}

/** Takes variables that are already set without asking. */
async function tokensOf(
  cli: CommandContext,
  options: SlackOptions,
): Promise<{ tokens: Tokens; keep: 'variable' | 'file' }> {
  const { env } = cli.shell;
  const isHttp = options.http !== undefined;
  const given = (variable: string) => (env[variable] ?? '').trim();
  const second = isHttp ? variables.signing : variables.app;
  if (given(variables.bot) !== '' && given(second) !== '') {
    return { tokens: tokensFrom(given(variables.bot), given(second), isHttp), keep: options.keep ?? 'variable' };
  }
  if (!cli.isTerminal) {
    throw new BosunError('usage', 'There is nobody to ask for the app’s tokens', {
      hint: `Set ${variables.bot} and ${second}, or run this at a terminal.`,
    });
  }
  const questions = openQuestions(cli);
  try {
    const bot = await questions.ask('Bot token, from OAuth & Permissions (xoxb-…, it is not shown): ', true);
    const asks = isHttp
      ? 'Signing secret, from Basic Information (it is not shown): '
      : 'App token, from Basic Information → App-Level Tokens, with connections:write (xapp-…, it is not shown): ';
    const tokens = tokensFrom(bot, await questions.ask(asks, true), isHttp);
    if (options.keep !== undefined) return { tokens, keep: options.keep };
    const said = await questions.ask(`Keep them in config.yaml, or in variables? (file, variable) [file]: `);
    return { tokens, keep: said.toLowerCase().startsWith('v') ? 'variable' : 'file' };
  } finally {
    questions.close();
  }
}

function tokensFrom(bot: string, second: string, isHttp: boolean): Tokens {
  return { bot, app: isHttp ? null : second, signing: isHttp ? second : null };
}
