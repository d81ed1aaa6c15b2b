import type { CodingAgent } from '../agents/index.js';
import type { Log } from '../base/index.js';
import { type BotServices, inboxService, prepareMessage, present } from '../bot/index.js';
import { type Home, type PresentConfig, presentConfig } from '../config/index.js';
import { type Lease, openRuntime, type Runtime, redisQueue, takeLease } from '../dispatch/index.js';

export interface App extends BotServices {
  readonly home: Home<CodingAgent>;
  readonly runtime: Runtime;
  /** Another Bosun may act for this home from then on. */
  readonly lost: Promise<string>;
  configProblem(): string | null;
  startWork(): void;
  onConfig(listen: () => void): void;
  close(): Promise<void>;
}

export interface AppOptions {
  readonly home: Home<CodingAgent>;
  readonly work: boolean;
  readonly url?: () => string;
  readonly log?: Log;
  /** Closed with the app. Default: the home's. */
  readonly config?: PresentConfig;
  /** Null: without Redis no other machine can be active. Default: taken here. */
  readonly lease?: Lease | null;
  /** Called before recovery. */
  readonly onRoom?: (runtime: Runtime) => void;
}

const concurrency = 4;
const embeddedLeaseMs = 15_000;

/** Recovers what an earlier process left open. */
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
    ...{ home, config: config.now, present, log, queue },
    isActive: lease?.isActive ?? (() => true),
    ...{ url: options.url ?? (() => ''), now: Date.now },
    leaseMs: queue === null ? embeddedLeaseMs : current.queue.leaseMs,
  });
  options.onRoom?.(runtime);
  const app: App = {
    home,
    runtime,
    lost: lease?.lost ?? new Promise<never>(() => undefined),
    door: inboxService(
      runtime,
      config.now,
      prepareMessage({ runtime, home, config: config.now, fresh: config.fresh, log }),
    ),
    config: config.now,
    freshConfig: config.fresh,
    configProblem: config.problem,
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
