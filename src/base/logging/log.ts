export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogFields {
  /** Absent: level info. */
  readonly level?: LogLevel;
  readonly project?: string;
  readonly run?: string;
  readonly item?: string;
  /** `item` again, under the name that people search for. */
  readonly story?: string;
  readonly node?: string;
  readonly attempt?: string;
  readonly event?: string;
  readonly step?: string;
  readonly agent?: string;
  readonly channel?: string;
}

export type Log = (message: string, fields?: LogFields) => void;

export function logAbout(log: Log, about: LogFields): Log {
  return (message, fields) => log(message, { ...about, ...fields });
}
