export { homesIn, type LivingHome } from './connection/home-heartbeat.js';
export { lookAtRedis, type RedisLook, type SeenWorker } from './connection/inspect.js';
export { type Kept, type LeaseLink, type LeaseLook, openLeaseLink } from './connection/lease-link.js';
export { type BullmqOptions, type BullmqQueue, bullmqQueue } from './redis-queue.js';
export { type BullmqWorker, type BullmqWorkerOptions, bullmqWorker } from './redis-worker.js';
export type { CrewMember } from './registry/worker-list.js';
