// Reports a broken file and keeps the last valid version.
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { BosunError, errnoOf } from '../../base/index.js';
import type { Config } from '../config.js';
import type { HomeOfConfig } from '../home/home.js';
import type { Environment } from './interpolate.js';
import { readConfig, readConfigText, revisionOf } from './read-config.js';
import { badConfig } from './yaml-text.js';

export interface WatchRequest {
  readonly config: Config;
  readonly env: Environment;
  readonly onChange: (config: Config) => void;
  readonly onBad: (error: BosunError) => void;
  /** Polls for file systems without events. */
  readonly recheckMs?: number;
}

export interface ConfigWatch {
  lookNow(): void;
  close(): void;
}

/** Editors write in several steps. */
const settleMs = 80;
const defaultRecheckMs = 5_000;

export function watchConfig(home: HomeOfConfig, want: WatchRequest): ConfigWatch {
  let seen = want.config.revision;
  let settling: NodeJS.Timeout | null = null;
  const look = (): void => {
    if (settling !== null) clearTimeout(settling);
    settling = null;
    seen = tellChange(home, want, seen);
  };
  const lookSoon = (): void => {
    settling ??= setTimeout(look, settleMs);
  };
  const watcher = watchFolder(home.configPath, lookSoon);
  const recheck = setInterval(look, want.recheckMs ?? defaultRecheckMs).unref();
  lookSoon();
  let stamp = '';
  return {
    lookNow() {
      const now = stampOf(home.configPath);
      if (now === stamp) return;
      look();
      stamp = now;
    },
    close() {
      watcher?.close();
      clearInterval(recheck);
      if (settling !== null) clearTimeout(settling);
    },
  };
}

function tellChange(home: HomeOfConfig, want: WatchRequest, seen: string): string {
  let text: string;
  try {
    text = readConfigText(home);
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    if (seen !== error.message) want.onBad(error);
    return error.message;
  }
  const revision = revisionOf(text);
  if (revision === seen) return seen;
  const reading = readConfig(home, text, want.env);
  if (reading.kind === 'good') want.onChange(reading.config);
  else want.onBad(badConfig(reading.problems, 'The previous configuration stays in force until this is fixed.'));
  return revision;
}

/** Changes with the file, and needs no read. */
function stampOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeMs}`;
  } catch (error) {
    // The read reports the reason.
    return errnoOf(error);
  }
}

/** Watches the folder, because many editors replace the file. */
function watchFolder(path: string, onEvent: () => void): FSWatcher | null {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      if (name === null || name === basename(path)) onEvent();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // Out of watches; polling remains.
    return null;
  }
}
