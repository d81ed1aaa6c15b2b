import { broken, doubtful, type Finding, fine } from '../../bot/index.js';
import { checkConfig } from '../../config/index.js';
import { lookAtRedis, type RedisLook } from '../../queue/index.js';
import type { CommandContext } from '../command-context.js';
import { whyEmbedded } from '../service/queue-trouble.js';
import { projectsWithoutWorker, workerFindings } from './workers.js';

const oldestMajor = 6;
const oldestMinor = 2;

export async function checkQueue(cli: CommandContext): Promise<readonly Finding[]> {
  const look = await lookAtQueue(cli);
  if (look === null) return [embedded(cli)];
  if (look.problem !== null) {
    const mend = 'Start Redis, or correct queue.redis. No work is lost: it is in the database.';
    return [broken('queue', look.problem, mend)];
  }
  const own = [versionOf(look, cli.home.homeId), keeping(look), appending(look)];
  const watch = { at: Date.now(), leaseMs: cli.config.queue.leaseMs };
  return [...own, ...workerFindings(look.workers, watch), ...projectsWithoutWorker(cli, look.workers, watch)];
}

function embedded({ home, shell }: CommandContext): Finding {
  const text = 'embedded: jobs are stored in the database';
  const reading = checkConfig(home, shell.env);
  const why = reading.kind === 'good' ? whyEmbedded(reading.config, shell.env) : null;
  if (why === null) return fine('queue', text);
  const mend = 'To use workers, set queue.redis and export its variable where Bosun starts.';
  return doubtful('queue', `${text}, where separate workers can't take them; ${why}`, mend);
}

export async function lookAtQueue({ home, shell }: CommandContext): Promise<RedisLook | null> {
  const reading = checkConfig(home, shell.env);
  const redis = reading.kind === 'good' ? reading.config.queue.redis : null;
  return redis === null ? null : lookAtRedis(redis, home.homeId);
}

function versionOf({ place, version }: RedisLook, home: string): Finding {
  if (version === null)
    return doubtful(
      'queue',
      `Redis at ${place} does not report its version`,
      "Allow Bosun's Redis user the INFO command.",
    );
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const text = `Redis ${version} at ${place}, home id ${home}`;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return fine('queue', text);
  return broken('queue', `${text} is too old`, `Install Redis ${oldestMajor}.${oldestMinor} or newer.`);
}

/** Any other policy silently drops jobs when memory is full. */
function keeping({ policy, full }: RedisLook): Finding {
  const title = 'queue memory';
  if (full !== null)
    return broken(
      title,
      full,
      'Raise maxmemory (CONFIG SET maxmemory and redis.conf), or delete data of other programs.',
    );
  if (policy === 'noeviction') return fine(title, 'maxmemory-policy noeviction');
  const text = policy === null ? 'Redis does not report its maxmemory-policy' : `maxmemory-policy is ${policy}`;
  return doubtful(
    title,
    text,
    'Set maxmemory-policy to noeviction. Otherwise Redis may evict jobs when its memory is full.',
  );
}

function appending({ isAppending }: RedisLook): Finding {
  const title = 'queue file';
  if (isAppending === true) return fine(title, 'appendonly yes');
  const text = isAppending === null ? 'Redis does not report whether appendonly is on' : 'appendonly is no';
  return doubtful(title, text, 'Set appendonly to yes. Otherwise a restart of Redis interrupts running steps.');
}
