// Bosun in this process: home, config, room and desk put together, and taken apart again.
import { type Desk, frontDoor, present } from '../bot/index.js';
import {
  type Config,
  type ConfigWatch,
  type Home,
  type Lease,
  loadConfig,
  openRoom,
  type Room,
  redisQueue,
  takeLease,
  watchConfig,
} from '../dispatch/index.js';
import type { Log } from '../dispatch/log/index.js';

export interface App extends Desk {
  readonly home: Home;
  readonly room: Room;
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
  /** Null: there is no Redis, and so nobody else; left out: it is taken here. */
  readonly lease?: Lease | null;
  /** Called before what an earlier process left is settled. */
  readonly onRoom?: (room: Room) => void;
}

const concurrency = 4;

/** Opens what an earlier process left, settles it, and goes to work if it should. */
export async function openApp(options: AppOptions): Promise<App> {
  const { home, log = () => undefined } = options;
  let current = loadConfig(home, process.env);
  const config = () => current;
  const listeners: (() => void)[] = [];
  const { lease = await takeLease({ home, config: current, env: process.env }) } = options;
  const queue = await redisQueue(current, home, lease?.isActive);
  const room = openRoom({
    ...{ home, config, present, log },
    ...(lease === null ? {} : { isActive: lease.isActive }),
    ...(options.url ? { url: options.url } : {}),
    ...(queue === null ? {} : { queue, leaseMs: current.queue.leaseMs }),
  });
  options.onRoom?.(room);
  const watch = watchConfig(home, {
    config: current,
    env: process.env,
    onChange: (changed: Config) => {
      current = changed;
      for (const listen of listeners) listen();
    },
    onBad: (error: Error) => log(`config.yaml is refused and the old one stays: ${error.message}`, { level: 'warn' }),
  });
  const app: App = {
    home,
    room,
    lost: lease?.lost ?? new Promise<never>(() => undefined),
    door: frontDoor(room, config),
    config,
    freshConfig() {
      watch.lookNow();
      return current;
    },
    startWork: () => room.startWorker(concurrency),
    onConfig: (listen) => listeners.push(listen),
    close: () => closeAll(watch, room, lease),
  };
  try {
    await room.recover();
    await app.door.recover();
  } catch (error) {
    await app.close();
    throw error;
  }
  if (options.work) app.startWork();
  return app;
}

async function closeAll(watch: ConfigWatch, room: Room, lease: Lease | null): Promise<void> {
  watch.close();
  try {
    await room.close();
  } finally {
    await lease?.close();
  }
}
