import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BosunError } from '../../base/index.js';
import { broken, doubtful, type Finding, fine } from '../../bot/index.js';
import { checkConfig, type Home, readLock } from '../../config/index.js';
import { lookAtLease } from '../../dispatch/index.js';
import { formatProblem } from '../../engine/index.js';
import { restoreHint } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import { withStore } from '../open-store.js';
import { hostOf } from '../service/remote-client.js';

const scarceBytes = 1024 ** 3;
const noBytes = 100 * 1024 ** 2;
const answerWithinMs = 5_000;
/** A larger gap means that a person set the clock. */
const maxAheadMs = 5 * 60_000;

export async function checkHome(cli: CommandContext): Promise<readonly Finding[]> {
  const { home } = cli;
  return [
    ...configFindings(cli),
    permissions(home),
    diskSpace(home),
    await running(home),
    ...(await databaseFindings(cli)),
  ];
}

function configFindings({ home, shell }: CommandContext): readonly Finding[] {
  if (!existsSync(home.configPath)) {
    return [
      doubtful(
        'config',
        `${home.configPath} does not exist yet`,
        'Run "bosun init" to create it, or "bosun up" to create a demo project.',
      ),
    ];
  }
  const reading = checkConfig(home, shell.env);
  if (reading.kind === 'bad')
    return reading.problems.map((one) => broken('config', formatProblem(one), 'Fix that line.'));
  const { projects, people, channels } = reading.config;
  const names = Object.entries(channels).map(([name, channel]) => ({ name, isOn: channel !== null }));
  const on = names.filter(({ isOn }) => isOn).map(({ name }) => name);
  const off = names.filter(({ isOn }) => !isOn).map(({ name }) => name);
  return [
    fine('config', `${counted(projects.length, 'project')}, ${counted(people.length, 'person', 'people')}`),
    fine(
      'channels',
      `${['local', 'web', ...on].join(', ')}${off.length > 0 ? `; off, without a token: ${off.join(', ')}` : ''}`,
    ),
  ];
}

/** Opening the home has tightened what it could. */
function permissions(home: Home): Finding {
  const loose = [home.dir, home.tokenPath, join(home.dir, 'secret'), home.configPath, home.dbPath].filter(
    (path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  );
  if (loose.length === 0) return fine('home', `${home.dir} and its tokens, readable only by their owner`);
  return broken('home', `other users can read ${loose.join(', ')}`, `chmod go= ${loose.join(' ')}`);
}

function diskSpace(home: Home): Finding {
  const { bavail, bsize } = statfsSync(home.dir);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free at ${home.dir}`;
  if (free < noBytes) return broken('disk', text, 'Free some space: Bosun refuses work while the disk is full.');
  return free < scarceBytes ? doubtful('disk', text, 'Free some space soon.') : fine('disk', text);
}

async function running(home: Home): Promise<Finding> {
  const holder = readLock(home);
  if (holder === null) return fine('running', 'Bosun is not running in this home');
  if (holder.port === null) return fine('running', `pid ${holder.pid}`);
  const text = `pid ${holder.pid}, port ${holder.port}`;
  if (await isAnswering(home, holder.port)) return fine('running', text);
  const mend = `If it hangs, kill it (kill -9 ${holder.pid}) and start Bosun again: accepted messages and work are kept.`;
  return broken('running', `${text} does not answer`, mend);
}

async function isAnswering(home: Home, port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    return (await fetch(`http://${hostOf(home)}:${port}/healthz`, { signal })).ok;
  } catch {
    return false;
  }
}

async function databaseFindings(cli: CommandContext): Promise<readonly Finding[]> {
  const { dbPath } = cli.home;
  try {
    return await withStore(cli, (store) => {
      if (store === null) return [missing(cli.home)];
      const hole = store.auditBreak();
      const live = store.liveRuns(null).length;
      const newest = store.runs(null, 1, null)[0];
      return [
        hole === null
          ? fine('database', `${dbPath}: ${counted(live, 'live run')}, the event chain is intact`)
          : broken('database', `the event chain breaks at event ${hole.seq}: ${hole.why}`, restoreHint),
        clockAgainst(newest?.createdAt ?? 0),
      ];
    });
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return [broken('database', error.message, error.hint ?? restoreHint)];
  }
}

/** The database is created before the port opens: a missing one beside a port is an error. */
function missing(home: Home): Finding {
  const { dbPath } = home;
  const holder = readLock(home);
  if (holder === null || holder.port === null)
    return fine('database', `${dbPath} does not exist yet; Bosun creates it when it needs it`);
  const mend = `Stop that process (kill ${holder.pid}). ${restoreHint}`;
  return broken('database', `${dbPath} was deleted while Bosun (pid ${holder.pid}) runs`, mend);
}

/** A clock set back makes new events older than stored ones. */
function clockAgainst(newestAt: number): Finding {
  const aheadMs = newestAt - Date.now();
  const now = new Date();
  if (aheadMs > maxAheadMs || now.getUTCFullYear() < 2025) {
    return broken(
      'clock',
      `the clock says ${now.toISOString()}, but the newest run is later than that`,
      "Set this machine's clock.",
    );
  }
  return fine('clock', now.toISOString());
}

export async function checkLease({ home, shell }: CommandContext): Promise<readonly Finding[]> {
  const reading = checkConfig(home, shell.env);
  const seen = reading.kind === 'good' ? await lookAtLease(reading.config, home) : null;
  if (seen === null) return [];
  const { holder, epoch, ownEpoch, isBehind } = seen;
  const text = `holder: ${holder ?? 'none'}; epoch ${epoch}, the database here has epoch ${ownEpoch}`;
  if (!isBehind) return [fine('lease', text)];
  const mend = 'That is normal on a standby. Otherwise copy the newer database here, or start with --take-over.';
  return [doubtful('lease', `${text} and was left behind`, mend)];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
