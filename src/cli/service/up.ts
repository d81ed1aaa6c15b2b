import { type Command, Option } from 'commander';
import type { Log } from '../../base/index.js';
import { BosunError, logLevelOf } from '../../base/index.js';
import { openChat } from '../../bot/channels/terminal/index.js';
import { Channels, channelKinds, configNotices, perform } from '../../bot/index.js';
import {
  acquireLock,
  type Config,
  type Home,
  homeRedaction,
  type Lock,
  type PresentConfig,
  presentConfig,
} from '../../config/index.js';
import {
  endOrphans,
  endReplicationOf,
  type Lease,
  type Replication,
  replicate,
  takeLease,
} from '../../dispatch/index.js';
import { type App, openApp } from '../app.js';
import type { CommandContext, Web } from '../command-context.js';
import { prepareDemo } from '../demo/demo-project.js';
import type { ExitCode } from '../failure.js';
import { openLog } from '../log-file.js';
import { port } from '../options.js';
import { endsWithin, type Signals, watchSignals } from '../signals.js';
import { readVersion } from '../version.js';
import { type Watch, watchFor } from './commit-watchers.js';
import { serveOnFreePort } from './free-port.js';
import { queueTrouble } from './queue-trouble.js';

interface UpOptions {
  readonly port?: number;
  readonly worker: boolean;
  readonly standby?: true;
  readonly takeOver?: true;
}

/** For a one-off command; a service never releases the home. */
const lockWaitMs = 10_000;
const lookAgainMs = 250;
/** The next start resumes unfinished work. */
const closeLimitMs = 5_000;
/** Short, because another Bosun may be active already. */
const lostCloseLimitMs = 700;

export function registerUp(program: Command, cli: CommandContext): void {
  program
    .command('up')
    .description('start Bosun: chat, dispatcher, worker and web')
    .option('--port <n>', 'the HTTP port; 0 picks a free one', port)
    .option('--no-worker', 'run no agents in this process')
    .option('--standby', 'wait while another machine holds the lease, then take over')
    .addOption(
      new Option('--take-over', 'use the database here although a newer one was active elsewhere').conflicts('standby'),
    )
    .action(cli.act((options: UpOptions) => up(cli, options)));
}

