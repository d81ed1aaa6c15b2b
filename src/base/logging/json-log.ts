// Redacts parsed values, so that escaping hides no secret and the JSON stays valid.
import { createRequire } from 'node:module';
import type * as Pino from 'pino';
import { BosunError } from '../error.js';
import { type Log, type LogLevel, logLevels } from './log.js';

export interface JsonLogParts {
  readonly level: LogLevel;
  readonly redact: (text: string) => string;
  readonly write: (line: string) => void;
}

const maxMessageChars = 20_000;
const maxFieldChars = 300;

export function jsonLog({ level, redact, write }: JsonLogParts): Log {
  const { pino } = loaded();
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(`${bare(line, redact)}\n`) },
  );
  return (message, { level: of = 'info', ...fields } = {}) => logger[of](fields, message);
}

/** Lazy: most commands log nothing and skip loading pino. */
function loaded(): typeof Pino {
  return createRequire(import.meta.url)('pino');
}

export function logLevelOf(env: NodeJS.ProcessEnv): LogLevel {
  const said = (env['BOSUN_LOG'] ?? '').trim().toLowerCase();
  const level = logLevels.find((one) => one === (said || 'info'));
  if (level !== undefined) return level;
  throw new BosunError('usage', `BOSUN_LOG is "${said.slice(0, 40)}", which is not a log level`, {
    hint: `Use one of ${logLevels.join(', ')}.`,
  });
}

function bare(line: string, redact: (text: string) => string): string {
  const said: Record<string, unknown> = JSON.parse(line);
  const entries = Object.entries(said).map(([name, value]) => {
    const isFixed = name === 'level' || name === 'time';
    if (isFixed || typeof value !== 'string') return [name, value];
    return [name, redact(value).slice(0, name === 'msg' ? maxMessageChars : maxFieldChars)];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
