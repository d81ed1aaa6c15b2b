import type { CodingAgent } from '../../agents/index.js';
import { BosunError } from '../../base/index.js';
import { type MessageJson, messageJson, perform, type Request } from '../../bot/index.js';
import { type Acquired, acquireLock, checkConfig, type Home, type LockHolder, readLock } from '../../config/index.js';
import { lookAtLease } from '../../dispatch/index.js';
import { type App, openApp } from '../app.js';
import type { ExitCode } from '../failure.js';
import { openLog } from '../log-file.js';
import { endsWithin, watchSignals } from '../signals.js';

export interface CliRequest {
  readonly home: Home<CodingAgent>;
  readonly request: Request;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly print: (message: MessageJson) => void;
  readonly warn: (line: string) => void;
}

/** `gone`: nothing listens, so nothing was sent. */
export type SendTo = (port: number, speaking: CliRequest) => Promise<ExitCode | 'gone'>;

const lockWaitMs = 10_000;
/** Short, because another Bosun may be active already. */
const lostCloseLimitMs = 700;
/** The lock shows a Bosun that starts or stops. */
const lookAgainMs = 200;

export async function speak(speaking: CliRequest, sendTo: SendTo): Promise<ExitCode> {
  const deadline = Date.now() + lockWaitMs;
  let holder = readLock(speaking.home);
  do {
    if (holder?.role === 'up' && holder.port !== null) {
      const exit = await sendTo(holder.port, speaking);
      if (exit !== 'gone') return exit;
    }
    const acquired = await acquireLock(speaking.home, { waitMs: lookAgainMs, info: { port: null, role: 'cli' } });
    if (acquired.kind === 'acquired') return under(acquired, () => here(speaking));
    holder = acquired;
  } while (Date.now() < deadline);
  throw await inUse(speaking.home, holder);
}

/** A standby holds the home without a port, and does not end. */
async function inUse(home: Home, { role, pid, port }: LockHolder): Promise<BosunError> {
  const reading = checkConfig(home, process.env);
  const mayStandBy = role === 'up' && port === null && reading.kind === 'good' && reading.config.standby !== null;
  const seen = mayStandBy ? await lookAtLease(reading.config, home) : null;
  if (seen?.holder)
    return new BosunError('not_now', `The Bosun here (process ${pid}) is on standby: ${seen.holder} is active`, {
      hint: 'Run the command on the active machine.',
    });
  return new BosunError('busy_home', `${home.dir} is in use by process ${pid}`, {
    hint: 'Wait until it ends, then try again.',
  });
}

async function under<T>({ lock }: Extract<Acquired, { kind: 'acquired' }>, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } finally {
    lock.release();
  }
}

async function here(speaking: CliRequest): Promise<ExitCode> {
  const { home, wait, warn } = speaking;
  const app = await openApp({ home, work: wait, log: openLog(home) });
  const signals = watchSignals(['SIGINT', 'SIGTERM', 'SIGHUP']);
  let isLost = false;
  for (const end of [app.lost, app.runtime.broken])
    void end.then(() => {
      isLost = true;
    });
  try {
    const ends = [app.lost.then(notActive), app.runtime.broken.then(endBroken)];
    const code = await Promise.race([speakIn(app, speaking), signals.came, ...ends]);
    if (code === 'signal') {
      warn('Interrupted. The next "bosun up", or a command with --wait, resumes the work.');
      return 1;
    }
    if (!wait && code === 0 && !worksAlone.has(speaking.request.do))
      warn('Bosun is not running, so nothing works on this yet: start it with "bosun up", or add --wait.');
    return code;
  } finally {
    signals.ignore();
    // A close error would hide why the lease or database was lost.
    const closing = isLost ? app.close().catch(() => undefined) : app.close();
    await (isLost ? endsWithin(closing, lostCloseLimitMs) : closing);
  }
}

/** A person or their agent does the work. */
const worksAlone: ReadonlySet<Request['do']> = new Set(['hook', 'step', 'open']);

function notActive(why: string): never {
  throw new BosunError('queue', `This Bosun is no longer active: ${why}`, {
    hint: 'Run the command on the active machine.',
  });
}

function endBroken(error: BosunError): never {
  throw error;
}

export async function speakIn(
  app: App,
  speaking: Pick<CliRequest, 'request' | 'wait' | 'timeoutMs' | 'print'>,
): Promise<ExitCode> {
  const { request, print } = speaking;
  const stop = app.runtime.onMessages((messages) => {
    for (const message of messages) if (message.thread === request.thread) print(messageJson(message));
  });
  try {
    const answered = await perform(app, request);
    if (answered.exit !== 0 || !speaking.wait) return answered.exit;
    return (await app.runtime.whenAtRest(answered.project, speaking.timeoutMs)) ? 0 : 4;
  } finally {
    stop();
  }
}
