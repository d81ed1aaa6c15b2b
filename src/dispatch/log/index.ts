export { aboutAttempt } from './about.js';
export { aboutMessage } from './about-message.js';
export { logCommitted } from './commit-lines.js';
export { jsonLog, logLevelOf } from './json-log.js';
export { type Log, type LogFields, type LogLevel, logAbout } from './log.js';
