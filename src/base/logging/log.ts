// The logging interface; any function of one message satisfies it.

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogFields {
  /** Left out: info. */
  readonly level?: LogLevel;
  readonly project?: string;
  readonly run?: string;
  readonly item?: string;
  /** The same as `item`, under the name that people search for. */
  readonly story?: string;
  readonly node?: string;
  readonly attempt?: string;
  /** Type of an engine event. */
  readonly event?: string;
  /** Step name in the workflow. */
  readonly step?: string;
  /** The worker that runs the attempt. */
  readonly agent?: string;
  readonly channel?: string;
}

export type Log = (message: string, fields?: LogFields) => void;

export function logAbout(log: Log, about: LogFields): Log {
  return (message, fields) => log(message, { ...about, ...fields });
}
