// The last valid config.yaml, for long-running processes: reading never fails.
import type { BosunError } from '../../base/index.js';
import type { Config } from '../config.js';
import type { HomeOfConfig } from '../home/home.js';
import type { Environment } from './interpolate.js';
import { loadConfig } from './read-config.js';
import { watchConfig } from './watch-config.js';

export interface PresentConfig {
  readonly now: () => Config;
  /** Checks the file first. */
  readonly fresh: () => Config;
  readonly onChange: (listen: () => void) => void;
  readonly onNews: (listen: Following['tell']) => void;
  /** Null: the present file is in force. */
  readonly problem: () => string | null;
  readonly close: () => void;
}

export interface Following {
  readonly env: Environment;
  readonly tell: (news: string, level: 'info' | 'warn') => void;
  readonly adapt?: (config: Config) => Config;
}

/** Throws if the first read fails, because there is no version to keep. */
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
