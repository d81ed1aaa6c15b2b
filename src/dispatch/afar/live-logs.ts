// The log of an attempt on another machine while it runs: its lines as they are told, in the place where its whole log
// comes to lie in the end. What is told may be cut or missing; the whole log then takes its place.
import { mkdirSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Progress } from '../job.js';

export interface LiveLogs {
  /** The attempt runs elsewhere, and its log belongs there. */
  begin(attempt: string, path: string): void;
  hear(attempt: string, progress: Progress, at: number): void;
  /** What was told is written; its whole log may come now. */
  end(attempt: string): Promise<void>;
}

const maxBytes = 16 * 1024 * 1024;
const writeEveryMs = 200;

interface Live {
  readonly path: string;
  waiting: string[];
  written: number;
  writing: Promise<void>;
  timer: NodeJS.Timeout | null;
}

export function liveLogs(onError: (error: unknown) => void): LiveLogs {
  const logs = new Map<string, Live>();

  function write(live: Live): void {
    live.timer = null;
    const text = live.waiting.join('');
    live.waiting = [];
    live.written += text.length;
    // Lines of one log come in order: one write after another.
    live.writing = live.writing.then(() => appendFile(live.path, text, { mode: 0o600 })).catch(onError);
  }

  return {
    begin(attempt, path) {
      if (logs.has(attempt)) return;
      try {
        mkdirSync(dirname(path), { recursive: true });
        logs.set(attempt, { path, waiting: [], written: 0, writing: Promise.resolve(), timer: null });
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
    async end(attempt) {
      const live = logs.get(attempt);
      if (live === undefined) return;
      logs.delete(attempt);
      if (live.timer !== null) clearTimeout(live.timer);
      if (live.waiting.length > 0) write(live);
      await live.writing;
    },
  };
}
