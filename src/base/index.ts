export { backoffMs } from './async/backoff.js';
export { batched } from './async/batcher.js';
export { atMost, type Clock, machineClock, type QueueClock, systemClock } from './async/clock.js';
export { forEachIsolated } from './async/for-each-isolated.js';
export { keepWorks } from './async/in-flight.js';
export { inTurn, KeyedQueue } from './async/keyed-queue.js';
export { Listeners } from './async/listeners.js';
export { pause } from './async/pause.js';
export { BosunError, type ErrorCode } from './error.js';
export {
  acceptSettings,
  heedSettings,
  refuseChangedSettings,
  restoreSettings,
  type SettingsGuard,
  settingsChanged,
  settingsGuard,
  tellChanges,
} from './git-settings/notes.js';
export { findRulePipe } from './git-settings/rule-pipe.js';
export { jsonLog, logLevelOf } from './logging/json-log.js';
export { type Log, type LogFields, type LogLevel, logAbout } from './logging/log.js';
export { spellCommands } from './own-command.js';
export { errnoOf, makeFile, replaceFile } from './own-file.js';
export { copyOwnFile, isInside, makeOwnFile, openToAppend, openWithin, ownFolder, writeOwnFile } from './own-path.js';
export { type Environment, pick, plainEnvironment } from './plain-environment.js';
export { isAlive, processStart } from './process-identity.js';
export { type LineRedactor, lineRedactor } from './redaction/private-keys.js';
export { redacted } from './redaction/redact-deep.js';
export { plain, type Redact, redactor } from './redaction/redactor.js';
export { misleading, visible } from './redaction/visible-text.js';
export { type CommandEnd, runCommand } from './run-command.js';
export { drawSecret, hashOf, isSameSecret } from './secret-text.js';
export { inZone, markedTime, replaceTimes, type ShownTime, timesIn, wordTimes } from './shown-times.js';
export { placeOf, strayLinks } from './stray-links.js';
export { Exporter, type ExporterParts, usualExport } from './tracing/exporter.js';
export { type TraceSettings, traceSettings } from './tracing/settings.js';
export { type Span, spanIdOf, traceIdOf } from './tracing/span.js';
export { DamagedError, writeFailureOf } from './write-failure.js';
