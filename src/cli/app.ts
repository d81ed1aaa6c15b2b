// Bosun in this process: home, config, room and desk put together, and taken apart again.

import type { Log } from '../base/index.js';
import { type BotServices, beforehand, inboxService, present } from '../bot/index.js';
import { type Home, type PresentConfig, presentConfig } from '../config/index.js';
import { type Lease, openRuntime, type Runtime, redisQueue, takeLease } from '../dispatch/index.js';

export interface App extends BotServices {
  readonly home: Home;
  readonly runtime: Runtime;
  /** Resolves, in words, once another Bosun may act for this home; never, where there is none. */
  readonly lost: Promise<string>;
  /** Runs agents in this process from now on. */
  startWork(): void;
  /** Called after config.yaml has changed. */
  onConfig(listen: () => void): void;
  close(): Promise<void>;
}

export interface AppOptions {
  readonly home: Home;
  /** Whether this process runs agents. */
  readonly work: boolean;
  readonly url?: () => string;
  readonly log?: Log;
  /** It is closed with the app; left out: it is read here. */
  readonly config?: PresentConfig;
  /** Null: there is no Redis, and so nobody else; left out: it is taken here. */
  readonly lease?: Lease | null;
  /** Called before what an earlier process left is settled. */
  readonly onRoom?: (runtime: Runtime) => void;
}

const concurrency = 4;

/** Opens what an earlier process left, settles it, and goes to work if it should. */
export async function openApp(options: AppOptions): Promise<App> {
  const { home, log = () => undefined } = options;
  const config =
    options.config ?? presentConfig(home, { env: process.env, tell: (news, level) => log(news, { level }) });
  try {
    return await opened(options, config);
  } catch (error) {
    config.close();
    throw error;
  }
}

async function opened(options: AppOptions, config: PresentConfig): Promise<App> {
  const { home, log = () => undefined } = options;
  const current = config.fresh();
  const { lease = await takeLease({ home, config: current, env: process.env }) } = options;
  const queue = await redisQueue(current, home, lease?.isActive);
  const runtime = openRuntime({
    ...{ home, config: config.now, present, log },
    ...(lease === null ? {} : { isActive: lease.isActive }),
    ...(options.url ? { url: options.url } : {}),
    ...(queue === null ? {} : { queue, leaseMs: current.queue.leaseMs }),
  });
  options.onRoom?.(runtime);
  const app: App = {
    home,
    runtime,
    lost: lease?.lost ?? new Promise<never>(() => undefined),
    door: inboxService(
      runtime,
      config.now,
      beforehand({ runtime, home, config: config.now, fresh: config.fresh, log }),
    ),
    config: config.now,
    freshConfig: config.fresh,
    startWork: () => runtime.startWorker(concurrency),
    onConfig: config.onChange,
    close: () => closeAll(config, runtime, lease),
  };
  try {
    await runtime.recover();
    await app.door.recover();
  } catch (error) {
    await app.close();
    throw error;
  }
  if (options.work) app.startWork();
  return app;
}

async function closeAll(config: PresentConfig, runtime: Runtime, lease: Lease | null): Promise<void> {
  config.close();
  try {
    await runtime.close();
  } finally {
    await lease?.close();
  }
}
