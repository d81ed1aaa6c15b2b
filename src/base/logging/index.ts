export { jsonLog, logLevelOf } from './json-log.js';
export type { Log, LogFields, LogLevel } from './log.js';
