export type { CrewMember } from './crew.js';
export { homesIn, type LivingHome } from './homes.js';
export { type Kept, type LeaseLink, type LeaseLook, openLeaseLink } from './lease-link.js';
export { lookAtRedis, type RedisLook, type SeenWorker } from './look.js';
export { type BullmqOptions, type BullmqQueue, bullmqQueue } from './queue.js';
export { type BullmqWorker, type BullmqWorkerOptions, bullmqWorker } from './worker.js';
