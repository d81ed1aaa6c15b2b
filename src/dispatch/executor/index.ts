export { installHint } from './agents/faults.js';
export { type AgentVersion, agentVersion } from './agents/version.js';
export { type AttemptRunnerOptions, attemptRunner } from './attempt.js';
export { parseHandoff } from './handoff-file.js';
export { runProcess } from './process.js';
export { parseResultFile } from './result-file.js';
export { renderScratch } from './scratch-files.js';
export { endProcessesMarked, endProcessesOf } from './sweep.js';
export { readTests } from './tests/read-tests.js';
