export type { CrewMember } from './crew.js';
export { lookAtRedis, type RedisLook } from './look.js';
export { type BullmqOptions, type BullmqQueue, bullmqQueue } from './queue.js';
export type { Limits } from './quota.js';
export { type BullmqWorker, type BullmqWorkerOptions, bullmqWorker } from './worker.js';
