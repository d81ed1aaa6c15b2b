import { BosunError } from '../../../../base/index.js';
import { editConfig, mapAt } from '../../../../config/index.js';
import {
  askChecked,
  askKept,
  type Kept,
  keptOption,
  type Meeting,
  type SetupDesk,
  type SetupOptions,
  wordOption,
} from '../../setup-desk.js';
import { checkToken } from './check-token.js';

interface Token {
  readonly token: string;
  readonly keep: Kept;
  readonly check: Awaited<ReturnType<typeof checked>>;
}

const variable = 'TELEGRAM_BOT_TOKEN';

export async function connectTelegram(desk: SetupDesk, options: SetupOptions): Promise<Meeting> {
  const { home, env, config } = desk;
  const ownRoot = wordOption(options, 'apiRoot');
  const apiRoot = ownRoot ?? config.channels.telegram?.apiRoot ?? null;
  const { token, keep, check } = await tokenOf(desk, keptOption(options), apiRoot);
  const { me, readsAll } = check;
  editConfig(home, env, (document) => {
    const channel = mapAt(document, ['channels', 'telegram']);
    channel.set('token', keep === 'variable' ? `\${${variable}}` : token);
    if (ownRoot !== null) channel.set('api_root', ownRoot);
  });
  desk.print(`Connected as @${me.username} (${config.path}).`);
  if (keep === 'variable') desk.print(`Bosun reads the token from ${variable}: set it in its environment.`);
  if (!readsAll) desk.print('In groups the bot reads mentions, commands and replies to it; see docs/telegram.md.');
  return {
    link: (code) => `Open the bot with it: https://t.me/${me.username}?start=${code}`,
    step: () => 'Open that link in Telegram and press Start.',
    did: 'opened the bot with this code',
  };
}

async function checked(token: string, apiRoot: string | null) {
  const check = await checkToken({ token, apiRoot });
  if (check.kind === 'good') return check;
  if (check.kind === 'refused') {
    throw new BosunError('bad_input', 'Telegram rejects this token; nothing was changed', {
      hint: 'Copy it again from @BotFather: digits, a colon, and letters.',
    });
  }
  throw new BosunError('not_now', `Cannot check the token with Telegram: ${check.why}`, {
    hint: 'Nothing was changed. Try again once this machine can reach it.',
  });
}

async function tokenOf(desk: SetupDesk, keep: Kept | null, apiRoot: string | null): Promise<Token> {
  const given = (desk.env[variable] ?? '').trim();
  if (given !== '') return { token: given, keep: keep ?? 'variable', check: await checked(given, apiRoot) };
  if (!desk.isTerminal) {
    throw new BosunError('usage', 'Cannot ask for the bot’s token without a terminal', {
      hint: `Set ${variable}, or run this at a terminal.`,
    });
  }
  desk.print('Create a bot in Telegram: write /newbot to @BotFather. It replies with a token.');
  return desk.asking(async (ask) => {
    // Before the next question, so that a bad copy is told at once.
    const typed = await askChecked(
      () => ask('Token (hidden): ', true),
      (token) => checked(token, apiRoot),
      desk.print,
    );
    return {
      token: typed.typed,
      check: typed.found,
      keep: keep ?? (await askKept(ask, `Store it in config.yaml, or read it from the variable ${variable}?`)),
    };
  });
}
