export { jsonLog, logLevelOf } from './json-log.js';
export { type Log, type LogFields, type LogLevel, logAbout } from './log.js';
