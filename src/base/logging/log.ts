// How the rest of Bosun says what happened. A plain function of one message is one, too.

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a line is about, as far as the one who writes it knows. */
export interface LogFields {
  /** Left out: info. */
  readonly level?: LogLevel;
  readonly project?: string;
  readonly run?: string;
  readonly item?: string;
  /** The same as `item`, by the name that people look for. */
  readonly story?: string;
  readonly node?: string;
  readonly attempt?: string;
  /** The type of an engine event. */
  readonly event?: string;
  /** A step by its name in the workflow. */
  readonly step?: string;
  /** The worker that carries an attempt out. */
  readonly agent?: string;
  readonly channel?: string;
}

export type Log = (message: string, fields?: LogFields) => void;

/** The same log, with fields that each of its lines has. */
export function logAbout(log: Log, about: LogFields): Log {
  return (message, fields) => log(message, { ...about, ...fields });
}
