export { answerCalls } from './agent-calls.js';

export { Carriage, isNotTaken } from './carriage.js';
export { hearAfar } from './hear-afar.js';
export { liveLogs } from './live-logs.js';
