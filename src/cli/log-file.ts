// The service's own log: appended, and moved aside when it has grown, so that it never fills a disk.
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Home, homeFolder, redactor } from '../dispatch/index.js';

export type Log = (message: string) => void;

const maxBytes = 5 * 1024 * 1024;
/** Besides the one that is written: bosun.log.1 and bosun.log.2. */
const olderKept = 2;
const maxLineChars = 20_000;

export function logPathOf(home: Home): string {
  return join(home.dir, 'logs', 'bosun.log');
}

/** Without secrets. What cannot be written is said on standard error instead: a log never stops the service. */
export function openLog(home: Home, redact = redactor([home.secret, home.apiToken])): Log {
  return (message) => {
    const line = `${new Date().toISOString()} ${redact(message).slice(0, maxLineChars)}\n`;
    try {
      homeFolder(home, 'logs');
      const path = logPathOf(home);
      if (sizeOf(path) + line.length > maxBytes) moveAside(path);
      appendFileSync(path, line, { mode: 0o600 });
    } catch (error) {
      process.stderr.write(`warning: no log (${error instanceof Error ? error.message : String(error)}): ${line}`);
    }
  };
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
