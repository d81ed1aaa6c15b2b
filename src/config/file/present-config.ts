// What config.yaml says to a process that goes on: as it was read last when it could be used. Nothing that is asked of it
// fails once it is there, whatever becomes of the file.
import type { BosunError } from '../../base/index.js';
import type { Config } from '../config.js';
import type { Home } from '../home/home.js';
import type { Environment } from './interpolate.js';
import { loadConfig } from './read-config.js';
import { watchConfig } from './watch-config.js';

export interface PresentConfig {
  readonly now: () => Config;
  /** Looks first whether the file has changed. */
  readonly fresh: () => Config;
  /** Called after it has changed. */
  readonly onChange: (listen: () => void) => void;
  readonly close: () => void;
}

export interface Following {
  readonly env: Environment;
  /** Told in a sentence what became of the file: that it is refused, and that it is used again. */
  readonly tell: (news: string, level: 'info' | 'warn') => void;
  /** What this process makes of what it reads. */
  readonly adapt?: (config: Config) => Config;
}

/** Throws where the file cannot be used now: there is none yet that could stay in force. */
export function presentConfig(
  home: Pick<Home, 'configPath'>,
  { env, tell, adapt = (config) => config }: Following,
): PresentConfig {
  let current = adapt(loadConfig(home, env));
  let isRefused = false;
  const listeners: (() => void)[] = [];
  const watch = watchConfig(home, {
    config: current,
    env,
    onChange(changed) {
      current = adapt(changed);
      if (isRefused) tell('config.yaml is in order again, and in force', 'info');
      isRefused = false;
      for (const listen of listeners) listen();
    },
    onBad({ message }: BosunError) {
      isRefused = true;
      tell(`config.yaml is refused and the old one stays: ${message}`, 'warn');
    },
  });
  return {
    now: () => current,
    fresh() {
      watch.lookNow();
      return current;
    },
    onChange: (listen) => void listeners.push(listen),
    close: watch.close,
  };
}
