import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CodingAgent, codingAgents } from '../../agents/index.js';
import { BosunError } from '../../base/index.js';
import { perform } from '../../bot/index.js';
import { acquireLock, type Home, readLock } from '../../config/index.js';
import { type App, openApp } from '../app.js';
import { openOwnHome } from '../command-context.js';
import { prepareDemo } from './demo-project.js';

export interface Staging {
  /** Null: a temporary home. */
  readonly home: Home<CodingAgent> | null;
  readonly leave?: (dir: string) => void;
  readonly log: (line: string) => void;
}

const lockWaitMs = 10_000;
const closeTimeoutMs = 15_000;
const interruptedExit = 130;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function onStage<T>(staging: Staging, act: (app: App) => Promise<T>): Promise<T> {
  const { home } = staging;
  if (home !== null) return underLock(home, () => opened(home, staging, () => undefined, act));
  const temporary = openOwnHome(mkdtempSync(join(tmpdir(), 'bosun-demo-')), codingAgents);
  const leave = () => (staging.leave ?? removeFolder)(temporary.dir);
  try {
    return await opened(temporary, staging, leave, act);
  } finally {
    leave();
  }
}

export function removeFolder(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

async function opened<T>(
  home: Home<CodingAgent>,
  staging: Staging,
  leave: () => void,
  act: (app: App) => Promise<T>,
): Promise<T> {
  const stories = staging.home === null ? await prepareDemo(home) : null;
  const app = await openApp({ home, work: true, log: staging.log });
  const close = () => atMost(closeTimeoutMs, app.close());
  const onSignal = () => {
    void close().finally(() => {
      leave();
      process.exit(interruptedExit);
    });
  };
  for (const signal of signals) process.once(signal, onSignal);
  try {
    if (stories) await perform(app, stories);
    return await act(app);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    await close();
  }
}

async function underLock<T>(home: Home, act: () => Promise<T>): Promise<T> {
  // A service never releases the lock; a command soon will.
  const waitMs = readLock(home)?.role === 'up' ? 0 : lockWaitMs;
  const acquired = await acquireLock(home, { waitMs, info: { port: null, role: 'cli' } });
  if (acquired.kind === 'held') {
    throw new BosunError('busy_home', `${home.dir} is in use by process ${acquired.pid}`, {
      hint: 'Stop it first, or use another home.',
    });
  }
  try {
    return await act();
  } finally {
    acquired.lock.release();
  }
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
