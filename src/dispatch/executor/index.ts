export { type AttemptRunnerOptions, attemptRunner } from './attempt.js';
export { parseHandoff } from './handoff-file.js';
export { parseResultFile } from './result-file.js';
export { renderScratch } from './scratch-files.js';
export { endProcessesOf } from './sweep.js';
export { readTests } from './tests/read-tests.js';
