// `bosun init telegram`: checks and stores the bot's token, and prints a pairing code.
import { type Command, Option } from 'commander';
import { BosunError } from '../../base/index.js';
import { editConfig, mapAt } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { openQuestions } from '../questions.js';
import { firstPairing } from './first-pairing.js';

interface TelegramOptions {
  readonly keep?: 'variable' | 'file';
  readonly apiRoot?: string;
}

interface Token {
  readonly token: string;
  readonly keep: 'variable' | 'file';
}

const variable = 'TELEGRAM_BOT_TOKEN';

export function registerInitTelegram(init: Command, cli: CommandContext): void {
  init
    .command('telegram')
    .description('talk to Bosun in Telegram: checks a bot’s token, keeps it, and lets you in')
    .addOption(
      new Option('--keep <where>', `where the token stays: the variable ${variable}, or config.yaml`).choices([
        'variable',
        'file',
      ]),
    )
    .option('--api-root <address>', 'another server in place of api.telegram.org')
    .action(cli.act((options: TelegramOptions) => initTelegram(cli, options)));
}

async function initTelegram(cli: CommandContext, options: TelegramOptions): Promise<ExitCode> {
  const { home, shell, config } = cli;
  const apiRoot = options.apiRoot ?? config.channels.telegram?.apiRoot ?? null;
  const { token, keep } = await tokenOf(cli, options);
  const { me, readsAll } = await checked(token, apiRoot);
  editConfig(home, shell.env, (document) => {
    const channel = mapAt(document, ['channels', 'telegram']);
    channel.set('token', keep === 'variable' ? `\${${variable}}` : token);
    if (options.apiRoot !== undefined) channel.set('api_root', options.apiRoot);
  });
  cli.print(`@${me.username} is this Bosun’s bot (${config.path}).`);
  if (keep === 'variable') cli.print(`Its token is read from ${variable}: Bosun needs that where it starts.`);
  if (!readsAll)
    cli.print('In groups it hears what names it, commands, and replies to it; docs/telegram.md tells more.');
  await firstPairing(cli, {
    channel: 'telegram',
    link: (code) => `Open the bot with it: https://t.me/${me.username}?start=${code}`,
    step: () => 'Open that link in Telegram and press Start.',
  });
  return 0;
}

async function checked(token: string, apiRoot: string | null) {
  // Loaded on demand.
  const { checkToken } = await import('../../bot/channels/telegram/setup/index.js');
  const check = await checkToken({ token, apiRoot });
  if (check.kind === 'good') return check;
  if (check.kind === 'refused') {
    throw new BosunError('bad_input', 'Telegram does not know this token; nothing was changed', {
      hint: 'Copy it again from @BotFather: digits, a colon, and letters.',
    });
  }
  throw new BosunError('not_now', `Telegram cannot be asked whether the token is right: ${check.why}`, {
    hint: 'Nothing was changed; try again once this machine reaches it.',
  });
}

/** Takes a variable that is already set without asking. */
async function tokenOf(cli: CommandContext, { keep }: TelegramOptions): Promise<Token> {
  const given = (cli.shell.env[variable] ?? '').trim();
  if (given !== '') return { token: given, keep: keep ?? 'variable' };
  if (!cli.isTerminal) {
    throw new BosunError('usage', 'There is nobody to ask for the bot’s token', {
      hint: `Set ${variable}, or run this at a terminal.`,
    });
  }
  cli.print('Make a bot in Telegram: write /newbot to @BotFather. It gives you a token.');
  return asked(cli, keep);
}

async function asked(cli: CommandContext, keep: TelegramOptions['keep']): Promise<Token> {
  const questions = openQuestions(cli);
  try {
    const token = await questions.ask('Token (it is not shown): ', true);
    if (keep !== undefined) return { token, keep };
    const where = `Keep it in config.yaml, or in the variable ${variable}? (file, variable) [file]: `;
    const said = await questions.ask(where);
    return { token, keep: said.toLowerCase().startsWith('v') ? 'variable' : 'file' };
  } finally {
    questions.close();
  }
}
