export { type AttemptNotes, attemptNotes, type BeforeAttempt } from './attempt/attempt-notes.js';
export { exportLogs, logFolderOf, removeLogs } from './attempt/log-folder.js';
export { type EarlierTries, measured, measuredAttempt, withEvidence } from './attempt/measured-attempt.js';
export { prepareWorktree } from './attempt/prepare-worktree.js';
export { inPresentEnv, withoutEnv } from './attempt/resolve-environment.js';
export { hiddenWork, hidesWork, oneLine, permissionAsk, type ToolUse, whyRefused } from './attempt/tool-permission.js';
export { type ChosenHome, whichHome } from './remote/find-home.js';
export { redisFor, workerConfig } from './remote/worker-config.js';
export { type RemoteWorker, startRemoteWorker } from './start-worker.js';
