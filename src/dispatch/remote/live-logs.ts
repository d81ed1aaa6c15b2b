// Streams a remote attempt's log. Lines may be cut or missing until the complete log replaces them.
import { closeSync, writeSync } from 'node:fs';
import { openToAppend } from '../../base/index.js';
import type { Progress } from '../../jobs/index.js';

export interface LiveLogs {
  begin(attempt: string, path: string, base: string): void;
  hear(attempt: string, progress: Progress, at: number): void;
  /** Call it before the complete log arrives. */
  end(attempt: string): void;
}

const maxBytes = 16 * 1024 * 1024;
const writeEveryMs = 200;

interface Live {
  readonly file: number;
  waiting: string[];
  written: number;
  timer: NodeJS.Timeout | null;
}

export function liveLogs(onError: (error: unknown) => void): LiveLogs {
  const logs = new Map<string, Live>();

  function write(live: Live): void {
    live.timer = null;
    const text = live.waiting.join('');
    live.waiting = [];
    live.written += text.length;
    try {
      writeSync(live.file, text);
    } catch (error) {
      onError(error);
    }
  }

  return {
    begin(attempt, path, base) {
      if (logs.has(attempt)) return;
      try {
        logs.set(attempt, { file: openToAppend(base, path, 0o600), waiting: [], written: 0, timer: null });
      } catch (error) {
        onError(error);
      }
    },
    hear(attempt, progress, at) {
      const live = logs.get(attempt);
      if (live === undefined || progress.type !== 'output' || live.written > maxBytes) return;
      live.waiting.push(`${JSON.stringify({ t: at, s: 'out', line: progress.line })}\n`);
      live.timer ??= setTimeout(() => write(live), writeEveryMs).unref();
    },
    end(attempt) {
      const live = logs.get(attempt);
      if (live === undefined) return;
      logs.delete(attempt);
      if (live.timer !== null) clearTimeout(live.timer);
      if (live.waiting.length > 0) write(live);
      closeSync(live.file);
    },
  };
}
