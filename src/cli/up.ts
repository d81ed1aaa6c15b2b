// `bosun up`: the service in this process, until a signal or the one at the terminal ends it.
import type { Command } from 'commander';
import { Channels, perform } from '../bot/index.js';
import { openChat } from '../bot/local/index.js';
import { acquireLock, BosunError, type Home, homeRedaction, type Lock } from '../dispatch/index.js';
import { logLevelOf } from '../dispatch/log/index.js';
import { type App, openApp } from './app.js';
import type { Cli } from './cli.js';
import { prepareDemo } from './demo-project.js';
import type { ExitCode } from './failure.js';
import { type Log, openLog } from './log-file.js';
import { port } from './options.js';
import type { Web } from './rooms.js';
import { endsWithin, type Signals, watchSignals } from './signals.js';
import { readVersion } from './version.js';
import { type Watch, watchFor } from './watch.js';

interface UpOptions {
  readonly port?: number;
  readonly worker: boolean;
}

/** What a command without a service may hold the home for; a service holds it for good. */
const lockWaitMs = 10_000;
const lookAgainMs = 250;
/** What can be resumed is not waited for. */
const closeLimitMs = 5_000;

export function registerUp(program: Command, cli: Cli): void {
  program
    .command('up')
    .description('start Bosun: chat, dispatcher, worker and web')
    .option('--port <n>', 'the port of the HTTP side; 0 takes any that is free', port)
    .option('--no-worker', 'run no agents in this process')
    .action(cli.act((options: UpOptions) => up(cli, options)));
}

async function up(cli: Cli, options: UpOptions): Promise<ExitCode> {
  const { home } = cli;
  const lock = await takeLock(home);
  const signals = watchSignals(cli.isTerminal ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']);
  // Without a chat a terminal that goes away stops nothing.
  const onHangup = () => undefined;
  process.on('SIGHUP', onHangup);
  try {
    await serve(cli, options, lock, signals);
    return 0;
  } finally {
    signals.ignore();
    process.off('SIGHUP', onHangup);
    lock.release();
  }
}

async function takeLock(home: Home): Promise<Lock> {
  const deadline = Date.now() + lockWaitMs;
  for (;;) {
    const acquired = await acquireLock(home, { waitMs: lookAgainMs, info: { port: null, role: 'up' } });
    if (acquired.kind === 'acquired') return acquired.lock;
    if (acquired.role === 'cli' && Date.now() < deadline) continue;
    throw new BosunError('busy_home', `A Bosun runs in ${home.dir} already: pid ${acquired.pid}`, {
      hint: 'Talk to it with "bosun say", or name another home with --home.',
    });
  }
}

async function serve(cli: Cli, options: UpOptions, lock: Lock, signals: Signals): Promise<void> {
  const { home } = cli;
  const { redact } = homeRedaction(() => cli.config, home, cli.shell.env);
  const log = openLog(home, { redact, level: logLevelOf(cli.shell.env) });
  const stories = await prepareDemo(home);
  const web = cli.config.web;
  const wanted = options.port ?? web.port;
  // Attempts are told where to reach Bosun; with any free port, that is known once it listens.
  let url = wanted === 0 ? '' : `http://${web.host}:${wanted}`;
  const watch = await watchFor(cli.shell.env, log);
  const app = await openApp({ home, work: false, url: () => url, log, onRoom: watch.begin });
  let started: Web | null = null;
  const channels = new Channels(app, log);
  try {
    // What it posts before the chat is open would be seen by nobody; the chat's greeting names the project.
    if (stories !== null) await perform(app, stories);
    started = await cli.rooms.startWeb(app, {
      ...{ host: web.host, port: wanted, log },
      version: readVersion(),
      entrances: channels.entrances,
    });
    url = started.url;
    lock.update({ port: started.port });
    if (options.worker) app.startWork();
    app.onConfig(() => void channels.align());
    // A network that swallows everything holds nobody up who wants to end.
    await Promise.race([channels.align(), signals.came]);
    for (const { name, problem } of channels.all) if (problem !== null) cli.print(`${name}: ${problem}`);
    cli.print(`ready ${url.replace('//localhost:', '//127.0.0.1:')}`, `Log a browser in, once: ${started.loginLink()}`);
    log(`up on port ${started.port}, pid ${process.pid}`);
    await ended(cli, app, signals);
  } finally {
    await closeAll({ app, web: started, channels, watch, log });
  }
}

async function ended(cli: Cli, app: App, signals: Signals): Promise<void> {
  if (!cli.isTerminal) {
    await signals.came;
    return;
  }
  const { stdin: input, stdout: output, env } = cli.shell;
  const chat = openChat(app, { input, output, isColored: (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb' });
  await Promise.race([signals.came, chat.closed]);
  chat.close();
}

/** Channels note what became of their last calls, so the database stays open for them. */
async function closeInTurn(channels: Channels, app: App): Promise<void> {
  try {
    await channels.close();
  } finally {
    await app.close();
  }
}

interface Open {
  readonly app: App;
  readonly web: Web | null;
  readonly channels: Channels;
  readonly watch: Watch;
  readonly log: Log;
}

async function closeAll({ app, web, channels, watch, log }: Open): Promise<void> {
  const closing = Promise.all([web?.close(), closeInTurn(channels, app)]).finally(() => watch.close());
  const inTime = await endsWithin(closing, closeLimitMs);
  log(
    inTime
      ? 'down'
      : `down, with work left that did not end within ${closeLimitMs / 1000} s; the next start settles it`,
  );
}
