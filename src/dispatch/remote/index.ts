export { answerCalls } from './agent-calls.js';

export { BundleTransfer, fetchRetryMs, isNotTaken } from './bundle-transfer.js';
export { liveLogs } from './live-logs.js';
export { remoteEvents } from './remote-events.js';
