import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jsonLog, type Log, type LogLevel, redactor } from '../base/index.js';
import { type Home, homeFolder } from '../config/index.js';

export type { Log } from '../base/index.js';

const maxBytes = 5 * 1024 * 1024;
const olderKept = 2;

export function logPathOf(home: Home): string {
  return join(home.dir, 'logs', 'bosun.log');
}

export interface LogOptions {
  readonly redact?: (text: string) => string;
  readonly level?: LogLevel;
}

/** Falls back to standard error, because a failing log must not stop the service. */
export function openLog(home: Home, options: LogOptions = {}): Log {
  const { redact = redactor([home.secret, home.apiToken]), level = 'info' } = options;
  return jsonLog({ level, redact, write: (line) => write(home, line) });
}

function write(home: Home, line: string): void {
  try {
    homeFolder(home, 'logs');
    const path = logPathOf(home);
    if (sizeOf(path) + Buffer.byteLength(line) > maxBytes) moveAside(path);
    appendFileSync(path, line, { mode: 0o600 });
  } catch (error) {
    process.stderr.write(
      `warning: cannot write the log (${error instanceof Error ? error.message : String(error)}): ${line}`,
    );
  }
}

function moveAside(path: string): void {
  for (let number = olderKept; number > 0; number -= 1) {
    const from = number === 1 ? path : `${path}.${number - 1}`;
    if (sizeOf(from) > 0) renameSync(from, `${path}.${number}`);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
