export { type QueueClock, systemClock } from './clock.js';
export { type EmbeddedOptions, type EmbeddedQueue, embeddedQueue } from './embedded.js';
export type * from './port.js';
