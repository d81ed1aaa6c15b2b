export { homesIn, type LivingHome } from './connection/home-heartbeat.js';
export { inspectRedis, type RedisLook, type SeenWorker } from './connection/inspect.js';
export { type LeaseLink, type LeaseLook, openLeaseLink, type StoredLease } from './connection/lease-link.js';
export { type BullmqOptions, type BullmqQueue, bullmqQueue } from './redis-queue.js';
export { type BullmqWorker, type BullmqWorkerOptions, bullmqWorker } from './redis-worker.js';
export type { ListedWorker } from './registry/worker-list.js';