async function up(cli: CommandContext, options: UpOptions): Promise<ExitCode> {
  const { home } = cli;
  const lock = await takeLock(home);
  const signals = watchSignals(cli.isTerminal ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT']);
  // Without a chat, a closed terminal must not stop the service.
  const onHangup = () => undefined;
  process.on('SIGHUP', onHangup);
  try {
    await beActive(cli, options, { lock, signals });
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
    throw new BosunError('busy_home', `Bosun is already running in ${home.dir}: pid ${acquired.pid}`, {
      hint: 'Talk to it with "bosun say", or choose another home with --home.',
    });
  }
}

async function beActive(cli: CommandContext, options: UpOptions, alone: Pick<Held, 'lock' | 'signals'>): Promise<void> {
  const { config, log } = kept(cli);
  try {
    const lease = await leaseFor(cli, options, { ...alone, config: config.now() });
    if (lease !== 'signal') await servingAs(lease, () => serve(cli, options, { ...alone, config, log, lease }));
  } finally {
    config.close();
  }
}

/** From here on no content of config.yaml ends this process, even on standby. */
function kept(cli: CommandContext): { readonly config: PresentConfig; readonly log: Log } {
  const { home, shell } = cli;
  const config = presentConfig(home, {
    env: shell.env,
    tell(news, level) {
      log(news, { level });
      // The chat owns the terminal.
      if (!cli.isTerminal) cli.warn(redact(level === 'warn' ? `warning: ${news}` : news));
    },
  });
  const { redact } = homeRedaction(config.now, home, shell.env);
  const log = openLog(home, { redact, level: logLevelOf(shell.env) });
  return { config, log };
}

interface Claiming {
  readonly signals: Signals;
  readonly config: Config;
}

/** Null: without Redis no other machine can be active. */
async function leaseFor(
  cli: CommandContext,
  options: UpOptions,
  { signals, config }: Claiming,
): Promise<Lease | null | 'signal'> {
  const { home } = cli;
  const { standby: waits = false, takeOver: takesOver = false } = options;
  if (waits && (config.queue.redis === null || config.standby === null)) throw noStandby(config);
  if (waits) await endOrphans(home);
  const stopping = new AbortController();
  void signals.came.then(() => stopping.abort());
  const { env } = cli.shell;
  const say = (line: string) => cli.print(line);
  const lease = await takeLease({ home, config, env, waits, takesOver, say, signal: stopping.signal });
  return stopping.signal.aborted && lease === null ? 'signal' : lease;
}

function noStandby({ path, queue }: Config): BosunError {
  const missing = queue.redis === null ? 'queue.redis' : 'standby';
  return new BosunError('bad_config', `A standby needs ${missing}, which ${path} does not set`, {
    hint: 'Set queue.redis and standby to the same values on each machine, so that the active one knows about the standby.',
  });
}

/** Reports a lost lease instead of the errors that it caused. */
async function servingAs(lease: Lease | null, act: () => Promise<void>): Promise<void> {
  try {
    await act();
    if (lease === null || lease.isActive()) return;
  } catch (error) {
    if (lease === null || lease.isActive()) throw error;
  }
  throw new BosunError('queue', `This Bosun is no longer active: ${await lease.lost}`, {
    hint: 'Restart it with --standby to let it wait and take over.',
  });
}

interface Held {
  readonly lock: Lock;
  readonly signals: Signals;
  readonly lease: Lease | null;
  readonly config: PresentConfig;
  readonly log: Log;
}

async function serve(cli: CommandContext, options: UpOptions, held: Held): Promise<void> {
  const { home } = cli;
  const { lock, signals, lease, config, log } = held;
  const stories = await prepareDemo(home, { works: options.worker, config: config.fresh() });
  const { web } = config.fresh();
  const wanted = options.port ?? web.port;
  // Attempts get this address; port 0 is known only once the server listens.
  let url = wanted === 0 ? '' : `http://${web.host}:${wanted}`;
  const watch = await watchFor(cli.shell.env, log);
  const app = await openApp({ home, work: false, url: () => url, log, config, lease, onRoom: watch.begin });
  let started: Web | null = null;
  const channels = new Channels(app, channelKinds, log);
  const replication = await replicating(cli, held);
  const lost = lease === null ? new Promise<never>(() => undefined) : lease.lost;
  const { broken } = app.runtime;
  let damage: BosunError | null = null;
  void broken.then((error) => {
    damage = error;
    log(`ending: ${error.message}`, { level: 'error' });
  });
  try {
    // Before the chat opens, because its greeting names the project.
    if (stories !== null) await perform(app, stories);
    const startWeb = (port: number) =>
      cli.rooms.startWeb(app, {
        ...{ host: web.host, port, log },
        version: readVersion(),
        webhooks: channels.entrances,
      });
    const served = await serveOnFreePort(startWeb, { port: wanted, isExact: options.port !== undefined });
    started = served.web;
    if (served.moved !== null) {
      cli.print(served.moved);
      log(served.moved, { level: 'warn' });
    }
    url = started.url;
    lock.update({ port: started.port });
    if (options.worker) app.startWork();
    const notices = configNotices(app, log);
    config.onNews(notices.refused);
    app.onConfig(notices.changed);
    app.onConfig(() => void channels.align());
    // A network that drops packets must not delay a shutdown.
    await Promise.race([channels.align(), signals.came, lost, broken]);
    const looking = queueTrouble(cli, config.now(), options.worker);
    const trouble = await Promise.race([looking, signals.came, lost, broken]);
    if (typeof trouble === 'string' && trouble !== 'signal') cli.print(`queue: ${trouble}`);
    for (const { name, problem } of channels.all) if (problem !== null) cli.print(`${name}: ${problem}`);
    cli.print(
      `ready ${url.replace('//localhost:', '//127.0.0.1:')}`,
      `Open in a browser (one-time login): ${started.loginLink()}`,
    );
    log(`up on port ${started.port}, pid ${process.pid}`);
    const why = await Promise.race([ended(cli, app, signals), lost, broken]);
    if (why instanceof BosunError) throw why;
    if (why !== undefined) log(`no longer active: ${why}`, { level: 'warn' });
  } finally {
    if (lease?.isActive() === false) replication?.kill();
    await closeAll({ app, web: started, channels, watch, log, isLost: damage !== null || lease?.isActive() === false });
    replication?.end();
  }
}

async function replicating({ home, shell }: CommandContext, { lease, config, log }: Held): Promise<Replication | null> {
  const line = config.now().standby?.replicate ?? null;
  if (line === null) return null;
  await endReplicationOf(home.dir);
  const own = { BOSUN_DB: home.dbPath, BOSUN_HOME: home.dir, BOSUN_EPOCH: `${lease?.number ?? 0}` };
  const env = { ...shell.env, ...own };
  return replicate({
    ...{ line, env, cwd: home.dir },
    onEnd: (how) => log(`standby.replicate ended (${how}); restarting it`, { level: 'warn' }),
  });
}

async function ended(cli: CommandContext, app: App, signals: Signals): Promise<void> {
  if (!cli.isTerminal) {
    await signals.came;
    return;
  }
  const { stdin: input, stdout: output, env } = cli.shell;
  const chat = openChat(app, { input, output, isColored: (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb' });
  await Promise.race([signals.came, chat.closed]);
  chat.close();
}

/** Channels first: they store the results of their last calls. */
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
  /** Nothing can be stored any more: close without waiting. */
  readonly isLost: boolean;
}

async function closeAll({ app, web, channels, watch, log, isLost }: Open): Promise<void> {
  const inTurn = isLost ? Promise.all([channels.close(), app.close()]) : closeInTurn(channels, app);
  const closing = Promise.all([web?.close(), inTurn]).finally(() => watch.close());
  const limitMs = isLost ? lostCloseLimitMs : closeLimitMs;
  const inTime = await endsWithin(
    closing.catch((error: unknown) => {
      if (!isLost) throw error;
    }),
    limitMs,
  );
  log(inTime ? 'down' : `down; some work did not end within ${limitMs / 1000} s and is settled at the next start`);
}
