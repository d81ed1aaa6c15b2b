export { answerCalls } from './agent-calls.js';

export { Carriage, isNotTaken } from './bundle-transfer.js';
export { liveLogs } from './live-logs.js';
export { hearAfar } from './remote-events.js';
