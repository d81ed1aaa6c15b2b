// The current configuration for long-running processes: the last valid version of config.yaml. Reading it never fails,
// whatever happens to the file later.
import type { BosunError } from '../../base/index.js';
import type { Config } from '../config.js';
import type { HomeOfConfig } from '../home/home.js';
import type { Environment } from './interpolate.js';
import { loadConfig } from './read-config.js';
import { watchConfig } from './watch-config.js';

export interface PresentConfig {
  readonly now: () => Config;
  /** Checks the file for changes first. */
  readonly fresh: () => Config;
  /** Calls `listen` after every change. */
  readonly onChange: (listen: () => void) => void;
  /** Calls `listen` with the same news as `tell`, once for each version of the file. */
  readonly onNews: (listen: Following['tell']) => void;
  /** Why the file as it is now is refused; null: it is in force. */
  readonly problem: () => string | null;
  readonly close: () => void;
}

export interface Following {
  readonly env: Environment;
  /** Reports that a changed file is refused, and that it is in use again. */
  readonly tell: (news: string, level: 'info' | 'warn') => void;
  /** Adjusts each configuration that is read. */
  readonly adapt?: (config: Config) => Config;
}

/** Throws if the first read fails, because there is no earlier version to keep. */
export function presentConfig(home: HomeOfConfig, { env, tell, adapt = (config) => config }: Following): PresentConfig {
  let current = adapt(loadConfig(home, env));
  let problem: string | null = null;
  const listeners: (() => void)[] = [];
  const newsListeners: Following['tell'][] = [tell];
  const tellAll: Following['tell'] = (news, level) => {
    for (const listen of newsListeners) listen(news, level);
  };
  const watch = watchConfig(home, {
    config: current,
    env,
    onChange(changed) {
      current = adapt(changed);
      if (problem !== null) tellAll('config.yaml is valid again and in force', 'info');
      problem = null;
      for (const listen of listeners) listen();
    },
    onBad({ message }: BosunError) {
      problem = message;
      tellAll(`config.yaml is invalid, so the previous version stays in force: ${message}`, 'warn');
    },
  });
  return {
    now: () => current,
    fresh() {
      watch.lookNow();
      return current;
    },
    onChange: (listen) => void listeners.push(listen),
    onNews: (listen) => void newsListeners.push(listen),
    problem: () => problem,
    close: watch.close,
  };
}
