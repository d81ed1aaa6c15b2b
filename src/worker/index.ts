export { type AttemptNotes, attemptNotes, type Before } from './attempt/attempt-notes.js';
export { exportLogs, logFolderOf, removeLogs } from './attempt/log-folder.js';
export { type EarlierTries, inCheckout, measured, withEvidence } from './attempt/measured-attempt.js';
export { makeFit } from './attempt/prepare-worktree.js';
export { inPresentEnv, withoutEnv } from './attempt/resolve-environment.js';
export { hiddenWork, hidesWork, oneLine, permissionAsk, type ToolUse, whyRefused } from './attempt/tool-permission.js';
export { type RemoteWorker, startRemoteWorker } from './start-worker.js';
